package schema

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:generate go run ./generate

// tableText is what the generator has made of Kubernetes' OpenAPI and of the files in facts.
//
//go:embed table.bin
var tableText string

// A GVK names a kind in a version of its group.
type GVK struct{ Group, Version, Kind string }

// APIVersion returns the group and version as an object's apiVersion has them.
func (k GVK) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// ParseGVK returns the kind that an object's apiVersion and kind name.
func ParseGVK(apiVersion, kind string) GVK {
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return GVK{Version: apiVersion, Kind: kind}
	}
	return GVK{Group: group, Version: version, Kind: kind}
}

// A Table is a set of kinds with their types.
type Table struct {
	// Kubernetes is the version of Kubernetes whose OpenAPI it was made from.
	Kubernetes string
	Kinds      []TableKind
	// Metadata is the type of every object's metadata.
	Metadata *Type
}

// A TableKind is one kind of a table.
type TableKind struct {
	GVK
	Type *Type
	// Source says where the schema of a custom kind comes from. It is "" for a kind of Kubernetes.
	Source string
}

// table is the embedded table, read once.
var table = sync.OnceValue(func() *Table {
	t, err := ReadTable(tableText)
	if err != nil {
		panic(fmt.Sprintf("table.bin: %v; make it anew with \"go generate ./internal/ssa/schema\"", err))
	}
	return t
})

// The flags of a type: two for what it may be, and the kind of its scalar above them.
const (
	hasMap  = 1 << 0
	hasList = 1 << 1

	scalarShift = 2
)

// The flags of a map and of a field.
const (
	isAtomic   = 1 << 0
	hasElement = 1 << 1

	isRequired = 1 << 0
	hasDefault = 1 << 1
)

// scalars are numbered by their place.
var scalars = []Scalar{"", String, Number, Boolean, Untyped}

// Text returns the table in the form that ReadTable reads: every text once, then the types, which refer to texts and
// types by number, then the kinds. All numbers are varints. Types without a name that are alike are written once.
func (t *Table) Text() (string, error) {
	w := &tableWriter{texts: map[string]uint64{}, types: map[*Type]uint64{}, alike: map[string]uint64{}}
	kinds := w.append(nil, w.typeOf(untypedType), w.typeOf(deducedType))[:0]
	kinds = w.append(kinds, w.text(t.Kubernetes), w.typeOf(t.Metadata), uint64(len(t.Kinds)))
	for _, kind := range t.Kinds {
		kinds = w.append(kinds, w.text(kind.Group), w.text(kind.Version), w.text(kind.Kind), w.text(kind.Source),
			w.typeOf(kind.Type))
	}
	for len(w.open) > 0 {
		named := w.open[0]
		w.open = w.open[1:]
		w.bodies[w.types[named]] = w.encode(named)
	}
	out := w.append(nil, uint64(len(w.all)))
	for _, text := range w.all {
		out = append(w.append(out, uint64(len(text))), text...)
	}
	out = w.append(out, uint64(len(w.bodies)))
	for _, body := range w.bodies {
		out = append(out, body...)
	}
	return string(append(out, kinds...)), w.err
}

type tableWriter struct {
	all    []string
	texts  map[string]uint64
	bodies [][]byte
	types  map[*Type]uint64
	alike  map[string]uint64 // from the body of a type without a name to its number
	open   []*Type           // types with a number but no body yet
	err    error
}

func (w *tableWriter) append(out []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		out = binary.AppendUvarint(out, n)
	}
	return out
}

func (w *tableWriter) text(s string) uint64 {
	n, ok := w.texts[s]
	if !ok {
		n = uint64(len(w.all))
		w.texts[s] = n
		w.all = append(w.all, s)
	}
	return n
}

// typeOf is the number of a type. Those that may contain themselves have a name, but for the two that say nothing.
func (w *tableWriter) typeOf(t *Type) uint64 {
	if n, ok := w.types[t]; ok {
		return n
	}
	var body []byte
	if t.Name == "" && !t.free() {
		body = w.encode(t)
		if n, ok := w.alike[string(body)]; ok {
			w.types[t] = n
			return n
		}
		w.alike[string(body)] = uint64(len(w.bodies))
	} else {
		w.open = append(w.open, t)
	}
	n := uint64(len(w.bodies))
	w.types[t] = n
	w.bodies = append(w.bodies, body)
	return n
}

func (w *tableWriter) encode(t *Type) []byte {
	flags := uint64(slices.Index(scalars, t.Scalar)) << scalarShift
	if t.Map != nil {
		flags |= hasMap
	}
	if t.List != nil {
		flags |= hasList
	}
	out := w.append(nil, flags, w.text(t.Name))
	if t.Map != nil {
		out = w.encodeMap(out, t.Map)
	}
	if t.List != nil {
		out = w.append(out, uint64(t.List.Kind), w.typeOf(t.List.Element), uint64(len(t.List.Keys)))
		for _, key := range t.List.Keys {
			out = w.append(out, w.text(key))
		}
	}
	return out
}

func (w *tableWriter) encodeMap(out []byte, m *Map) []byte {
	var flags uint64
	if m.Atomic {
		flags |= isAtomic
	}
	if m.Element != nil {
		flags |= hasElement
	}
	out = w.append(out, flags)
	if m.Element != nil {
		out = w.append(out, w.typeOf(m.Element))
	}
	out = w.append(out, uint64(len(m.Fields)))
	for _, field := range m.Fields {
		flags = 0
		if field.Required {
			flags |= isRequired
		}
		if field.Default != nil {
			flags |= hasDefault
		}
		out = w.append(out, w.text(field.Name), w.typeOf(field.Type), flags)
		if field.Default != nil {
			value, err := json.Marshal(field.Default)
			w.err = errors.Join(w.err, err)
			out = w.append(out, w.text(string(value)))
		}
	}
	return out
}

// errTable is what a table that ends too early gives, or one that names a text or a type that it has not.
var errTable = errors.New("it must have the form that Table.Text writes")

// ReadTable reads what Text has written.
func ReadTable(text string) (*Table, error) {
	r := &tableReader{rest: text}
	r.texts = make([]string, r.count())
	for i := range r.texts {
		n := r.number()
		if n > uint64(len(r.rest)) {
			return nil, errTable
		}
		r.texts[i], r.rest = r.rest[:n], r.rest[n:]
	}
	types := make([]Type, r.count())
	if len(types) < 2 {
		return nil, errTable
	}
	// The two types that say nothing are those that the rest of the package knows.
	r.types = make([]*Type, len(types))
	for i := range types {
		r.types[i] = &types[i]
	}
	r.types[0], r.types[1] = untypedType, deducedType
	for i := range types {
		r.readType(&types[i])
	}
	t := &Table{Kubernetes: r.text(), Metadata: r.typeOf()}
	t.Kinds = make([]TableKind, r.count())
	for i := range t.Kinds {
		kind := &t.Kinds[i]
		kind.Group, kind.Version, kind.Kind, kind.Source = r.text(), r.text(), r.text(), r.text()
		kind.Type = r.typeOf()
	}
	if r.failed || r.rest != "" {
		return nil, errTable
	}
	return t, nil
}

type tableReader struct {
	rest     string
	texts    []string
	types    []*Type
	failed   bool
	defaults map[string]any
}

func (r *tableReader) number() uint64 {
	var n uint64
	for i := 0; i < len(r.rest) && i < binary.MaxVarintLen64; i++ {
		b := r.rest[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.rest = r.rest[i+1:]
			return n
		}
	}
	r.failed, r.rest = true, ""
	return 0
}

// count is the number of the things that follow, of which each takes a byte at least.
func (r *tableReader) count() int {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.failed, r.rest = true, ""
		return 0
	}
	return int(n)
}

func (r *tableReader) text() string {
	n := r.number()
	if n >= uint64(len(r.texts)) {
		r.failed = true
		return ""
	}
	return r.texts[n]
}

func (r *tableReader) typeOf() *Type {
	n := r.number()
	if n >= uint64(len(r.types)) {
		r.failed = true
		return untypedType
	}
	return r.types[n]
}

func (r *tableReader) readType(t *Type) {
	flags := r.number()
	if scalar := flags >> scalarShift; scalar < uint64(len(scalars)) {
		t.Scalar = scalars[scalar]
	}
	t.Name = r.text()
	if flags&hasMap != 0 {
		t.Map = r.readMap()
	}
	if flags&hasList != 0 {
		t.List = &List{Kind: ListKind(r.number()), Element: r.typeOf()}
		if n := r.count(); n > 0 {
			t.List.Keys = make([]string, n)
		}
		for i := range t.List.Keys {
			t.List.Keys[i] = r.text()
		}
	}
}

func (r *tableReader) readMap() *Map {
	flags := r.number()
	m := &Map{Atomic: flags&isAtomic != 0}
	if flags&hasElement != 0 {
		m.Element = r.typeOf()
	}
	m.Fields = make([]Field, r.count())
	for i := range m.Fields {
		field := &m.Fields[i]
		field.Name, field.Type = r.text(), r.typeOf()
		flags := r.number()
		field.Required = flags&isRequired != 0
		if flags&hasDefault != 0 {
			field.Default = r.readDefault(r.text())
		}
	}
	return m
}

// readDefault reads a default, once where many fields have it.
func (r *tableReader) readDefault(text string) any {
	if value, ok := r.defaults[text]; ok {
		return value
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		r.failed = true
		return nil
	}
	if r.defaults == nil {
		r.defaults = map[string]any{}
	}
	r.defaults[text] = value
	return value
}
