package object

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// Was returns where the place at a location of the edited data was in the data
// that came in; false where it was not there.
func (o *Object) Was(l locate.Location) (locate.Location, bool) {
	return o.translate(l, o.Root(), o.Original())
}

// Now returns where the place at a location of the data that came in is in the
// edited data; false where it is gone.
func (o *Object) Now(l locate.Location) (locate.Location, bool) {
	return o.translate(l, o.Original(), o.Root())
}

// translate follows a location of the tree from in the tree to. Keys stay;
// list elements are found by identity.
func (o *Object) translate(l locate.Location, from, to *yaml.Node) (locate.Location, bool) {
	translated := make(locate.Location, 0, len(l))
	for _, step := range l {
		next := step
		if step.IsIndex {
			here := tree.Elements(from)
			if step.Index >= len(here) {
				return nil, false
			}
			if next.Index = o.positionIn(to, here[step.Index]); next.Index < 0 {
				return nil, false
			}
		}
		translated = append(translated, next)
		from, to = o.child(from, step), o.child(to, next)
		if from == nil || to == nil {
			return nil, false
		}
	}
	return translated, true
}

// positionIn returns the index in a list of the element n of another state of
// the object: of itself, of what it was copied from, or of its copy; or -1.
func (o *Object) positionIn(list, n *yaml.Node) int {
	list = tree.Deref(list)
	p, ok := o.places[list]
	if !ok {
		elements := tree.Elements(list)
		p = indicesOf(elements)
		for i, element := range elements {
			if origin, ok := o.origins[element]; ok {
				p[origin] = i
			}
		}
		if o.places == nil {
			o.places = map[*yaml.Node]indices{}
		}
		o.places[list] = p
	}
	if i, ok := p.of(n, o.origins); ok {
		return i
	}
	return -1
}

// manyMembers is the number of members of a map from which on a table is faster
// than a look at each.
const manyMembers = 100

// child returns what a step leads to from n, or nil.
func (o *Object) child(n *yaml.Node, step locate.Step) *yaml.Node {
	n = tree.Deref(n)
	if step.IsIndex || n == nil || len(n.Content) < 2*manyMembers {
		return locate.At(n, locate.Location{step})
	}
	members, ok := o.members[n]
	if !ok {
		members = make(map[string]*yaml.Node, len(n.Content)/2)
		for key, value := range tree.Entries(n) {
			members[key] = tree.Deref(value)
		}
		if o.members == nil {
			o.members = map[*yaml.Node]map[string]*yaml.Node{}
		}
		o.members[n] = members
	}
	return members[step.Key]
}
