package hint

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// mark is what distinguishes one element of a list: the values of one or two fields in it. The
// empty location is the element itself.
type mark struct {
	places []location.Location
	values []*tree.Node
}

// Named is the path of a location of root that names the elements of lists by their content: by
// name, or by other fields with unique values. It uses no values for which hides is true.
type Named struct {
	Path
	// ByIndex are the lists on the way whose element only its index identifies.
	ByIndex []location.Location
	// ByPair are those whose element only two keys identify.
	ByPair []location.Location
}

// Name returns the path of the place at a location of root.
func Name(root *tree.Node, l location.Location, hides func(location.Location, *tree.Node) bool) Named {
	named := Named{Path: Of(l)}
	for i, step := range l {
		if !step.IsIndex {
			continue
		}
		list := list{elements: tree.Elements(location.At(root, l[:i])), index: step.Index}
		list.hides = func(place location.Location, n *tree.Node) bool { return hides(slices.Concat(l[:i+1], place), n) }
		m, ok := list.mark(l[i+1:])
		if !ok {
			named.ByIndex = append(named.ByIndex, l[:i])
			continue
		}
		if len(m.places) > 1 {
			named.ByPair = append(named.ByPair, l[:i])
		}
		filter := Step{Kind: Filter, Position: named.Path[i].Key}
		for j, place := range m.places {
			value := tree.Deref(m.values[j])
			names := lists.Map(place, func(step location.Step) string { return step.Key })
			filter.Conditions = append(filter.Conditions, Condition{Field: names, Value: value.Text(), IsBare: tree.Type(value) != tree.String})
		}
		named.Path[i] = filter
	}
	return named
}

// list is a list, one element of which needs a mark.
type list struct {
	elements []*tree.Node
	index    int
	// hides tells whether a value at a place in the element must not be shown.
	hides func(place location.Location, n *tree.Node) bool
}

// mark returns what the element alone has, best a value that is not in the field that is to be
// named.
func (s list) mark(field location.Location) (mark, bool) {
	element := tree.Deref(s.elements[s.index])
	if !tree.IsMap(element) {
		m := mark{places: []location.Location{nil}, values: []*tree.Node{element}}
		return m, s.identifies(m)
	}
	places, others := listkey.Scalars(element)
	for _, place := range others {
		if tree.Type(location.At(element, place)) == tree.String && !field.Contains(place) {
			places = append(places, place)
		}
	}
	for _, place := range places {
		if m := markAt(element, place); !listkey.IsWeak(place) && s.identifies(m) {
			return m, true
		}
	}
	for i, place := range places {
		for _, other := range places[:i] {
			if m := markAt(element, other, place); s.identifies(m) {
				return m, true
			}
		}
	}
	return mark{}, false
}

func markAt(element *tree.Node, places ...location.Location) mark {
	return mark{places: places, values: lists.Map(places, func(l location.Location) *tree.Node { return location.At(element, l) })}
}

// identifies tells whether the element has the mark and no other has it. The fields of the others
// must be missing or have the same types, so that they can be compared with it.
func (s list) identifies(m mark) bool {
	for i, value := range m.values {
		if !isMarkValue(value) || s.hides(m.places[i], value) {
			return false
		}
	}
	for i, other := range s.elements {
		if i == s.index {
			continue
		}
		differs := false
		for j, place := range m.places {
			value := location.At(other, place)
			if len(place) > 0 && !tree.IsMap(tree.Deref(other)) || value != nil && tree.Type(value) != tree.Type(m.values[j]) {
				return false
			}
			differs = differs || value == nil || !tree.Equal(value, m.values[j])
		}
		if !differs {
			return false
		}
	}
	return true
}

// isMarkValue tells whether a value can be written in every dialect: a text, a whole number, a
// boolean.
func isMarkValue(n *tree.Node) bool {
	switch n = tree.Deref(n); tree.Type(n) {
	case tree.String, tree.Boolean:
		return true
	case tree.Number:
		return location.IsDigits(n.Text()) && (n.Text() == "0" || n.Text()[0] != '0')
	}
	return false
}
