package jqpath

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxSteps is how many steps are taken in one object. What takes more is left to the guard of jq.
const maxSteps = 1_000_000

// stepper evaluates the steps of a simple jq expression on YAML nodes.
type stepper struct {
	budget    dialect.Budget
	locations []location.Location
	// null is the first place that is there and null; nil for none.
	null location.Location
}

// evaluateSteps returns what the steps select, in the order of jq, without places that are missing
// or null. It is false if a step fails or takes too much work; then jq evaluates the expression.
func evaluateSteps(root *yaml.Node, steps []jq.Step) ([]location.Location, bool) {
	s := stepper{budget: dialect.Budget{Left: maxSteps}}
	var space [dialect.UsualDepth]location.Step
	ok := s.follow(root, space[:0], steps)
	return s.locations, ok
}

// follow takes the steps from n, which is nil if nothing is there. It overwrites what follows the
// location's steps in their array.
func (s *stepper) follow(n *yaml.Node, at location.Location, steps []jq.Step) bool {
	n = tree.Deref(n)
	if len(steps) == 0 {
		return s.found(n, at)
	}
	if !s.budget.Spend(1) {
		return false
	}
	step, rest := steps[0], steps[1:]
	switch step.Kind {
	case jq.SelectStep:
		holds, ok := s.holds(n, step.Condition)
		return ok && (!holds || s.follow(n, at, rest))
	case jq.EachStep:
		return s.each(n, at, step, rest)
	}
	switch {
	case tree.Type(n) == tree.Null:
		return s.follow(nil, at, rest)
	case step.Kind == jq.FieldStep && tree.IsMap(n):
		return s.follow(tree.Lookup(n, step.Key), append(at, location.Key(step.Key)), rest)
	case step.Kind == jq.IndexStep && tree.IsList(n):
		return s.element(n, at, step.Index, rest)
	case step.Kind == jq.IndexStep && tree.Type(n) == tree.String:
		// jq goes to a character of it, which is no place.
		return false
	}
	return step.Optional
}

// each goes on from the elements of a list or the members of a map.
func (s *stepper) each(n *yaml.Node, at location.Location, step jq.Step, rest []jq.Step) bool {
	switch {
	case tree.IsMap(n):
		return s.members(n, at, rest)
	case !tree.IsList(n):
		return step.Optional
	}
	for i, element := range n.Content {
		if !s.follow(element, append(at, location.Index(i)), rest) {
			return false
		}
	}
	return true
}

func (s *stepper) element(list *yaml.Node, at location.Location, i int, rest []jq.Step) bool {
	if i < 0 {
		i += len(list.Content)
	}
	if i < 0 || i >= len(list.Content) {
		return s.follow(nil, at, rest)
	}
	return s.follow(list.Content[i], append(at, location.Index(i)), rest)
}

func (s *stepper) members(object *yaml.Node, at location.Location, rest []jq.Step) bool {
	members := maps.Collect(tree.Entries(object))
	if !s.budget.Spend(len(members)) {
		return false
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if !s.follow(members[key], append(at, location.Key(key)), rest) {
			return false
		}
	}
	return true
}

// found keeps the place of n.
func (s *stepper) found(n *yaml.Node, at location.Location) bool {
	if tree.Type(n) == tree.Null {
		if n != nil && s.null == nil {
			s.null = slices.Clone(at)
		}
		return true
	}
	s.locations = append(s.locations, slices.Clone(at))
	return s.budget.Spend(dialect.PlaceWork)
}

// holds tells whether the condition holds for n, and false for ok where a field is looked for in
// what is no map.
func (s *stepper) holds(n *yaml.Node, c jq.Condition) (holds, ok bool) {
	if !s.budget.Spend(len(c.Fields)) {
		return false, false
	}
	n, ok = lookUp(n, c.Fields)
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
