package plan

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// resolving are the expressions of the rule that leaves conflicting fields to their owners: JSON
// Pointers, and, where elements of lists are on the way, JSONPaths by what tells these apart.
func (p *planner) resolving(s *state) expr.Lists {
	lists := expr.Lists{}
	add := func(d expr.Dialect, text string) { lists[d.Field] = append(lists[d.Field], text) }
	for _, f := range s.fields {
		isOwner := func(name string) bool { return !p.As.Own(p.manager, name) && !managedfields.IsHandEdit(name) }
		if !slices.ContainsFunc(f.Before, isOwner) {
			continue // a hand edit is drift, which the package or the edit must follow
		}
		if !slices.ContainsFunc(f.Location, func(step location.Step) bool { return step.IsIndex }) {
			add(jsonpointer.Dialect, f.Location.Pointer())
			continue
		}
		if path := expr.Spell(s.root, f.Location, jq.Limits{}, s.mask.Hides).Texts[jsonpath.Dialect.Name]; path != "" {
			add(jsonpath.Dialect, path)
		} else {
			add(jsonpointer.Dialect, f.Location.Pointer())
		}
	}
	return lists
}

// resolvingRules are the rules that leave all conflicting fields to their owners: a functionConfig
// where there is none, else entries of ignoreFields. It is nil if there is no conflict.
func (p *Plan) resolvingRules() *tree.Node {
	list := tree.NewList()
	for _, o := range p.Objects {
		if o.Outcome != Conflict || len(o.resolving) == 0 {
			continue
		}
		rule := tree.NewMap("selectors", tree.NewList(selector.Naming(o.Ref()).Node()))
		for _, d := range expr.Dialects {
			texts := tree.NewList()
			for _, text := range o.resolving[d.Field] {
				texts.Content = append(texts.Content, tree.NewString(text))
			}
			if len(texts.Content) > 0 {
				rule.Content = append(rule.Content, tree.NewString(d.Field), texts)
			}
		}
		list.Content = append(list.Content, rule)
	}
	switch {
	case len(list.Content) == 0:
		return nil
	case p.hasRules:
		return list
	}
	return tree.NewMap(
		"apiVersion", "fn.kpt.dev/v1alpha1", "kind", "IgnoreFields",
		"metadata", tree.NewMap("name", "owned-by-others",
			"annotations", tree.NewMap("config.kubernetes.io/local-config", "true")),
		"ignoreFields", list)
}
