package managedfields

import (
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Counterparts finds the fields of one object in the live one.
type Counterparts struct {
	entries    []Entry
	ours, live *tree.Node
	// indices are those of the elements of live lists, by their names.
	indices map[*tree.Node]map[string]int
}

// NewCounterparts returns the Counterparts of an object and the live one, which has the entries.
func NewCounterparts(entries []Entry, ours, live *tree.Node) *Counterparts {
	return &Counterparts{entries: entries, ours: ours, live: live, indices: map[*tree.Node]map[string]int{}}
}

// Find returns the location in the live object for one of ours: the same place, except that
// elements of lists are found by the keys of the entries, else by their name, else by their value.
// It returns false if the live object does not have it.
func (c *Counterparts) Find(l location.Location) (location.Location, bool) {
	at := make(location.Location, 0, len(l))
	here, there := c.ours, c.live
	for _, step := range l {
		inner := location.At(here, location.Location{step})
		if step.IsIndex {
			index, ok := c.index(at, inner, tree.Deref(there))
			if !ok {
				return nil, false
			}
			step = location.Index(index)
		}
		at = append(at, step)
		if here, there = inner, location.At(there, location.Location{step}); there == nil {
			return nil, false
		}
	}
	return at, true
}

// index returns the index in the live list of the element that belongs to ours.
func (c *Counterparts) index(at location.Location, ours, list *tree.Node) (int, bool) {
	key := listkey.Of(ElementKeys(c.entries, at, c.live)...)
	if len(key) == 0 && tree.Lookup(ours, "name") != nil {
		key = listkey.Of("name")
	}
	name := func(element *tree.Node) string {
		if text, ok := key.Of(element); ok {
			return text
		}
		return listkey.Text(tree.Value(element))
	}
	known, ok := c.indices[list]
	if !ok {
		known = map[string]int{}
		for i, element := range tree.Elements(list) {
			if _, isThere := known[name(element)]; !isThere {
				known[name(element)] = i
			}
		}
		c.indices[list] = known
	}
	index, found := known[name(ours)]
	return index, found
}
