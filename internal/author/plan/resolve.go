package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxSpelt is how many places in lists are named by their content, for which the list is searched.
const maxSpelt = 100

// resolve finds the expressions of the rule that leaves to their owners the fields that are in
// conflict, or taken over by a tool that forces conflicts: JSON Pointers, with * for all elements
// of a list, and for some of them JSONPaths by what tells these apart. A field that has live values
// in it needs no rule: force keeps them.
func (p *planner) resolve(s *state) {
	applier := p.applierOf(s)
	var places []location.Location
	for i, f := range s.fields {
		out := &s.out.Fields[i]
		out.hasLiveValues = slices.ContainsFunc(s.takenInto, f.Path.Equals)
		if f.Why != merge.Conflicting && len(out.takenFrom) == 0 || out.hasLiveValues {
			continue
		}
		switch found := p.remedyFor(s, f, applier); found.kind {
		case byRule:
			if at, ok := s.prediction.InPackage(f.Path); ok { // else the rule finds nothing
				places = append(places, at)
			}
		case byApplier:
			s.out.applier, out.advice = applier, "applied by "+applier
		case byHand:
			out.advice = found.advice
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

// applierOf is the manager that is taken for the one that applies the package of an object.
func (p *planner) applierOf(s *state) string {
	if p.IsManagerGiven || p.As.Name != managedfields.Tools[0].Name {
		return s.by.Manager
	}
	return managedfields.ApplierOf(s.entries, s.by.Manager)
}

// remedyKind is what resolves a conflict: a rule, the apply of another tool that applies the
// package, or the user.
type remedyKind int

const (
	byHand remedyKind = iota
	byApplier
	byRule
)

// remedy is what is to be done about a conflict, with advice where the user has to.
type remedy struct {
	kind   remedyKind
	advice string
}

// remedyFor says what is to be done about a conflict, by who owns the field. One with an owner that
// the field can be left to has a rule; the value of a hand edit is the user's to decide.
func (p *planner) remedyFor(s *state, f merge.TouchedField, applier string) (found remedy) {
	var edits []string
	force := "--force-conflicts"
	if p.plan.isOfWorks {
		force = "serverSideApply.force: true"
	}
	if p.isHash(f) {
		return remedy{advice: "it is the object hash alone: write objectHash: {emit: false}, or take the field over by " + force}
	}
	for _, e := range s.ownersOf(f) {
		switch {
		case p.As.Own(s.by.Manager, e.Manager) && e.Subresource == "":
		case e.IsHandEdit(): // which is drift, that the package or the edit must follow
			if !slices.Contains(edits, e.Manager) {
				edits = append(edits, e.Manager)
			}
		case e.Manager == managedfields.BeforeFirstApply: // as the API server calls everybody where it knows no managers
			found.advice = force + " takes it over"
		case e.Manager == applier:
			found.kind = byApplier
		default:
			return remedy{kind: byRule}
		}
	}
	if len(edits) > 0 {
		return remedy{advice: "set by hand by " + words.All(edits) + "; copy the value into the package, or take it over by " + force}
	}
	return found
}

// isHash tells whether a field is the map of annotations, with nothing but the object hash in it.
func (p *planner) isHash(f merge.TouchedField) bool {
	annotations, isMap := f.New.(map[string]any)
	if !isMap || location.Compare(f.Location, world.Annotations) != 0 {
		return false
	}
	for key := range annotations {
		isOf := func(s hostless.ConfigStep) bool {
			return ignorefields.ConfigOf(s.FunctionConfig).ObjectHash.Annotation == key
		}
		if !slices.ContainsFunc(p.Steps, isOf) {
			return false
		}
	}
	return true
}

// ownersOf are the entries that own a field before the apply: a manager may have several.
func (s *state) ownersOf(f merge.TouchedField) (exact []managedfields.Entry) {
	if s.byManager == nil {
		s.byManager = map[string][]managedfields.Entry{}
		for _, e := range s.entries {
			s.byManager[e.Manager] = append(s.byManager[e.Manager], e)
		}
	}
	var named []managedfields.Entry
	for _, manager := range f.Before {
		for _, e := range s.byManager[manager] {
			named = append(named, e)
			if e.Fields() != nil && e.Fields().Has(f.Path) {
				exact = append(exact, e)
			}
		}
	}
	if len(exact) == 0 { // of another version, or of the list or map around it
		return named
	}
	return exact
}

// appliers say how to plan for other tools that have applied the objects.
func (p *Plan) appliers() (texts []string) {
	counts := map[string]int{}
	for _, o := range p.Objects {
		if o.applier != "" {
			counts[o.applier]++
		}
	}
	for _, manager := range slices.Sorted(maps.Keys(counts)) {
		text := fmt.Sprintf("%s has applied %s, so there is no rule for its fields: ", manager, words.Count(counts[manager], "object"))
		tool := managedfields.ToolWith(manager)
		switch {
		case tool == nil:
			text += "plan its apply with --field-manager " + manager
		case tool.Manager != manager:
			text += "plan its apply with --as " + tool.Name + " --field-manager " + manager
		default:
			text += "plan its apply with --as " + tool.Name
		}
		if tool != nil {
			text += fmt.Sprintf(", or give the fields to %s with krm-fields handover --from %s --to %s", p.manager, tool.Name, p.as.Name)
		}
		texts = append(texts, text)
	}
	return texts
}

// resolvingRules are the rules that leave all contested fields to their owners: a functionConfig
// where there is none, else entries of ignoreFields. It is nil if there is no such field.
func (p *Plan) resolvingRules() *tree.Node {
	list := tree.NewList()
	for _, o := range p.Objects {
		if len(o.resolving) == 0 {
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
