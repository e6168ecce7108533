package merge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
)

// A converter converts the objects of one kind to typed values. It is the merge's converter, too:
// between versions it only removes fields that the other version does not have, and puts them back
// on the way back.
type converter struct {
	schemas *schema.Schemas
	gvk     schema.GVK
	// last are the last objects that were converted, by their versions.
	last map[string]map[string]any
}

// typed returns an object as a typed value. Duplicate elements of a set or a map are an error
// unless allowed.
func (c *converter) typed(object map[string]any, duplicates bool) (*typed.TypedValue, error) {
	var options []typed.ValidationOptions
	if duplicates {
		options = append(options, typed.AllowDuplicates)
	}
	kind := c.schemas.Kind(kindOf(object))
	p := parseable(kind)
	result, err := typed.AsTyped(sorted(value.NewValueInterface(object)), p.Schema, p.TypeRef, options...)
	if errs, ok := errors.AsType[typed.ValidationErrors](err); ok {
		found := misfits{}
		found.add(object, kind.Type, nil)
		return nil, validationError(errs, found, kind)
	}
	return result, err
}

// validationError says what does not fit a schema: the first fields by path, each with the
// beginning of its value. The library has them in any order, with whole values.
func validationError(errs typed.ValidationErrors, found misfits, kind *schema.Kind) error {
	slices.SortFunc(errs, func(a, b typed.ValidationError) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.ErrorMessage, b.ErrorMessage))
	})
	of := ""
	texts := lists.Map(errs, func(err typed.ValidationError) string {
		text := err.Error()
		if misfit := found[err.Path]; misfit != "" {
			text = err.Path + misfit
		}
		if isUndeclared := found[err.Path] == undeclared; isUndeclared && err.Path == ".sops" {
			of = "; SOPS has encrypted the object: give what sops --decrypt prints of it"
		} else if isUndeclared {
			of = release(kind)
		}
		return words.Shorten(text, maxFault)
	})
	return errors.New(strings.Join(firsts(texts), "; ") + of)
}

// maxFaults is how many faults of an object are told, and maxFault the length of one.
const maxFaults, maxFault = 5, 200

// firsts are the first of some faults, with how many more there are.
func firsts(faults []string) []string {
	if more := len(faults) - maxFaults; more > 0 {
		return append(slices.Clone(faults[:maxFaults]), fmt.Sprintf("and %d more", more))
	}
	return faults
}

// errNotServed is the error of a version that the API server doesn't serve.
var errNotServed = words.Errorf("the version must be served")

// Convert returns the object in a version.
func (c *converter) Convert(value *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	object, ok := value.AsValue().Unstructured().(map[string]any)
	_, isSorted := value.AsValue().(sortedValue)
	switch {
	case !ok:
		return value, errNotServed
	case object["apiVersion"] != string(version):
	case isSorted:
		return value, nil
	default: // which the library has made
		return c.typed(object, true)
	}
	target := schema.ParseGVK(string(version), c.gvk.Kind)
	own := c.schemas.Kind(c.gvk)
	if target.Group != c.gvk.Group || own.Origin != schema.Assumed && !slices.Contains(own.Versions, target.Version) {
		return value, errNotServed
	}
	kind := c.schemas.Kind(target)
	if c.last == nil {
		c.last = map[string]map[string]any{}
	}
	from := c.schemas.Kind(kindOf(object))
	c.last[from.APIVersion()] = object
	converted, _ := known(object, kind.Type).(map[string]any)
	restore(converted, c.last[string(version)], from.Type)
	converted["apiVersion"] = string(version)
	return c.typed(converted, true)
}

// restore adds to an object what it had before it was converted to a version with a type that
// lacks it. In lists, it adds nothing.
func restore(object, before map[string]any, t *schema.Type) {
	for key, value := range before {
		inner, isMap := object[key].(map[string]any)
		was, wasMap := value.(map[string]any)
		switch member := t.Member(key); {
		case member == nil:
			object[key] = value
		case isMap && wasMap:
			restore(inner, was, member)
		}
	}
}

// IsMissingVersionError tells whether an error is that of a version that is not served.
func (c *converter) IsMissingVersionError(err error) bool { return errors.Is(err, errNotServed) }

// known returns a copy of a value without the fields that a type does not have.
func known(value any, t *schema.Type) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, element := range v {
			if t == nil || t.Map == nil {
				out[key] = element
				continue
			}
			if field := t.Map.Field(key); field != nil {
				out[key] = known(element, field.Type)
			} else if t.Map.Element != nil {
				out[key] = known(element, t.Map.Element)
			}
		}
		return out
	case []any:
		if t == nil || t.List == nil {
			return v
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = known(v[i], t.List.Element)
		}
		return out
	}
	return value
}

// hasFields tells whether a type has all fields of a set.
func hasFields(t *schema.Type, fields *fieldpath.Set) bool {
	all := true
	fields.Iterate(func(path fieldpath.Path) { // All can't be left before its end
		at := t
		for _, element := range path {
			at = memberOf(at, element)
		}
		all = all && at != nil
	})
	return all
}

// parsers caches the types as the merge needs them.
var parsers sync.Map // from *schema.Type to typed.ParseableType

func parseable(kind *schema.Kind) typed.ParseableType {
	if p, ok := parsers.Load(kind.Type); ok {
		return p.(typed.ParseableType)
	}
	b := &builder{names: map[*schema.Type]string{}}
	root := b.ref(kind.Type)
	parser := &typed.Parser{}
	parser.Schema.Types = b.types
	// typed values are only comparable if their types come from one schema, so the first one is
	// shared
	p, _ := parsers.LoadOrStore(kind.Type, parser.Type(*root.NamedType))
	return p.(typed.ParseableType)
}

// A builder makes a schema of the merge, in which every type has a name.
type builder struct {
	names map[*schema.Type]string
	types []smdschema.TypeDef
}

// ref returns a reference to a type; a nil type gives the zero value.
func (b *builder) ref(t *schema.Type) smdschema.TypeRef {
	if t == nil {
		return smdschema.TypeRef{}
	}
	name, ok := b.names[t]
	if !ok {
		name = "t" + strconv.Itoa(len(b.names))
		b.names[t] = name // before the fields, one of which may be of this type
		atom := b.atom(t)
		b.types = append(b.types, smdschema.TypeDef{Name: name, Atom: atom})
	}
	return smdschema.TypeRef{NamedType: &name}
}

func (b *builder) atom(t *schema.Type) smdschema.Atom {
	var atom smdschema.Atom
	if t.Scalar != "" {
		scalar := smdschema.Scalar(t.Scalar)
		atom.Scalar = &scalar
	}
	if t.List != nil {
		atom.List = &smdschema.List{ElementType: b.ref(t.List.Element), ElementRelationship: smdschema.Atomic}
		if t.List.Kind != schema.Atomic {
			atom.List.ElementRelationship, atom.List.Keys = smdschema.Associative, t.List.Keys
		}
	}
	if t.Map != nil {
		atom.Map = &smdschema.Map{ElementType: b.ref(t.Map.Element), ElementRelationship: smdschema.Separable}
		if t.Map.Atomic {
			atom.Map.ElementRelationship = smdschema.Atomic
		}
		for _, field := range t.Map.Fields {
			atom.Map.Fields = append(atom.Map.Fields,
				smdschema.StructField{Name: field.Name, Type: b.ref(field.Type), Default: field.Default})
		}
	}
	return atom
}
