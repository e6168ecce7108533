package managedfields

import (
	"math/big"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// elementNames is how an entry identifies the elements of a list.
type elementNames struct {
	// keys are what names them, mostly one key; listkey.Value for a set.
	keys []listkey.Key
	// byIndex is true for a list that is neither a set nor has keys.
	byIndex bool
}

// ListKey returns the key by which the entries identify the elements of the list at a location, of
// which several managers can own one each; nil if the entries have none for it.
func ListKey(entries []Entry, list location.Location, root *tree.Node) listkey.Key {
	for _, entry := range entries {
		if keys := entry.namesIn(entry.at(list, root).inner).keys; len(keys) > 0 {
			return keys[0]
		}
	}
	return nil
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
	n.byIndex = n.byIndex || name.Index != nil
	key := listkey.Value
	switch {
	case name.Key != nil:
		key = listkey.Of(lists.Map(*name.Key, func(f value.Field) string { return f.Name })...)
	case name.Value == nil:
		return
	}
	if !slices.ContainsFunc(n.keys, func(known listkey.Key) bool { return known.String() == key.String() }) {
		n.keys = append(n.keys, key)
	}
}

// of returns the names that an element at an index may have.
func (n elementNames) of(element *tree.Node, index int) []fieldpath.PathElement {
	var names []fieldpath.PathElement
	for _, key := range n.keys {
		if len(key[0].At) == 0 {
			names = append(names, fieldpath.ValueElement(valueOf(element)))
			continue
		}
		fields := make([]value.Field, len(key)) // sorted by their names
		for i, field := range key {
			fields[i] = value.Field{Name: field.At[0].Key, Value: valueOf(field.Find(element))}
		}
		names = append(names, fieldpath.KeyElement(fields...))
	}
	if n.byIndex {
		names = append(names, fieldpath.IndexElement(index))
	}
	return names
}

// valueOf returns the data of n. A whole number that has no Go type is its text.
func valueOf(n *tree.Node) value.Value {
	data := tree.Value(n)
	if number, ok := data.(*big.Int); ok {
		data = number.String()
	}
	return value.NewValueInterface(data)
}

// Counterparts finds the fields of one object in the live one.
type Counterparts struct {
	entries []Entry
	live    *tree.Node
	// here and there read the object and the live one.
	here, there *location.Reader
	// indices are those of the elements of live lists, by their names.
	indices map[indexedBy]map[string]int
}

// indexedBy is a live list whose elements are found by their name, or by the keys of the entries or
// their value: a list may have elements with a name and others without.
type indexedBy struct {
	list *tree.Node
	name bool
}

// NewCounterparts returns the Counterparts of an object and the live one, which has the entries.
func NewCounterparts(entries []Entry, ours, live *tree.Node) *Counterparts {
	return &Counterparts{
		entries: entries, live: live, here: location.NewReader(ours), there: location.NewReader(live), indices: map[indexedBy]map[string]int{},
	}
}

// Find returns the location in the live object for one of ours: the same place, except that
// elements of lists are found by the keys of the entries, else by their name, else by their value.
// It returns false if the live object does not have it.
func (c *Counterparts) Find(l location.Location) (location.Location, bool) {
	if kept := stored(c.live, l); len(l) == 2 && location.Compare(kept, l) != 0 {
		return kept, c.there.At(kept) != nil
	}
	at := make(location.Location, 0, len(l))
	here, there := c.here.At(nil), c.there.At(nil)
	for _, step := range l {
		here = c.here.Next(here, step)
		if step.IsIndex {
			index, ok := c.index(at, here, there)
			if !ok {
				return nil, false
			}
			step = location.Index(index)
		}
		at = append(at, step)
		if there = c.there.Next(there, step); there == nil {
			return nil, false
		}
	}
	return at, true
}

// stored returns where the API server keeps a field of an object: the stringData of a Secret in
// data.
func stored(root *tree.Node, l location.Location) location.Location {
	if len(l) > 0 && l[0].Key == "stringData" && redact.IsSecretObject(root) {
		return append(location.Location{location.Key("data")}, l[1:]...)
	}
	return l
}

// index returns the index in the live list of the element that belongs to ours.
func (c *Counterparts) index(at location.Location, ours, list *tree.Node) (int, bool) {
	key := ListKey(c.entries, at, c.live)
	by := indexedBy{list: list, name: len(key) == 0 && tree.Lookup(ours, "name") != nil}
	if by.name {
		key = listkey.Of("name")
	}
	name := func(element *tree.Node) string {
		if text, ok := key.Of(element); ok {
			return text
		}
		return listkey.Text(tree.Value(element))
	}
	known, ok := c.indices[by]
	if !ok {
		known = map[string]int{}
		for i, element := range tree.Elements(list) {
			if _, isThere := known[name(element)]; !isThere {
				known[name(element)] = i
			}
		}
		c.indices[by] = known
	}
	index, found := known[name(ours)]
	return index, found
}
