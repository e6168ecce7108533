package convert

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/manifestwork"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// dialects tell, by the name of the dialect, whether a target treats an expression as intended, or
// why not if there is a reason to give. Other expressions are translated.
type dialects map[string]func(text string) (why string, ok bool)

var (
	fluxDialects = dialects{jsonpointer.Dialect.Name: takesPointer}
	kappDialects = dialects{jsonpointer.Dialect.Name: takesField}
	argoDialects = dialects{jsonpointer.Dialect.Name: takesPointer, jqpath.Dialect.Name: takesJQ, managersOfFields: nil}
	ocmDialects  = dialects{
		jsonpath.Dialect.Name:    agentTakes(jsonpath.Dialect.Name),
		jsonpointer.Dialect.Name: takesPointer,
		jqpath.Dialect.Name:      agentTakes(jqpath.Dialect.Name),
	}
)

// managersOfFields stands in a table of dialects for a target that takes the managers of fields.
const managersOfFields = "managedFieldsManagers"

// takesPointer is false for a pointer with a *, which is a key elsewhere.
func takesPointer(pointer string) (why string, ok bool) {
	return "", !slices.Contains(location.PointerSegments(pointer), "*")
}

// takesField is false for a pointer to an element of a list, which kapp does not copy.
func takesField(pointer string) (why string, ok bool) {
	return "kapp copies fields, not elements of lists", !expression{dialect: jsonpointer.Dialect.Name, text: pointer}.removesElements()
}

// takesJQ is false for a projection, which no other program accepts.
func takesJQ(text string) (why string, ok bool) { return "", !jq.IsProjection(text) }

// agentTakes tells how the work agent of OCM treats an expression.
func agentTakes(dialect string) func(text string) (why string, ok bool) {
	return func(text string) (string, bool) {
		why, ok := manifestwork.Taken(dialect, text)
		if !ok && why != "" {
			why = "the agent " + why
		}
		return why, ok
	}
}

var plainPath = regexp.MustCompile(`^\{?\$?(\.[A-Za-z0-9_/-]+)+\}?$`)

// leaveOutManagers leaves out the managers for a target that has none.
func (r *rule) leaveOutManagers() {
	if len(r.managers) > 0 {
		r.leaveOut(r.path+".managedFieldsManagers", "%s: the target names fields, not their managers; "+
			"krm-fields suggest finds the fields that differ", strings.Join(r.managers, ", "))
	}
	r.managers = nil
}

// leaveOutOwners leaves out what objects of the package own, for a target that has no such rule.
func (r *rule) leaveOutOwners() {
	if r.fromOwners {
		r.leaveOut(r.path+".fromOwners", "the fields depend on the objects of the list; krm-fields suggest PATH writes them as rules that can be converted")
	}
	r.fromOwners = false
}

// translated returns the expressions of the rule in the dialects of the target, and notes what
// can't be expressed there. Of the pointers to list elements by position, the later element comes
// first, as the targets remove one after the other.
func (d dialects) translated(r *rule) []expression {
	if _, readsManagers := d[managersOfFields]; !readsManagers {
		r.leaveOutManagers()
	}
	r.leaveOutOwners()
	var all []expression
	for _, e := range r.expressions {
		translated, err := d.translate(r, e)
		if err != nil {
			r.leaveOut(e.path, "%s", err)
			continue
		}
		if translated.text != e.text {
			r.remark(e.path, "was %s", e.text)
		}
		all = append(all, translated)
	}
	sortByDialect(all)
	location.LastFirst(all, func(e expression) string {
		if e.dialect != jsonpointer.Dialect.Name {
			return ""
		}
		return e.text
	})
	return together(all)
}

func sortByDialect(all []expression) {
	slices.SortStableFunc(all, func(a, b expression) int { return order(a.dialect) - order(b.dialect) })
}

// together joins jq expressions to one if a program that runs them one after the other would find
// another list element by a position.
func together(all []expression) []expression {
	removes, shifted := false, false
	for _, e := range all {
		if e.dialect == jqpath.Dialect.Name {
			shifted = shifted || removes && e.isPositional()
			removes = removes || e.removesElements()
		}
	}
	if !shifted {
		return all
	}
	i := slices.IndexFunc(all, func(e expression) bool { return e.dialect == jqpath.Dialect.Name })
	joined := all[i]
	joined.text = "(" + strings.Join(textsOf(all, jqpath.Dialect.Name), "), (") + ")"
	return append(slices.Clone(all[:i]), joined)
}

// order is the place of a dialect in a rule.
func order(name string) int {
	return slices.IndexFunc(expr.Dialects, func(d expr.Dialect) bool { return d.Name == name })
}

// translate writes an expression in a dialect that the target takes.
func (d dialects) translate(r *rule, e expression) (expression, error) {
	if pointer, ok := r.keyWithDots(e); ok {
		e.dialect, e.text = jsonpointer.Dialect.Name, pointer
	}
	if _, readsJQ := d[jqpath.Dialect.Name]; readsJQ && e.dialect == jqpath.Dialect.Name {
		if path, ok := jq.AsPath(e.text); ok {
			e.text = path
		}
	}
	if e.dialect == jsonpointer.Dialect.Name && !isMapOfStrings(e.text) && slices.ContainsFunc(strings.Split(e.text, "/"), isOddNumber) {
		return e, errOddNumber
	}
	why, written := "", e
	for {
		if takes := d[e.dialect]; takes != nil {
			reason, ok := takes(e.text)
			if ok {
				return e, nil
			}
			why = reason
		}
		from, _ := expr.ByName(e.dialect)
		into, text, err := from.Translate(e.text)
		failed, isNamed := errors.AsType[*dialect.TranslateError](err)
		switch {
		case why != "" && (err != nil || into == e.dialect):
			return e, errors.New(why)
		case isNamed && e.dialect != written.dialect: // by way of a dialect that nobody has written
			named, _ := expr.ByName(written.dialect)
			cause := failed.Cause
			if written.dialect == jsonpointer.Dialect.Name {
				cause = "the target has no * for all elements of a list"
			}
			return e, fmt.Errorf("the %s '%s' can't be converted: %s", named.Noun, written.text, cause)
		case err != nil || into == e.dialect:
			return e, err
		}
		e.dialect, e.text = into, text
	}
}

// errOddNumber is a pointer that a JSON Patch interprets differently.
var errOddNumber = errors.New("a JSON Patch reads such a number as an index of a list, where a JSON Pointer finds nothing")

// keyWithDots returns the JSON Pointer for a JSONPath such as .data.app.yaml or .data['app.yaml'],
// which finds the key app.yaml by joining names: in each kind that the rule selects, the last names
// can only be one key of a map of scalars.
func (r *rule) keyWithDots(e expression) (string, bool) {
	if e.dialect != jsonpath.Dialect.Name {
		return "", false
	}
	names := strings.Split(strings.Trim(e.text, "{$.}"), ".")
	if !plainPath.MatchString(e.text) {
		names = jsonpath.Dialect.Segments(e.text)
	}
	if len(names) < 2 || slices.ContainsFunc(names, location.IsDigits) {
		return "", false
	}
	at, builtIn := map[int]bool{}, &schema.Schemas{}
	for _, t := range r.targets() {
		kinds := kindsOf(t.selector)
		if len(kinds) == 0 {
			return "", false
		}
		for _, kind := range kinds {
			at[keyOfScalar(builtIn.Kind(kind).Type, names)] = true
		}
	}
	for i := range at {
		if len(at) == 1 && i >= 0 {
			return location.Keys(names[:i]).With(location.Key(strings.Join(names[i:], "."))).Pointer(), true
		}
	}
	return "", false
}

// kindsOf returns the kinds of Kubernetes that a selector selects; none where it may select others.
func kindsOf(s selector.Selector) (kinds []schema.GVK) {
	for _, gvk := range schema.Kinds() {
		if s.Kind != nil && gvk.Kind == *s.Kind && (isAny(s.Group) || gvk.Group == *s.Group) {
			kinds = append(kinds, gvk)
		}
	}
	return kinds
}

// keyOfScalar returns the index of the first name that is a key of a map of scalars, if others
// follow it; else -1.
func keyOfScalar(t *schema.Type, names []string) int {
	for i, name := range names[:len(names)-1] {
		next := t.Member(name)
		if next != nil && t.Field(name) == nil && next.Map == nil && next.List == nil {
			return i
		}
		t = next
	}
	return -1
}

// apart removes from the expressions of a rule those that remove a list element by its position, if
// an object may match several of the target's entries: each of them would remove one.
func apart(r *rule, expressions []expression) []expression {
	removes := func(e expression) bool { return e.isPositional() && e.removesElements() }
	if !slices.ContainsFunc(expressions, removes) || !overlap(r.targets()) {
		return expressions
	}
	return slices.DeleteFunc(expressions, func(e expression) bool {
		if removes(e) {
			r.leaveOut(e.path, "an object may match several of the selectors, and each would remove an element at that index")
		}
		return removes(e)
	})
}

// overlap tells whether an object may match two of the targets. Those with different names do not.
func overlap(targets []ruleSelector) bool {
	named, unnamed := map[string][]ruleSelector{}, []ruleSelector(nil)
	for _, t := range targets {
		others := slices.Concat(named[nameOf(t)], unnamed)
		if nameOf(t) == "" {
			others = slices.Concat(slices.Collect(maps.Values(named))...)
			others = append(others, unnamed...)
			unnamed = append(unnamed, t)
		} else {
			named[nameOf(t)] = append(named[nameOf(t)], t)
		}
		if slices.ContainsFunc(others, func(other ruleSelector) bool { return !areApart(t.selector, other.selector) }) {
			return true
		}
	}
	return false
}

// nameOf returns the one name that a target has; "" if it may have others.
func nameOf(t ruleSelector) string {
	if name := t.selector.Name; name != nil && !isGlob(*name) {
		return *name
	}
	return ""
}

// textsOf returns the texts of one dialect.
func textsOf(expressions []expression, dialect string) []string {
	var texts []string
	for _, e := range expressions {
		if e.dialect == dialect {
			texts = append(texts, e.text)
		}
	}
	return texts
}
