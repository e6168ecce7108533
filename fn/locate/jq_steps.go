package locate

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// maxSteps is how many steps are taken in one object. What takes more is left to
// the guard of jq.
const maxSteps = 1_000_000

// stepper goes the steps of a simple jq expression in the nodes.
type stepper struct {
	budget    *budget
	locations []Location
	// null is the first place that is there and null; nil for none.
	null Location
}

// goSteps returns what the steps lead to, as jq has it: in its order, without
// places that are missing or null. It tells false where a step fails or the work
// is too much, so that jq itself must say how it ends.
func goSteps(root *yaml.Node, steps []jq.Step) ([]Location, bool) {
	s := stepper{budget: &budget{left: maxSteps}}
	var space [usualDepth]Step
	ok := s.follow(root, space[:0], steps)
	return s.locations, ok
}

// follow takes the steps from n, which is at a location and nil for what is
// missing. It writes behind the location's steps.
func (s *stepper) follow(n *yaml.Node, at Location, steps []jq.Step) bool {
	n = tree.Deref(n)
	if len(steps) == 0 {
		return s.found(n, at)
	}
	if !s.budget.spend(1) {
		return false
	}
	step, rest := steps[0], steps[1:]
	switch {
	case step.Kind == jq.SelectStep:
		holds, ok := s.holds(n, step.Condition)
		return ok && (!holds || s.follow(n, at, rest))
	case step.Kind == jq.FieldStep && tree.IsMap(n):
		return s.follow(tree.Lookup(n, step.Key), append(at, Key(step.Key)), rest)
	case step.Kind == jq.IndexStep && tree.IsList(n):
		return s.element(n, at, step.Index, rest)
	case step.Kind == jq.EachStep && tree.IsList(n):
		for i, element := range n.Content {
			if !s.follow(element, append(at, Index(i)), rest) {
				return false
			}
		}
		return true
	case step.Kind == jq.EachStep && tree.IsMap(n):
		return s.members(n, at, rest)
	case step.Kind != jq.EachStep && tree.Type(n) == tree.Null:
		return s.follow(nil, at, rest)
	case step.Kind == jq.IndexStep && tree.Type(n) == tree.String:
		// jq goes to a character of it, which is no place.
		return false
	}
	return step.Optional
}

func (s *stepper) element(list *yaml.Node, at Location, i int, rest []jq.Step) bool {
	if i < 0 {
		i += len(list.Content)
	}
	if i < 0 || i >= len(list.Content) {
		return s.follow(nil, at, rest)
	}
	return s.follow(list.Content[i], append(at, Index(i)), rest)
}

func (s *stepper) members(object *yaml.Node, at Location, rest []jq.Step) bool {
	members := maps.Collect(tree.Entries(object))
	if !s.budget.spend(len(members)) {
		return false
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if !s.follow(members[key], append(at, Key(key)), rest) {
			return false
		}
	}
	return true
}

// found keeps the place of n.
func (s *stepper) found(n *yaml.Node, at Location) bool {
	if tree.Type(n) == tree.Null {
		if n != nil && s.null == nil {
			s.null = slices.Clone(at)
		}
		return true
	}
	s.locations = append(s.locations, slices.Clone(at))
	return s.budget.spend(placeWork)
}

// holds tells whether the condition holds for n, and false for ok where a field
// is looked for in what is no map.
func (s *stepper) holds(n *yaml.Node, c jq.Condition) (holds, ok bool) {
	if !s.budget.spend(len(c.Fields)) {
		return false, false
	}
	n, ok = alongFields(n, c.Fields)
	n = tree.Deref(n)
	switch {
	case !ok:
		return false, false
	case n == nil:
		return c.Holds(nil), true
	case n.Kind != yaml.ScalarNode:
		// A list or an object is no literal.
		return c.Negated, true
	}
	return c.Holds(tree.Scalar(n)), true
}
