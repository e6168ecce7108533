package object

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// RemoveOriginal is Remove for locations of the input data; those that are removed are skipped.
func (o *Object) RemoveOriginal(locations []location.Location) {
	var now []location.Location
	for _, l := range locations {
		if edited, ok := o.EditedLocation(l); ok {
			now = append(now, edited)
		}
	}
	o.Remove(now)
}

// Remove removes the values at the locations; a location without a value is skipped. Locations are
// those of the state before the call, and one inside another counts once.
func (o *Object) Remove(locations []location.Location) {
	var few [4]removal // most calls remove from so few maps and lists
	var fewParents [len(few)]*tree.Node
	going, parents := o.removals(few[:0], location.Outermost(locations)), fewParents[:0]
	for _, r := range going {
		parents = append(parents, o.own(r.parent))
	}
	for i, r := range going {
		if parents[i].Kind == tree.SequenceNode {
			parents[i].Content = r.withoutElements(parents[i].Content)
			continue
		}
		o.removeMembers(parents[i], r)
	}
}

// removal is what to remove from one map or list.
type removal struct {
	parent location.Location
	// Both are sorted.
	keys    []string
	indices []int
}

func (r removal) hasKey(key string) bool {
	_, found := slices.BinarySearch(r.keys, key)
	return found
}

// removals appends the removals for the locations, which are sorted.
func (o *Object) removals(all []removal, locations []location.Location) []removal {
	around := make([]int, 0, 8) // the open removals, from the outside, whose parents may hold the next location
	for _, l := range locations {
		if len(l) == 0 {
			continue
		}
		parent, last := l[:len(l)-1], l[len(l)-1]
		for len(around) > 0 && !all[around[len(around)-1]].parent.Contains(parent) {
			around = around[:len(around)-1]
		}
		if len(around) == 0 || len(all[around[len(around)-1]].parent) < len(parent) {
			around = append(around, len(all))
			all = append(all, removal{parent: parent})
		}
		r := &all[around[len(around)-1]]
		if last.IsIndex {
			r.indices = append(r.indices, last.Index)
		} else {
			r.keys = append(r.keys, last.Key)
		}
	}
	return slices.DeleteFunc(all, func(r removal) bool { return !r.finds(o.At(r.parent)) })
}

// finds tells whether the node at the parent has anything to remove.
func (r removal) finds(parent *tree.Node) bool {
	if tree.IsList(parent) {
		return slices.ContainsFunc(r.indices, func(i int) bool { return i >= 0 && i < len(parent.Content) })
	}
	for key := range tree.Entries(parent) {
		if r.hasKey(key) {
			return true
		}
	}
	return false
}

func (r removal) withoutElements(elements []*tree.Node) []*tree.Node {
	left := elements[:0]
	for i, element := range elements {
		if _, gone := slices.BinarySearch(r.indices, i); !gone {
			left = append(left, element)
		}
	}
	clear(elements[len(left):])
	return left
}

// removeMembers removes members from the map m. If a merge key provides one of them, also behind a
// member of m's own, the merged members replace the merge keys.
func (o *Object) removeMembers(m *tree.Node, r removal) {
	m.Content = r.withoutMembers(m.Content)
	delete(o.keys, m)
	if !tree.HasMerge(m) {
		return
	}
	for key := range tree.Entries(m) {
		if r.hasKey(key) {
			m.Content = r.withoutMembers(expanded(m))
			return
		}
	}
}

// withoutMembers returns the members of a map without its own ones that are removed.
func (r removal) withoutMembers(members []*tree.Node) []*tree.Node {
	left := members[:0]
	for i := 0; i+1 < len(members); i += 2 {
		if key := members[i]; tree.IsMergeKey(key) || !r.hasKey(tree.Deref(key).Text()) {
			left = append(left, key, members[i+1])
		}
	}
	clear(members[len(left):])
	return left
}
