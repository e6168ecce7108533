package object

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// editStep is one step, in the order of the edited collection: an entry of the old collection stays
// with its value or a new one, or is removed, or a new one is added.
type editStep struct {
	old   int // the index of the old entry, -1 for a new one
	gone  bool
	key   *tree.Node
	value *tree.Node
}

// plan returns the steps from a collection to its edited copy.
func (s *splicer) plan(old, edited *tree.Node) []editStep {
	first := len(s.steps)
	if old.Kind == tree.MappingNode {
		s.planMembers(old, edited)
	} else {
		s.planElements(old, edited)
	}
	return s.steps[first:len(s.steps):len(s.steps)]
}

func (s *splicer) planMembers(old, edited *tree.Node) {
	var keys tree.KeyTable
	next := 0
	for i := 0; i+1 < len(edited.Content); i += 2 {
		key, value := edited.Content[i], edited.Content[i+1]
		at := 2 * next
		if at >= len(old.Content) || key != old.Content[at] {
			at = keys.Index(old.Content, tree.Deref(key).Text())
		}
		if at < 2*next { // it is new, or its place has changed
			s.steps = append(s.steps, editStep{old: -1, key: key, value: value})
			continue
		}
		for ; next < at/2; next++ {
			s.steps = append(s.steps, editStep{old: next, gone: true})
		}
		s.steps = append(s.steps, editStep{old: next, value: value})
		next++
	}
	for ; next < len(old.Content)/2; next++ {
		s.steps = append(s.steps, editStep{old: next, gone: true})
	}
}

// planElements aligns the elements by identity. Between two that stay, removed and new ones are
// paired in order, as replacements.
func (s *splicer) planElements(old, edited *tree.Node) {
	var fresh []*tree.Node
	next := 0
	flush := func(until int) {
		for ; next < until && len(fresh) > 0; next++ {
			s.steps = append(s.steps, editStep{old: next, value: fresh[0]})
			fresh = fresh[1:]
		}
		for ; next < until; next++ {
			s.steps = append(s.steps, editStep{old: next, gone: true})
		}
		for _, value := range fresh {
			s.steps = append(s.steps, editStep{old: -1, value: value})
		}
		fresh = nil
	}
	before := indicesOf(old.Content)
	for _, element := range edited.Content {
		at, stays := s.indexIn(before, element)
		if !stays || at < next {
			fresh = append(fresh, element)
			continue
		}
		flush(at)
		s.steps = append(s.steps, editStep{old: next, value: element})
		next++
	}
	flush(len(old.Content))
}

// anyStays tells whether the edited collection has an entry of the old one.
func (s *splicer) anyStays(old, edited *tree.Node) bool {
	if old.Kind == tree.MappingNode {
		var keys tree.KeyTable
		for i := 0; i < len(edited.Content); i += 2 {
			if keys.Index(old.Content, tree.Deref(edited.Content[i]).Text()) >= 0 {
				return true
			}
		}
		return false
	}
	before := indicesOf(old.Content)
	return slices.ContainsFunc(edited.Content, func(n *tree.Node) bool {
		_, stays := s.indexIn(before, n)
		return stays
	})
}

// indexIn returns the index of the element whose place n has, and whether there is one.
func (s *splicer) indexIn(before indices, n *tree.Node) (int, bool) {
	if i, ok := before.of(n, s.origins); ok {
		return i, true
	}
	if origin, ok := s.origins[n]; ok {
		n = origin
	}
	i, ok := before[s.seats[n]]
	return i, ok
}

// indices has the index of each entry of a collection, since a search for each entry takes too long
// in a list of thousands.
type indices map[*tree.Node]int

func indicesOf(entries []*tree.Node) indices {
	p := make(indices, len(entries))
	for i, n := range entries {
		p[n] = i
	}
	return p
}

// of returns the index of the entry that n is, or is an edited copy of, and whether there is one.
func (p indices) of(n *tree.Node, origins map[*tree.Node]*tree.Node) (int, bool) {
	if i, ok := p[n]; ok {
		return i, true
	}
	i, ok := p[origins[n]]
	return i, ok
}
