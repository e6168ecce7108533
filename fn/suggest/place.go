package suggest

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// place is where a field is, in the object of the package and in the one on the
// cluster, whose lists may have other indices; and how it is named.
type place struct {
	here, there locate.Location
	steps       []step
}

// step goes to a member of a map, to the element of a list that has certain
// values, or to one by its position.
type step struct {
	key        string
	conditions []condition // of an element that is told apart by its values
	index      int
	isIndex    bool
}

// condition is a value that an element has at a path of keys in it; an empty path
// is the element itself, and nil that nothing is there.
type condition struct {
	path  []string
	value *yaml.Node
}

func (p place) member(key string) place {
	return place{
		here: p.here.With(locate.Key(key)), there: p.there.With(locate.Key(key)),
		steps: append(slices.Clip(p.steps), step{key: key}),
	}
}

// element goes to the element here of the list; there is its index on the
// cluster, or -1. Without conditions it is named by its position.
func (p place) element(here, there int, conditions []condition) place {
	s := step{conditions: conditions}
	if len(conditions) == 0 {
		s = step{index: here, isIndex: true}
	}
	return place{
		here: p.here.With(locate.Index(here)), there: p.there.With(locate.Index(there)),
		steps: append(slices.Clip(p.steps), s),
	}
}

// isByPosition tells whether an element is named by its position.
func (p place) isByPosition() bool {
	return slices.ContainsFunc(p.steps, func(s step) bool { return s.isIndex })
}

// expression names the field: a JSON Pointer, or where elements are told apart
// by their values a jq expression.
func (p place) expression() (dialect, text string) {
	if !slices.ContainsFunc(p.steps, func(s step) bool { return len(s.conditions) > 0 }) {
		return locate.JSONPointer, p.here.Pointer()
	}
	return locate.JQ, p.jq()
}

func (p place) jq() string {
	var stages []string
	current := ""
	suffix := func(text string) {
		if current == "" && text[0] == '[' {
			text = "." + text
		}
		current += text
	}
	for _, s := range p.steps {
		switch {
		case s.isIndex:
			suffix("[" + strconv.Itoa(s.index) + "]")
		case len(s.conditions) > 0:
			suffix("[]?")
			stages = append(stages, current, "select("+jqConditions(s.conditions)+")")
			current = ""
		default:
			suffix(locate.JQField(s.key))
		}
	}
	if current != "" {
		stages = append(stages, current)
	}
	return strings.Join(stages, " | ")
}

func jqConditions(conditions []condition) string {
	texts := make([]string, len(conditions))
	for i, c := range conditions {
		path := ""
		for _, key := range c.path {
			path += locate.JQField(key)
		}
		if path == "" || path[0] == '[' {
			path = "." + path
		}
		texts[i] = path + " == " + jqLiteral(c.value)
	}
	return strings.Join(texts, " and ")
}

// jqLiteral writes a scalar as jq does.
func jqLiteral(n *yaml.Node) string {
	if tree.Type(n) == tree.String {
		return locate.JQString(tree.Deref(n).Value)
	}
	return tree.FromValue(tree.Scalar(tree.Deref(n))).Value
}
