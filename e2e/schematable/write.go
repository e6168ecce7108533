package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// write returns the table in the format of schema.ReadTable. Equal types without a name are written
// once.
func write(t *schema.Table) ([]byte, error) {
	w := &tableWriter{texts: map[string]uint64{}, types: map[*schema.Type]uint64{}, alike: map[string]uint64{}}
	kinds := w.append(nil, w.typeOf(schema.AtomicAny()), w.typeOf(schema.Any()))[:0]
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
	return append(out, kinds...), w.err
}

type tableWriter struct {
	all    []string
	texts  map[string]uint64
	bodies [][]byte
	types  map[*schema.Type]uint64
	alike  map[string]uint64 // from the body of a type without a name to its number
	open   []*schema.Type    // types with a number but no body yet
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

// typeOf is the number of a type. Types that may contain themselves have a name, except the two
// empty ones.
func (w *tableWriter) typeOf(t *schema.Type) uint64 {
	if n, ok := w.types[t]; ok {
		return n
	}
	var body []byte
	if t.Name == "" && t != schema.Any() && t != schema.AtomicAny() {
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

func (w *tableWriter) encode(t *schema.Type) []byte {
	flags := uint64(slices.Index(schema.Scalars, t.Scalar)) << schema.ScalarShift
	if t.Map != nil {
		flags |= schema.FlagMap
	}
	if t.List != nil {
		flags |= schema.FlagList
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

func (w *tableWriter) encodeMap(out []byte, m *schema.Map) []byte {
	var flags uint64
	if m.Atomic {
		flags |= schema.FlagAtomic
	}
	if m.Element != nil {
		flags |= schema.FlagElement
	}
	out = w.append(out, flags)
	if m.Element != nil {
		out = w.append(out, w.typeOf(m.Element))
	}
	out = w.append(out, uint64(len(m.Fields)))
	for _, field := range m.Fields {
		flags = 0
		if field.Required {
			flags |= schema.FlagRequired
		}
		if field.Default != nil {
			flags |= schema.FlagDefault
		}
		if field.OmitsZero {
			flags |= schema.FlagOmitsZero
		}
		if field.IsWritten {
			flags |= schema.FlagWritten
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
