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
	here      Location
	locations []Location
}

// goSteps returns what the steps lead to, as jq has it: in its order, without
// places that are missing or null. It tells false where a step fails or the work
// is too much, so that jq itself must say how it ends.
func goSteps(root *yaml.Node, steps []jq.Step) ([]Location, bool) {
	s := stepper{budget: &budget{left: maxSteps}}
	ok := s.follow(root, steps)
	return s.locations, ok
}

// follow takes the steps from n, which is nil for what is missing.
func (s *stepper) follow(n *yaml.Node, steps []jq.Step) bool {
	n = tree.Deref(n)
	if len(steps) == 0 {
		return s.found(n)
	}
	if !s.budget.spend(1) {
		return false
	}
	step, rest := steps[0], steps[1:]
	switch {
	case step.Kind == jq.SelectStep:
		holds, ok := s.holds(n, step.Condition)
		return ok && (!holds || s.follow(n, rest))
	case step.Kind == jq.FieldStep && tree.IsMap(n):
		return s.into(Key(step.Key), tree.Lookup(n, step.Key), rest)
	case step.Kind == jq.IndexStep && tree.IsList(n):
		return s.element(n, step.Index, rest)
	case step.Kind == jq.EachStep && tree.IsList(n):
		for i, element := range n.Content {
			if !s.into(Index(i), element, rest) {
				return false
			}
		}
		return true
	case step.Kind == jq.EachStep && tree.IsMap(n):
		return s.members(n, rest)
	case step.Kind != jq.EachStep && tree.Type(n) == tree.Null:
		return s.follow(nil, rest)
	case step.Kind == jq.IndexStep && tree.Type(n) == tree.String:
		// jq goes to a character of it, which is no place.
		return false
	}
	return step.Optional
}

func (s *stepper) into(step Step, n *yaml.Node, rest []jq.Step) bool {
	if s.here == nil {
		s.here = make(Location, 0, 1+len(rest))
	}
	s.here = append(s.here, step)
	ok := s.follow(n, rest)
	s.here = s.here[:len(s.here)-1]
	return ok
}

func (s *stepper) element(list *yaml.Node, i int, rest []jq.Step) bool {
	if i < 0 {
		i += len(list.Content)
	}
	if i < 0 || i >= len(list.Content) {
		return s.follow(nil, rest)
	}
	return s.into(Index(i), list.Content[i], rest)
}

func (s *stepper) members(object *yaml.Node, rest []jq.Step) bool {
	members := maps.Collect(tree.Entries(object))
	if !s.budget.spend(len(members)) {
		return false
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if !s.into(Key(key), members[key], rest) {
			return false
		}
	}
	return true
}

// found keeps the place of n.
func (s *stepper) found(n *yaml.Node) bool {
	if tree.Type(n) == tree.Null {
		return true
	}
	s.locations = append(s.locations, slices.Clone(s.here))
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
