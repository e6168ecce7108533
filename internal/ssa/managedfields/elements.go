package managedfields

import (
	"math/big"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// elementNames is how an entry identifies the elements of a list.
type elementNames struct {
	// keys are the fields that name them, mostly one list of fields.
	keys [][]string
	// byValue is true for a set, byIndex for a list that is neither a set nor has keys.
	byValue, byIndex bool
}

// namesIn returns how the fields of a list identify its elements.
func (e Entry) namesIn(fields *fieldpath.Set) elementNames {
	if fields == nil {
		return elementNames{}
	}
	names, ok := e.names[fields]
	if !ok {
		fields.Members.Iterate(names.add)
		fields.Children.Iterate(names.add)
		e.names[fields] = names
	}
	return names
}

func (n *elementNames) add(name fieldpath.PathElement) {
	switch {
	case name.Key != nil:
		var keys []string
		for _, field := range *name.Key {
			keys = append(keys, field.Name)
		}
		if !slices.ContainsFunc(n.keys, func(known []string) bool { return slices.Equal(known, keys) }) {
			n.keys = append(n.keys, keys)
		}
	case name.Value != nil:
		n.byValue = true
	case name.Index != nil:
		n.byIndex = true
	}
}

// of returns the names that an element at an index may have.
func (n elementNames) of(element *tree.Node, index int) []fieldpath.PathElement {
	var names []fieldpath.PathElement
	for _, keys := range n.keys {
		names = append(names, byKeys(keys, element))
	}
	if n.byIndex {
		names = append(names, fieldpath.IndexElement(index))
	}
	if n.byValue {
		names = append(names, fieldpath.ValueElement(valueOf(element)))
	}
	return names
}

// byKeys identifies an element by some of its fields, which are sorted. An omitted protocol is TCP,
// as the API server defaults it.
func byKeys(keys []string, element *tree.Node) fieldpath.PathElement {
	fields := make([]value.Field, len(keys))
	for i, key := range keys {
		data := valueOf(tree.Lookup(element, key))
		if data.IsNull() && key == "protocol" {
			data = value.NewValueInterface("TCP")
		}
		fields[i] = value.Field{Name: key, Value: data}
	}
	return fieldpath.KeyElement(fields...)
}

// valueOf returns the data of n. A whole number that has no Go type is its text.
func valueOf(n *tree.Node) value.Value {
	data := tree.Value(n)
	if number, ok := data.(*big.Int); ok {
		data = number.String()
	}
	return value.NewValueInterface(data)
}
