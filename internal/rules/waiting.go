package rules

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// manyRules is from how many rules on what they find may wait to be stripped.
const manyRules = 16

// waiting are fields that rules have found and that are not stripped yet: where thousands of rules
// strip a member each, its map is gone through once.
type waiting struct {
	locations []location.Location
	nodes     map[*tree.Node]bool
}

func (w *waiting) add(in *expr.Input, locations []location.Location) {
	if w.nodes == nil {
		w.nodes = map[*tree.Node]bool{}
	}
	for _, l := range locations {
		n := in.Root
		for _, step := range l {
			n = in.Lookup(n, step.Key)
		}
		w.nodes[n] = true
	}
	w.locations = append(w.locations, locations...)
}

// mayMatter tells whether an expression might find something else if nothing waited.
func (w *waiting) mayMatter(in *expr.Input, outcome expr.Match, err error) bool {
	switch {
	case len(w.locations) == 0:
		return false
	case err != nil:
		return true
	case len(outcome.Locations) == 0:
		return !in.WithoutHint
	}
	return slices.ContainsFunc(outcome.Locations, func(l location.Location) bool {
		n := in.Root
		return slices.ContainsFunc(l, func(step location.Step) bool {
			n = in.Lookup(n, step.Key)
			return w.nodes[n]
		})
	})
}

// strip strips what waits.
func (r *Resolver) strip() {
	if len(r.waiting.locations) == 0 {
		return
	}
	r.object.Remove(r.waiting.locations)
	r.waiting, r.view, r.secret = waiting{}, nil, nil
}
