package suggest

import (
	"slices"
	"strconv"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// place is the location of a field in the object of the package and in the live object, whose lists
// may have other indices, and how it is named.
type place struct {
	here, there location.Location
	steps       []placeStep
}

// placeStep leads to a member of a map, to the list element with certain values, or to one by its
// index.
type placeStep struct {
	key        string
	conditions []condition // of an element that is told apart by its values
	index      int
	isIndex    bool
}

// condition is a value that an element has at a location of keys in it. An empty location is the
// element itself, and nil means that the value is missing.
type condition struct {
	at    location.Location
	value *tree.Node
}

func (p place) member(key string) place {
	return place{
		here: p.here.With(location.Key(key)), there: p.there.With(location.Key(key)),
		steps: append(slices.Clip(p.steps), placeStep{key: key}),
	}
}

// element leads to the list element at the index here; there is its index on the cluster, or -1.
// Without conditions it is named by its index.
func (p place) element(here, there int, conditions []condition) place {
	s := placeStep{conditions: conditions}
	if len(conditions) == 0 {
		s = placeStep{index: here, isIndex: true}
	}
	return place{
		here: p.here.With(location.Index(here)), there: p.there.With(location.Index(there)),
		steps: append(slices.Clip(p.steps), s),
	}
}

// isByPosition tells whether an element is named by its index.
func (p place) isByPosition() bool {
	return slices.ContainsFunc(p.steps, func(s placeStep) bool { return s.isIndex })
}

// expression names the field: by a JSON Pointer or, if elements are identified by their values, by
// a jq expression.
func (p place) expression() (dialect, text string) {
	if !slices.ContainsFunc(p.steps, func(s placeStep) bool { return len(s.conditions) > 0 }) {
		return jsonpointer.Dialect.Name, p.here.Pointer()
	}
	return jqpath.Dialect.Name, jqpath.Write(p.outline())
}

func (p place) outline() hint.Path {
	path := make(hint.Path, len(p.steps))
	for i, s := range p.steps {
		switch {
		case s.isIndex:
			path[i] = hint.Step{Kind: hint.Index, Key: strconv.Itoa(s.index)}
		case len(s.conditions) > 0:
			path[i] = hint.Step{Kind: hint.Filter, Conditions: conditionsOf(s.conditions)}
		default:
			path[i] = hint.Step{Key: s.key}
		}
	}
	return path
}

func conditionsOf(conditions []condition) []hint.Condition {
	all := make([]hint.Condition, len(conditions))
	for i, c := range conditions {
		text := literalOf(c.value)
		all[i] = hint.Condition{Operator: "==", Value: text.value, IsBare: text.isBare}
		for _, step := range c.at {
			all[i].Field = append(all[i].Field, step.Key)
		}
	}
	return all
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
