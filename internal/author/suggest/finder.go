package suggest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// finder finds the places of paths in objects, which must not change meanwhile. It reads each map
// and list once, however many paths lead into it.
type finder struct {
	maps  map[*tree.Node]*members
	lists map[listField]map[string][]int
}

// members are those of a map.
type members struct {
	*tree.Members
	most int // how many names with dots between them its longest key has
}

// listField is a field of the elements of a list, its names joined.
type listField struct {
	list  *tree.Node
	field string
}

func newFinder() *finder {
	return &finder{maps: map[*tree.Node]*members{}, lists: map[listField]map[string][]int{}}
}

// find returns all the places of a path, from its step i on, in a node at a place, with the steps
// to them; duplicate elements of a list have several.
func (f *finder) find(p Path, n *tree.Node, i int, at location.Location, steps hint.Path) ([]location.Location, hint.Path) {
	if i == len(p.steps) {
		return []location.Location{at}, steps
	}
	s := p.steps[i]
	if s.Kind == hint.Key {
		all := f.membersOf(n)
		for end := p.names(i, all.most); end > i; end-- {
			key := p.joined(i, end)
			value := all.Get(key.Key)
			if value == nil {
				continue
			}
			if found, all := f.find(p, tree.Deref(value), end, at.With(location.Key(key.Key)), append(slices.Clip(steps), key)); len(found) > 0 {
				return found, all
			}
		}
		return nil, nil
	}
	var found []location.Location
	var path hint.Path
	elements := tree.Elements(n)
	candidates, by := f.candidates(s, n, elements)
	shortest := s
	if len(candidates) == 1 && by != nil { // the other conditions tell nothing apart
		shortest.Conditions = []hint.Condition{*by}
	}
	for _, index := range candidates {
		if !accepts(s, index, elements[index]) {
			continue
		}
		if more, all := f.find(p, tree.Deref(elements[index]), i+1, at.With(location.Index(index)), append(slices.Clip(steps), shortest)); len(more) > 0 {
			found, path = append(found, more...), all
		}
	}
	return found, path
}

func (f *finder) membersOf(n *tree.Node) *members {
	if known := f.maps[n]; known != nil {
		return known
	}
	all := &members{Members: &tree.Members{}}
	if tree.IsMap(n) {
		all.Members = tree.MembersOf(n)
	}
	for key := range tree.Entries(n) {
		all.most = max(all.most, 1+strings.Count(key, "."))
	}
	f.maps[n] = all
	return all
}

// candidates are the indices of the elements of a list that a step may lead to, and the condition
// that holds for these alone; nil for none.
func (f *finder) candidates(s hint.Step, list *tree.Node, elements []*tree.Node) ([]int, *hint.Condition) {
	if s.Kind == hint.Index {
		if i, err := strconv.Atoi(s.Key); err == nil && i < len(elements) {
			return []int{i}, nil
		}
		return nil, nil
	}
	if c, ok := lists.Find(s.Conditions, func(c hint.Condition) bool { return !isTCP(c) }); ok {
		return f.byValue(list, elements, c.Field)[c.Value], &c
	}
	all := make([]int, len(elements))
	for i := range all {
		all[i] = i
	}
	return all, nil
}

// byValue returns the indices of the elements of a list by the value of a field, or by their own of
// no field; it is "" where they have none.
func (f *finder) byValue(list *tree.Node, elements []*tree.Node, field []string) map[string][]int {
	key := listField{list, strings.Join(field, "\x00")}
	if known := f.lists[key]; known != nil {
		return known
	}
	all, at := map[string][]int{}, lists.Map(field, location.Key)
	for i, element := range elements {
		value := ""
		if n := location.At(element, at); n != nil {
			value = literalOf(n).value
		}
		all[value] = append(all[value], i)
	}
	f.lists[key] = all
	return all
}

// isTCP tells whether a condition is on the protocol that the API server sets where a port has
// none.
func isTCP(c hint.Condition) bool {
	return slices.Equal(c.Field, []string{"protocol"}) && c.Value == "TCP" && !c.IsBare
}

// accepts tells whether a step leads to an element of a list.
func accepts(s hint.Step, index int, element *tree.Node) bool {
	if s.Kind == hint.Index {
		return s.Key == strconv.Itoa(index)
	}
	for _, c := range s.Conditions {
		isDefault := isTCP(c) && tree.Lookup(tree.Deref(element), "protocol") == nil
		if !isDefault && !patchpath.TestOf(c).Accepts(element) {
			return false
		}
	}
	return true
}
