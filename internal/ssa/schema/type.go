// Package schema has what the schemas of an API server say about the fields of objects, as far as
// server-side apply needs it: which lists are atomic, sets or maps and by which keys, which maps
// are atomic, which fields are required, and which exist.
//
// The schemas have three sources: Kubernetes' own OpenAPI and the custom kinds that often have
// field owners, both in a generated table, and CustomResourceDefinitions that are given. The table
// is parsed when the first kind is looked up, so that a program that looks up none does not pay for
// it. Nothing is validated here.
package schema

import "sort"

// A Type is what a schema says about one value. A value without a fixed type may be a scalar, a map
// or a list, so each of the three may be set. Types refer to each other in cycles, and must not be
// changed.
type Type struct {
	// Name is the name of a type of Kubernetes without "io.k8s.api." (core.v1.Container), and ""
	// for any other type.
	Name   string
	Scalar Scalar
	Map    *Map
	List   *List
	// Nullable and Limits are what a CustomResourceDefinition says of the value.
	Nullable bool
	Limits   Limits
}

// A Scalar is a kind of scalar, "" if the value is not a scalar.
type Scalar string

// The kinds are structured-merge-diff's.
const (
	String  Scalar = "string"
	Number  Scalar = "numeric"
	Boolean Scalar = "boolean"
	Untyped Scalar = "untyped"
)

// A Map is what a schema says about a map: its fields, and all other keys.
type Map struct {
	Fields []Field // sorted by name
	// Element is the type of all keys that are not fields. If it is nil, there are no other keys.
	Element *Type
	Atomic  bool
}

// A Field is one field of a map.
type Field struct {
	Name     string
	Type     *Type
	Required bool
	// Default is the value that the schema gives a missing field, or nil; whole numbers are
	// int64.
	Default any
	// OmitsZero and IsWritten say of a type of Kubernetes what Go writes: a field that is left out
	// if it has a zero value, and one that is written even if it has none, as null.
	OmitsZero, IsWritten bool
}

// A ListKind says how the elements of a list are identified.
type ListKind byte

// An Atomic list has one owner, a SetOf scalars has an owner for each value, and a MapOf elements
// one for each key.
const (
	Atomic ListKind = iota
	SetOf
	MapOf
)

// A List is what a schema says about a list.
type List struct {
	Element *Type
	Kind    ListKind
	Keys    []string // of a MapOf
}

// Field returns the field of that name, or nil.
func (m *Map) Field(name string) *Field {
	i := sort.Search(len(m.Fields), func(i int) bool { return m.Fields[i].Name >= name })
	if i < len(m.Fields) && m.Fields[i].Name == name {
		return &m.Fields[i]
	}
	return nil
}

// untyped is a value of unknown type that has one owner.
func untyped() *Type {
	t := &Type{Scalar: Untyped}
	t.List = &List{Element: t}
	t.Map = &Map{Element: t, Atomic: true}
	return t
}

// deduced is a value whose maps have an owner for each key, at any depth, and whose lists are
// atomic.
func deduced() *Type {
	t := &Type{Scalar: Untyped}
	t.List = &List{Element: untypedType}
	t.Map = &Map{Element: t}
	return t
}

var (
	untypedType = untyped()
	deducedType = deduced()
)

// free tells whether a type is one of those without a schema.
func (t *Type) free() bool { return t == untypedType || t == deducedType }

// Any is the type of a value without a schema: its maps have an owner for each key, its lists are
// atomic.
func Any() *Type { return deducedType }

// AtomicAny is the type of a value without a schema that has one owner as a whole.
func AtomicAny() *Type { return untypedType }

// Member returns the type of the value of a key, nil if there is none.
func (t *Type) Member(key string) *Type {
	if t == nil || t.Map == nil {
		return nil
	}
	if field := t.Map.Field(key); field != nil {
		return field.Type
	}
	return t.Map.Element
}

// Element returns the type of a list's elements, nil if there is none.
func (t *Type) Element() *Type {
	if t == nil || t.List == nil {
		return nil
	}
	return t.List.Element
}

// DefaultIn is the value that the API server gives the field where a map of the type lacks it, nil
// for none. In a custom kind, what Go writes for a missing field of a type of Kubernetes is no
// default.
func (f *Field) DefaultIn(t *Type, isKubernetes bool) any {
	if !isKubernetes && t.Name != "" && f.Required && IsEmpty(f.Default) {
		return nil
	}
	return f.Default
}

// dropsNull tells whether the API server has the default for a null of a custom kind, and refuses
// one without.
func (t *Type) dropsNull() bool { return t != nil && !t.free() && !t.Nullable }

// RefusesNull tells whether the API server refuses a null at a key of a map of a custom kind.
func (t *Type) RefusesNull(key string) bool {
	field := t.Field(key)
	return t.Member(key).dropsNull() && (field == nil || field.DefaultIn(t, false) == nil)
}

// Field returns the field of a map, nil if there is none.
func (t *Type) Field(name string) *Field {
	if t == nil || t.Map == nil {
		return nil
	}
	return t.Map.Field(name)
}
