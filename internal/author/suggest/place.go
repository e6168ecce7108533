package suggest

import (
	"slices"
	"strconv"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// pairedLocation is the location of a field in the object of the package and in the live object,
// whose lists may have other indices, and how it is named.
type pairedLocation struct {
	here, there location.Location
	steps       hint.Path
}

func (p pairedLocation) member(key string) pairedLocation {
	return pairedLocation{
		here: p.here.With(location.Key(key)), there: p.there.With(location.Key(key)),
		steps: append(slices.Clip(p.steps), hint.Step{Key: key}),
	}
}

// element leads to the list element at the index here; there is its index on the cluster, or -1.
// Without conditions it is named by its index.
func (p pairedLocation) element(here, there int, conditions []hint.Condition) pairedLocation {
	s := hint.Step{Kind: hint.Filter, Conditions: conditions}
	if len(conditions) == 0 {
		s = hint.Step{Kind: hint.Index, Key: strconv.Itoa(here)}
	}
	return pairedLocation{
		here: p.here.With(location.Index(here)), there: p.there.With(location.Index(there)),
		steps: append(slices.Clip(p.steps), s),
	}
}

// isByPosition tells whether an element is named by its index.
func (p pairedLocation) isByPosition() bool {
	return slices.ContainsFunc(p.steps, func(s hint.Step) bool { return s.Kind == hint.Index })
}

func (p pairedLocation) expression() expressionOf { return named(p.steps) }

// conditionAtKeys is the condition that an element has a value at a location of keys in it; an
// empty location is the element itself, and a value nil is missing.
func conditionAtKeys(at location.Location, value *tree.Node) hint.Condition {
	text := literalOf(value)
	return hint.Condition{
		Value: text.value, IsBare: text.isBare, Field: lists.Map(at, func(step location.Step) string { return step.Key }),
	}
}

// literal is a scalar as an expression writes it: in quotes, or plain if it is not a string.
type literal struct {
	value  string
	isBare bool
}

func literalOf(n *tree.Node) literal {
	if tree.Type(n) == tree.String {
		return literal{value: tree.Deref(n).Text()}
	}
	return literal{value: tree.FromValue(tree.Scalar(tree.Deref(n))).Text(), isBare: true}
}
