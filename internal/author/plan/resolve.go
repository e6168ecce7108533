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
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxSpelt is how many places in lists are named by their content, for which the list is searched.
const maxSpelt = 100

// resolve finds the expressions of the rule that leaves conflicting fields to their owners: JSON
// Pointers, with * for all elements of a list, and for some of them JSONPaths by what tells these
// apart. A field that has live values in it needs no rule: force keeps them.
func (p *planner) resolve(s *state) {
	isOwner := func(name string) bool { // the API server calls everybody before-first-apply where it knows no managers
		isNoEdit := func(e managedfields.Entry) bool { return e.Manager == name && !e.IsHandEdit() }
		return !p.As.Own(s.by.Manager, name) && slices.ContainsFunc(s.entries, isNoEdit) && name != managedfields.BeforeFirstApply
	}
	var places []location.Location
	for i, f := range s.fields {
		s.out.Fields[i].hasLiveValues = slices.ContainsFunc(s.takenInto, f.Path.Equals)
		// A hand edit is drift, which the package or the edit must follow.
		if f.Why == merge.Conflicting && !s.out.Fields[i].hasLiveValues && slices.ContainsFunc(f.Before, isOwner) {
			places = append(places, f.Location)
		}
	}
	lists, spelt, known := expr.Lists{}, 0, map[string]bool{}
	for i, combined := range jsonpointer.Combine(s.root, places) {
		d, text := jsonpointer.Dialect, places[i].Pointer()
		switch isIndex := func(step location.Step) bool { return step.IsIndex }; {
		case combined.Count > 1:
			text = combined.Pointer
		case slices.ContainsFunc(places[i], isIndex) && spelt < maxSpelt:
			spelt++
			if path := expr.Spell(s.root, places[i], jq.Limits{}, s.shown.Hides).Texts[jsonpath.Dialect.Name]; path != "" {
				d, text = jsonpath.Dialect, path
			}
		}
		if !known[text] {
			lists[d.Field] = append(lists[d.Field], text)
		}
		known[text] = true
	}
	s.out.resolving = lists
}

// resolvingRules are the rules that leave all conflicting fields to their owners: a functionConfig
// where there is none, else entries of ignoreFields. It is nil if there is no conflict.
func (p *Plan) resolvingRules() *tree.Node {
	list := tree.NewList()
	for _, o := range p.Objects {
		if o.Outcome != Conflict || len(o.resolving) == 0 {
			continue
		}
		rule := []any{"selectors", tree.NewList(selector.Naming(o.Ref).Node())}
		for _, d := range expr.Dialects {
			rule = append(rule, d.Field, o.resolving[d.Field])
		}
		list.Content = append(list.Content, tree.NewMap(rule...))
	}
	switch {
	case len(list.Content) == 0:
		return nil
	case p.hasRules && !p.isOfWorks:
		return list
	}
	return tree.NewMap(
		"apiVersion", "fn.kpt.dev/v1alpha1", "kind", "IgnoreFields",
		"metadata", tree.NewMap("name", "owned-by-others",
			"annotations", tree.NewMap("config.kubernetes.io/local-config", "true")),
		"ignoreFields", list)
}
