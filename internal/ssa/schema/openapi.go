package schema

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"
)

// ObjectMeta is the name of the definition of an object's metadata.
const ObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// Quantity is the name of the type of quantities.
const Quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity"

// refPrefix is the prefix of a reference to a type of the same document.
const refPrefix = "#/components/schemas/"

// A Converter converts OpenAPI v3 schemas, as encoding/json decodes them, to types by the same
// rules by which the API server converts them to those of structured-merge-diff
// (k8s.io/kube-openapi/pkg/schemaconv).
type Converter struct {
	// Definitions are the schemas to which references refer.
	Definitions map[string]any
	named       map[string]*Type
	metadata    *Type // of objects inside objects
}

// Named returns the type of a definition, or nil if there is no definition of that name.
func (c *Converter) Named(name string) *Type {
	if t := c.named[name]; t != nil {
		return t
	}
	definition, ok := c.Definitions[name].(map[string]any)
	if !ok {
		return nil
	}
	if c.named == nil {
		c.named = map[string]*Type{}
	}
	t := &Type{}
	c.named[name] = t // before the fields, one of which may be of this type
	switch name {
	case "io.k8s.apimachinery.pkg.api.resource.Quantity":
		t.Scalar = Untyped
	case "io.k8s.apimachinery.pkg.runtime.RawExtension":
		*t = *untypedType
	default:
		*t = *c.Convert(definition)
	}
	t.Name = shortName(name)
	return t
}

// shortName returns the name without the prefix of nearly every type of Kubernetes.
func shortName(name string) string {
	name = strings.TrimPrefix(name, "io.k8s.api.")
	return strings.TrimPrefix(name, "io.k8s.apimachinery.pkg.apis.")
}

// Convert returns the type of a schema. An invalid schema counts as an empty one.
func (c *Converter) Convert(schema map[string]any) *Type { return c.convert(schema, false) }

func (c *Converter) convert(schema map[string]any, preserve bool) *Type {
	if schema["x-kubernetes-preserve-unknown-fields"] == true {
		preserve = true
	}
	switch schema["type"] {
	case "object":
		return &Type{Map: c.mapOf(schema, preserve)}
	case "array":
		return &Type{List: c.listOf(schema, preserve)}
	case "integer", "number":
		return &Type{Scalar: Number}
	case "boolean":
		return &Type{Scalar: Boolean}
	case "string":
		if format, _ := schema["format"].(string); format != "" && format != "byte" {
			return &Type{Scalar: Untyped}
		}
		return &Type{Scalar: String}
	}
	return &Type{Scalar: Untyped, Map: c.mapOf(schema, preserve), List: c.listOf(schema, preserve)}
}

// member is the type of a schema inside another one, which may be a reference.
func (c *Converter) member(value any, preserve bool) *Type {
	schema, ok := value.(map[string]any)
	if !ok {
		return untypedType
	}
	t := c.Named(reference(schema))
	if t == nil {
		return c.convert(schema, preserve)
	}
	if mapType, ok := schema["x-kubernetes-map-type"]; ok && t.Map != nil {
		own, ownMap := *t, *t.Map
		ownMap.Atomic = mapType == "atomic"
		own.Map = &ownMap
		return &own
	}
	return t
}

// reference is the name of the definition to which a schema refers, or "".
func reference(schema map[string]any) string {
	ref, _ := schema["$ref"].(string)
	if allOf, ok := schema["allOf"].([]any); ok && ref == "" && len(allOf) == 1 {
		only, _ := allOf[0].(map[string]any)
		ref, _ = only["$ref"].(string)
	}
	return strings.TrimPrefix(ref, refPrefix)
}

func (c *Converter) mapOf(schema map[string]any, preserve bool) *Map {
	m := &Map{Atomic: schema["x-kubernetes-map-type"] == "atomic"}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	embedded := schema["x-kubernetes-embedded-resource"] == true
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if embedded && isIdentity(name) {
			continue
		}
		property, _ := properties[name].(map[string]any)
		m.Fields = append(m.Fields, Field{
			Name: name, Type: c.member(property, preserve), Required: slices.Contains(required, any(name)),
			Default: property["default"],
		})
	}
	if embedded {
		m.Fields = append(m.Fields, identity(cmp.Or(c.metadata, deducedType))...)
		sort.SliceStable(m.Fields, func(i, j int) bool { return m.Fields[i].Name < m.Fields[j].Name })
	}
	switch additional := schema["additionalProperties"].(type) {
	case map[string]any:
		m.Element = c.member(additional, preserve)
	case bool:
		if additional {
			m.Element = deducedType
		}
	default:
		if preserve || len(m.Fields) == 0 {
			m.Element = deducedType
		}
	}
	return m
}

func (c *Converter) listOf(schema map[string]any, preserve bool) *List {
	l := &List{Element: untypedType}
	if items, ok := schema["items"]; ok {
		l.Element = c.member(items, preserve)
	}
	switch schema["x-kubernetes-list-type"] {
	case "set":
		l.Kind = SetOf
	case "map":
		l.Kind = MapOf
		l.Keys = texts(schema["x-kubernetes-list-map-keys"])
	case nil:
		switch schema["x-kubernetes-patch-strategy"] {
		case "merge", "merge,retainKeys":
			l.Kind = SetOf
			if key, ok := schema["x-kubernetes-patch-merge-key"].(string); ok {
				l.Kind, l.Keys = MapOf, []string{key}
			}
		}
	}
	return l
}

func texts(value any) []string {
	list, _ := value.([]any)
	var all []string
	for _, element := range list {
		if text, ok := element.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// object returns the type of an object of Kubernetes with this schema: its metadata is Kubernetes'
// own.
func (c *Converter) object(schema map[string]any) *Type {
	whole := maps.Clone(schema)
	whole["type"] = "object"
	whole["x-kubernetes-embedded-resource"] = true
	return c.Convert(whole)
}
