package locate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Rules returns the fields as rules for ignoreFields. Each has one expression, and names the other
// ones in a comment. Objects of one kind whose field has the same expressions share a rule.
func Rules(all []Located) *tree.Node {
	var rules []*tree.Node
	var sources []Located
	for _, found := range all {
		i := slices.IndexFunc(sources, found.sharesRule)
		if i < 0 {
			i = len(rules)
			rules, sources = append(rules, found.rule()), append(sources, found)
		}
		selectors := tree.Get(rules[i], "selectors")
		selectors.Content = append(selectors.Content, selector.Naming(found.Object).Node())
		found.comment(rules[i], i == len(rules)-1 && len(selectors.Content) == 1)
	}
	return tree.NewList(rules...)
}

func (l Located) sharesRule(other Located) bool {
	return l.Object.APIVersion == other.Object.APIVersion && l.Object.Kind == other.Object.Kind &&
		maps.Equal(l.Texts, other.Texts) && slices.EqualFunc(l.Within, other.Within, maps.Equal[map[string]string])
}

// rule is a rule for the field, without selectors.
func (l Located) rule() *tree.Node {
	rule := tree.NewMap("selectors", tree.NewList())
	if within := lists.Map(l.Within, best); len(within) == 1 {
		rule.Content = append(rule.Content, tree.NewMap("within", within[0]).Content...)
	} else if len(within) > 1 {
		rule.Content = append(rule.Content, tree.NewMap("within", tree.NewList(within...)).Content...)
	}
	rule.Content = append(rule.Content, best(l.Texts).Content...)
	return rule
}

// best returns a map with the simplest expression that names no element of a list by its position,
// else with the simplest one.
func best(texts map[string]string) *tree.Node {
	named := slices.DeleteFunc(expr.SimplestFirst(), func(d expr.Dialect) bool { return texts[d.Name] == "" })
	if len(named) == 0 {
		return tree.NewMap()
	}
	i := slices.IndexFunc(named, func(d expr.Dialect) bool { return !slices.ContainsFunc(d.SegmentsIn(texts[d.Name]), location.IsDigits) })
	d := named[max(i, 0)]
	return tree.NewMap(d.Field, tree.NewList(tree.NewString(texts[d.Name])))
}

// comment adds where the field is to a rule, and the other expressions and the notes to a new one.
func (l Located) comment(rule *tree.Node, isNew bool) {
	lines := []string{fmt.Sprintf("%s, %s (%s:%d)", l.Object, l.Field, l.File, l.Line)}
	if isNew {
		for _, d := range expr.SimplestFirst() {
			if text := l.Texts[d.Name]; text != "" && tree.Get(rule, d.Field) == nil {
				lines = append(lines, "or "+d.Field+": "+text)
			}
		}
		for _, note := range l.Notes {
			lines = append(lines, "note: "+note)
		}
	}
	rule.AddComment(lists.Map(lines, printable.Line)...)
}
