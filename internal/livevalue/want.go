package livevalue

import (
	"maps"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// want is a set of locations, as a tree of their steps. A nil want is empty.
type want struct {
	// end is true if a location ends here; by is the number of the expression that named it.
	end      bool
	by       int
	children map[location.Step]*want
}

// wantOf returns the tree of locations. If two name one place, the first counts.
func wantOf(all []Named) *want {
	root := &want{}
	for _, named := range all {
		at := root
		for _, step := range named.At {
			next := at.children[step]
			if next == nil {
				next = &want{}
				if at.children == nil {
					at.children = map[location.Step]*want{}
				}
				at.children[step] = next
			}
			at = next
		}
		if !at.end {
			at.end, at.by = true, named.By
		}
	}
	return root
}

func (w *want) isEnd() bool { return w != nil && w.end }

// hasAll tells whether each element of a list that has some is wanted as a whole.
func (w *want) hasAll(list *tree.Node) bool {
	for i := range list.Content {
		if !w.child(location.Index(i)).isEnd() {
			return false
		}
	}
	return len(list.Content) > 0
}

func (w *want) child(step location.Step) *want {
	if w == nil {
		return nil
	}
	return w.children[step]
}

// first returns the number of the expression that named a location in the tree.
func (w *want) first() int {
	for w != nil && !w.end && len(w.children) > 0 {
		w = w.children[steps(w, nil)[0]]
	}
	if w == nil {
		return 0
	}
	return w.by
}

// steps returns the first steps of both trees, sorted.
func steps(a, b *want) []location.Step {
	var all []location.Step
	for _, w := range []*want{a, b} {
		if w != nil {
			all = slices.AppendSeq(all, maps.Keys(w.children))
		}
	}
	slices.SortFunc(all, func(a, b location.Step) int { return location.Compare(location.Location{a}, location.Location{b}) })
	return slices.Compact(all)
}

// merged adds the locations of other to a copy of w.
func merged(w, other *want) *want {
	if w == nil {
		return other
	}
	if other == nil {
		return w
	}
	both := &want{end: w.end || other.end, by: w.by, children: maps.Clone(w.children)}
	for step, child := range other.children {
		if both.children == nil {
			both.children = map[location.Step]*want{}
		}
		both.children[step] = merged(both.children[step], child)
	}
	return both
}
