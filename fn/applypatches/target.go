package applypatches

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// target is a compiled target, with the loop around it.
type target struct {
	at        string // patches[0]
	selection *selector.Selection
	where     *cel.Condition
	forEach   *cel.Loop
	variable  string
	// elements are those of forEach.
	elements []any
	// asked tells whether where was evaluated on an object, held whether it was ever true.
	asked, held atomic.Bool
}

// target compiles a target, nil for all objects. The environment is nil if the loop variable is
// invalid.
func (c *compiler) target(given *Target, forEach, variable *string, at string) (*target, *cel.Environment) {
	compiled := &target{at: at}
	var t Target
	if given != nil {
		t = *given
	}
	if given != nil && t.IsEmpty() && t.Where == nil {
		c.fault(at+".target", "must have at least one field: apiVersion, group, version, kind, name, namespace, "+
			"labels, annotations, labelSelector, annotationSelector or where")
	}
	literal, templates := withoutTemplates(t.Selector, at+".target")
	selection, faults := selector.NewTarget(literal, at+".target")
	compiled.selection = selection
	if templates != nil {
		faults = templates
	}
	c.faults = append(c.faults, faults...)
	c.loop(compiled, forEach)
	environment := c.targetEnvironment(compiled, forEach, variable)
	if environment == nil || t.Where == nil {
		return compiled, environment
	}
	c.current = at + ".target.where"
	var err error
	if compiled.where, err = environment.CompileCondition(*t.Where); err != nil {
		c.expressionFault(at+".target.where", err)
	}
	return compiled, environment
}

// withoutTemplates returns a selector, which is literal, with $${ as ${, and a fault for each
// template in it.
func withoutTemplates(s selector.Selector, at string) (selector.Selector, []report.Fault) {
	var faults []report.Fault
	literal := func(text, field string) string {
		if strings.Contains(strings.ReplaceAll(text, "$${", ""), "${") {
			faults = append(faults, report.Fault{Path: at + "." + field, Message: fmt.Sprintf("must be literal, found %q; "+
				"templates go into where, such as ${resource.metadata.name == parameters.name}, path and value; a literal ${ is written $${", text)})
		}
		return strings.ReplaceAll(text, "$${", "${")
	}
	for _, f := range []struct {
		name string
		text **string
	}{
		{"annotationSelector", &s.AnnotationSelector}, {"apiVersion", &s.APIVersion}, {"group", &s.Group}, {"kind", &s.Kind},
		{"labelSelector", &s.LabelSelector}, {"name", &s.Name}, {"namespace", &s.Namespace}, {"version", &s.Version},
	} {
		if *f.text != nil {
			*f.text = new(literal(**f.text, f.name))
		}
	}
	for name, values := range map[string]map[string]string{"annotations": s.Annotations, "labels": s.Labels} {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			values[key] = literal(values[key], location.Location{location.Key(name), location.Key(key)}.String())
		}
	}
	slices.SortStableFunc(faults, func(a, b report.Fault) int { return strings.Compare(a.Path, b.Path) })
	return s, faults
}

// loop compiles forEach, which can use only parameters.
func (c *compiler) loop(t *target, forEach *string) {
	if forEach == nil {
		return
	}
	environment, err := c.environment(cel.Parameters)
	if err == nil {
		c.current = t.at + ".forEach"
		t.forEach, err = environment.CompileLoop(*forEach)
	}
	if err != nil {
		c.expressionFault(t.at+".forEach", err)
	}
}

// targetEnvironment returns the environment of the other expressions, nil if the loop variable is
// invalid.
func (c *compiler) targetEnvironment(t *target, forEach, variable *string) *cel.Environment {
	names := []string{cel.Resource, cel.Parameters}
	if forEach == nil && variable != nil { // which the expressions name all the same
		c.fault(t.at+".var", "must be set only together with forEach, whose elements it names")
	}
	if forEach != nil || variable != nil {
		t.variable = defaultVariable
		if variable != nil {
			t.variable = *variable
		}
		names = append(names, t.variable)
	}
	environment, err := c.environment(names...)
	if err == nil {
		_, err = c.withCurrent(environment)
	}
	if err != nil {
		c.fault(t.at+".var", "%s", err)
		return nil
	}
	return environment
}

// loopOver evaluates forEach. Errors are those of cel.Program.Eval.
func (t *target) loopOver(in cel.Input) (err error) {
	t.elements = []any{nil}
	if t.forEach != nil {
		t.elements, err = t.forEach.Elements(in)
	}
	return err
}

// input returns the input of an expression with the element at an index.
func (t *target) input(base cel.Input, element int) cel.Input {
	if t.forEach == nil {
		return base
	}
	return base.With(t.variable, t.elements[element])
}

// chosen returns the indices of the elements for which the target selects the object in its current
// state.
func (t *target) chosen(j *job) ([]int, error) {
	identity := j.identify()
	t.selection.Note(identity)
	if !t.selection.Selects(identity) {
		return nil, nil
	}
	var chosen []int
	for i := range t.elements {
		if t.where != nil {
			if err := j.goTo(t.at+".target.where", t, i); err != nil {
				return nil, err
			}
			t.asked.Store(true)
			holds, negated, err := t.where.Holds(t.input(j.input(), i))
			if err != nil {
				t.held.Store(true) // it may be true of another object, so no warning
				return nil, err
			}
			if negated != "" {
				j.warnings = append(j.warnings, j.negatedWarning(t.at+".target.where", negated))
			}
			if !holds {
				continue
			}
			t.held.Store(true)
		}
		chosen = append(chosen, i)
	}
	return chosen, nil
}

// negatedWarning warns of a condition that is false for the lack of a field that a negation asks
// for.
func (j *job) negatedWarning(at, field string) report.Result {
	return j.newResult(report.SeverityWarning, report.ReasonLikelyMistake, fmt.Sprintf(
		"%s: it is false, since the object has no %q, although a negation asks for it: test the field first, as in !has(…) || …; "+
			"or use annotationSelector or labelSelector: '!KEY'", at, field)).At(at)
}

// accept counts an object that failed before the target was evaluated, so that there is no warning
// that it matches nothing.
func (t *target) accept(identity *selector.Candidate) {
	t.selection.Note(identity)
	if t.selection.Selects(identity) {
		t.held.Store(true)
	}
}

// noMatch returns the message if the target selected no object, or "".
func (t *target) noMatch(items []*object.Object) string {
	if t.selection.AllMatched() {
		if t.asked.Load() && !t.held.Load() {
			return fmt.Sprintf("%s.target: the target matches objects, but its where is true for none of them: '%s'", t.at, t.where)
		}
		return ""
	}
	identities := lists.Map(items, func(item *object.Object) *selector.Candidate { return selector.Of(item.Root()) })
	for _, u := range t.selection.Unmatched(func() []*selector.Candidate { return identities }) {
		return u.Path + ": " + u.Message
	}
	return t.at + ".target: no object matched when the patch ran, but one does after all patches"
}

// patchPosition is a position in the patches.
type patchPosition struct {
	at string // patches[0].operations[2]
	// element is the index of the element of forEach, -1 for none.
	element int
}

// failure is the failure of an expression or an operation on an object.
type failure struct {
	patchPosition
	cause error
}

func (f *failure) Error() string {
	if f.element < 0 {
		return fmt.Sprintf("%s: %s", f.at, f.cause)
	}
	return fmt.Sprintf("%s, element %d of forEach: %s", f.at, f.element, f.cause)
}

func (f *failure) Unwrap() error { return f.cause }
