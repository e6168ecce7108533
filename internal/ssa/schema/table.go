package schema

import (
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/krm-fields/krm-fields/internal/krm/report"
)

//go:generate go run ../../../e2e/schematable

// tableFile is generated from Kubernetes' OpenAPI and the files in facts.
//
//go:embed table.bin
var tableFile string

// A GVK names a kind in a version of its group.
type GVK struct{ Group, Version, Kind string }

// APIVersion returns the group and version as in an object's apiVersion.
func (k GVK) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// ParseGVK returns the kind of an object's apiVersion and kind.
func ParseGVK(apiVersion, kind string) GVK {
	group, version := report.GroupVersion(apiVersion)
	return GVK{Group: group, Version: version, Kind: kind}
}

// A Table is a set of kinds with their types.
type Table struct {
	// Kubernetes is the version of Kubernetes of the OpenAPI.
	Kubernetes string
	Kinds      []TableKind
	// Metadata is the type of every object's metadata.
	Metadata *Type
	types    []*Type
}

// A TableKind is one kind of a table.
type TableKind struct {
	GVK
	Type *Type
	// Source is the origin of the schema of a custom kind; "" for a kind of Kubernetes.
	Source string
}

// table is the embedded table, read once.
var table = sync.OnceValue(func() *Table { return ReadTable(tableFile) })

// The flags of a type in the file: two for its collections, and the kind of its scalar above them.
const (
	FlagMap  = 1 << 0
	FlagList = 1 << 1

	ScalarShift = 2
)

// The flags of a map and of a field.
const (
	FlagAtomic  = 1 << 0
	FlagElement = 1 << 1

	FlagRequired  = 1 << 0
	FlagDefault   = 1 << 1
	FlagOmitsZero = 1 << 2
	FlagWritten   = 1 << 3
)

// Scalars are numbered by their place.
var Scalars = []Scalar{"", String, Number, Boolean, Untyped}

// ReadTable parses the output of the generator: every text once, then the types, which refer to
// texts and types by number, then the kinds. All numbers are varints. The table is part of the
// program, so it panics on a faulty one.
func ReadTable(text string) *Table {
	r := &tableReader{rest: text, defaults: map[string]any{}}
	r.texts = make([]string, r.number())
	for i := range r.texts {
		n := r.number()
		r.texts[i], r.rest = r.rest[:n], r.rest[n:]
	}
	types := make([]Type, r.number())
	// The first two types are the empty ones, which the rest of the package compares by identity.
	r.types = make([]*Type, len(types))
	for i := range types {
		r.types[i] = &types[i]
	}
	r.types[0], r.types[1] = untypedType, deducedType
	for i := range types {
		r.readType(&types[i])
	}
	t := &Table{Kubernetes: r.text(), Metadata: r.typeOf(), types: r.types}
	t.Kinds = make([]TableKind, r.number())
	for i := range t.Kinds {
		kind := &t.Kinds[i]
		kind.Group, kind.Version, kind.Kind, kind.Source = r.text(), r.text(), r.text(), r.text()
		kind.Type = r.typeOf()
	}
	return t
}

type tableReader struct {
	rest     string
	texts    []string
	types    []*Type
	defaults map[string]any
}

func (r *tableReader) number() int {
	n := 0
	for i := 0; ; i++ {
		b := r.rest[i]
		n |= int(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.rest = r.rest[i+1:]
			return n
		}
	}
}

func (r *tableReader) text() string { return r.texts[r.number()] }

func (r *tableReader) typeOf() *Type { return r.types[r.number()] }

func (r *tableReader) readType(t *Type) {
	flags := r.number()
	t.Scalar, t.Name = Scalars[flags>>ScalarShift], r.text()
	if flags&FlagMap != 0 {
		t.Map = r.readMap()
	}
	if flags&FlagList != 0 {
		t.List = &List{Kind: ListKind(r.number()), Element: r.typeOf()}
		for range r.number() {
			t.List.Keys = append(t.List.Keys, r.text())
		}
	}
}

func (r *tableReader) readMap() *Map {
	flags := r.number()
	m := &Map{Atomic: flags&FlagAtomic != 0}
	if flags&FlagElement != 0 {
		m.Element = r.typeOf()
	}
	m.Fields = make([]Field, r.number())
	for i := range m.Fields {
		field := &m.Fields[i]
		field.Name, field.Type = r.text(), r.typeOf()
		flags := r.number()
		field.Required = flags&FlagRequired != 0
		field.OmitsZero, field.IsWritten = flags&FlagOmitsZero != 0, flags&FlagWritten != 0
		if flags&FlagDefault != 0 {
			field.Default = r.readDefault(r.text())
		}
	}
	return m
}

// readDefault decodes a default, once if many fields have it.
func (r *tableReader) readDefault(text string) any {
	if value, ok := r.defaults[text]; ok {
		return value
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		panic(err)
	}
	value = Numbers(value)
	r.defaults[text] = value
	return value
}
