package object

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// step is one step, in the order of the edited collection: an entry of the old collection stays
// (value nil or the new value) or is removed, or a new one is added.
type step struct {
	old   int // the index of the old entry, -1 for a new one
	gone  bool
	key   *tree.Node
	value *tree.Node
}

func (s *splicer) plan(p step) { s.steps = append(s.steps, p) }

func (s *splicer) planMembers(old, edited *tree.Node) {
	var keys tree.KeyTable
	next := 0
	for i := 0; i+1 < len(edited.Content); i += 2 {
		key, value := edited.Content[i], edited.Content[i+1]
		if 2*next < len(old.Content) && key == old.Content[2*next] {
			s.plan(step{old: next, value: value})
			next++
			continue
		}
		at := keys.Index(old.Content, tree.Deref(key).Text())
		if at < 0 {
			s.plan(step{old: -1, key: key, value: value})
			continue
		}
		if at/2 < next { // its place has changed
			s.plan(step{old: -1, key: key, value: value})
			continue
		}
		for ; next < at/2; next++ {
			s.plan(step{old: next, gone: true})
		}
		s.plan(step{old: next, value: value})
		next++
	}
	for ; next < len(old.Content)/2; next++ {
		s.plan(step{old: next, gone: true})
	}
}

// planElements aligns the elements by identity. Between two that stay, removed and new ones are
// paired in order, as replacements.
func (s *splicer) planElements(old, edited *tree.Node) {
	var fresh []*tree.Node
	next := 0
	flush := func(until int) {
		for next < until && len(fresh) > 0 {
			s.plan(step{old: next, value: fresh[0]})
			next, fresh = next+1, fresh[1:]
		}
		for ; next < until; next++ {
			s.plan(step{old: next, gone: true})
		}
		for _, value := range fresh {
			s.plan(step{old: -1, value: value})
		}
		fresh = nil
	}
	before := indicesOf(old.Content)
	for _, element := range edited.Content {
		at, stays := before.of(element, s.origins)
		if !stays || at < next {
			fresh = append(fresh, element)
			continue
		}
		flush(at)
		s.plan(step{old: next, value: element})
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
		_, stays := before.of(n, s.origins)
		return stays
	})
}
