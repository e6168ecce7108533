package schema

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// ObjectMeta is the name of the definition of an object's metadata.
const ObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// Quantity is the name of the type of quantities.
const Quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity"

// A Converter converts OpenAPI schemas, as encoding/json decodes them, to types by the same
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
	case Quantity:
		t.Scalar = Untyped
	case "io.k8s.apimachinery.pkg.runtime.RawExtension":
		*t = *untypedType
	default:
		*t = *c.Convert(definition)
	}
	// Nearly every type of Kubernetes has one of these prefixes.
	t.Name = strings.TrimPrefix(strings.TrimPrefix(name, "io.k8s.api."), "io.k8s.apimachinery.pkg.apis.")
	return t
}

// Convert returns the type of a schema. An invalid schema counts as an empty one.
func (c *Converter) Convert(schema map[string]any) *Type { return c.convert(schema, false) }

func (c *Converter) convert(schema map[string]any, preserve bool) *Type {
	if schema["x-kubernetes-preserve-unknown-fields"] == true {
		preserve = true
	}
	t := &Type{Nullable: schema["nullable"] == true, Limits: limitsOf(schema)}
	switch schema["type"] {
	case "object":
		t.Map = c.mapOf(schema, preserve)
	case "array":
		t.List = c.listOf(schema, preserve)
	case "integer", "number":
		t.Scalar = Number
	case "boolean":
		t.Scalar = Boolean
	case "string":
		t.Scalar = String
		if format, _ := schema["format"].(string); format != "" && format != "byte" {
			t.Scalar = Untyped
		}
	default:
		t.Scalar, t.Map, t.List = Untyped, c.mapOf(schema, preserve), c.listOf(schema, preserve)
	}
	return t
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
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

func (c *Converter) mapOf(schema map[string]any, preserve bool) *Map {
	m := &Map{Atomic: schema["x-kubernetes-map-type"] == "atomic"}
	properties, _ := schema["properties"].(map[string]any)
	isRequired := map[string]bool{}
	for _, name := range texts(schema["required"]) {
		isRequired[name] = true
	}
	embedded := schema["x-kubernetes-embedded-resource"] == true
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if embedded && slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			continue
		}
		property, _ := properties[name].(map[string]any)
		m.Fields = append(m.Fields, Field{
			Name: name, Type: c.member(property, preserve), Required: isRequired[name],
			Default: Numbers(property["default"]),
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

// builtIn are the prefixes of the definitions of Kubernetes' own kinds.
var builtIn = []string{"io.k8s.api.", "io.k8s.apiextensions-apiserver.", "io.k8s.kube-aggregator."}

// AddOpenAPI adds the kinds of an API server: those of its OpenAPI, which kubectl get --raw
// /openapi/v2 prints. What only Go says of the fields of Kubernetes is that of the table.
func (s *Schemas) AddOpenAPI(text []byte) error {
	var document struct {
		Info        struct{ Version string }
		Definitions map[string]any
		Paths       map[string]map[string]any
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return fmt.Errorf("it must be JSON, as kubectl get --raw /openapi/v2 prints it: %w", err)
	}
	if len(document.Definitions) == 0 {
		return errors.New("it must have definitions, as kubectl get --raw /openapi/v2 prints them")
	}
	hasStatus := map[GVK]bool{}
	for path, operations := range document.Paths {
		if strings.HasSuffix(path, "/status") {
			get, _ := operations["get"].(map[string]any)
			hasStatus[gvkOf(get["x-kubernetes-group-version-kind"])] = true
		}
	}
	c := Converter{Definitions: document.Definitions}
	versions := map[GVK][]string{}
	for _, name := range slices.Sorted(maps.Keys(document.Definitions)) {
		definition, _ := document.Definitions[name].(map[string]any)
		properties, _ := definition["properties"].(map[string]any)
		metadata, _ := properties["metadata"].(map[string]any)
		kinds, _ := definition["x-kubernetes-group-version-kind"].([]any)
		if reference(metadata) != ObjectMeta {
			continue // a list, or no object
		}
		for _, of := range kinds {
			kind := &Kind{GVK: gvkOf(of), Type: c.Named(name), Origin: Given, Source: "the server's OpenAPI", scale: usualScale}
			kind.StatusSubresource = hasStatus[kind.GVK]
			if slices.ContainsFunc(builtIn, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
				kind.Origin, kind.Source = Kubernetes, "Kubernetes "+document.Info.Version
				kind.StatusSubresource = kind.Type.Field("status") != nil
			}
			all := GVK{Group: kind.Group, Kind: kind.GVK.Kind}
			versions[all] = append(versions[all], kind.Version)
			s.add(kind)
		}
	}
	for _, kind := range s.given {
		if all := versions[GVK{Group: kind.Group, Kind: kind.GVK.Kind}]; all != nil {
			kind.Versions = all
		}
	}
	c.addFacts()
	return nil
}

// addFacts adds to the types what an OpenAPI document does not say and the table knows.
func (c *Converter) addFacts() {
	known := map[string]*Type{}
	for _, t := range table().types {
		known[t.Name] = t
	}
	for _, t := range c.named {
		for i := 0; t.Map != nil && i < len(t.Map.Fields); i++ {
			field := &t.Map.Fields[i]
			if old := known[t.Name].Field(field.Name); old != nil {
				field.OmitsZero, field.IsWritten, field.Default = old.OmitsZero, old.IsWritten, old.Default
			}
		}
	}
}

func gvkOf(value any) GVK {
	m, _ := value.(map[string]any)
	text := func(key string) string {
		s, _ := m[key].(string)
		return s
	}
	return GVK{Group: text("group"), Version: text("version"), Kind: text("kind")}
}
