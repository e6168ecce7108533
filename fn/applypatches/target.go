package applypatches

import (
	"fmt"
	"maps"
	"sync/atomic"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/quota"
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

// target compiles a target. The environment is nil if the loop variable is invalid.
func (c *compiler) target(t Target, forEach, variable *string, at string) (*target, *cel.Environment) {
	compiled := &target{at: at}
	if t.IsEmpty() && t.Where == nil {
		c.fault(at+".target", "must have at least one field: apiVersion, group, version, kind, name, namespace, "+
			"labels, annotations, labelSelector, annotationSelector or where")
	}
	var faults []report.Fault
	compiled.selection, faults = selector.NewTarget(t.Selector, at+".target")
	c.faults = append(c.faults, faults...)
	c.loop(compiled, forEach)
	environment := c.targetEnvironment(compiled, forEach, variable)
	if environment == nil || t.Where == nil {
		return compiled, environment
	}
	var err error
	if compiled.where, err = environment.CompileCondition(*t.Where); err != nil {
		c.expressionFault(at+".target.where", err)
	}
	return compiled, environment
}

// loop compiles forEach, which can use only parameters.
func (c *compiler) loop(t *target, forEach *string) {
	if forEach == nil {
		return
	}
	environment, err := c.environment(cel.Parameters)
	if err == nil {
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

// loopOver evaluates forEach. The error is a *cel.EvalError, a *cel.LimitError or a *quota.Error.
func (t *target) loopOver(parameters any, reader *reader) error {
	if t.forEach == nil {
		t.elements = []any{nil}
		return nil
	}
	var err error
	t.elements, err = t.forEach.Elements(map[string]any{
		cel.Parameters: parameters, cel.Quota: reader.account, cel.Objects: cel.ObjectLookup(reader.lookup),
	})
	if err != nil {
		return err
	}
	return reader.account.Make(quota.SizeOfElements(t.elements, reader.account.Left()))
}

// variables returns the variables of an expression with the element at an index.
func (t *target) variables(base map[string]any, element int) map[string]any {
	if t.forEach == nil {
		return base
	}
	variables := maps.Clone(base)
	variables[t.variable] = t.elements[element]
	return variables
}

// chosen returns the indices of the elements for which the target selects the object in its current
// state. The error is a *failure.
func (t *target) chosen(j *job) ([]int, error) {
	identity := j.identify()
	t.selection.Note(identity)
	if !t.selection.Selects(identity) {
		return nil, nil
	}
	var chosen []int
	for i := range t.elements {
		if err := j.account.Step(1); err != nil {
			return nil, t.failure(t.at, i, err)
		}
		if t.where != nil {
			t.asked.Store(true)
			holds, err := t.where.Holds(t.variables(j.variables(), i))
			if err != nil {
				t.held.Store(true) // it may be true of another object, so no warning
				return nil, t.failure(t.at+".target.where", i, err)
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
	identities := make([]*selector.Candidate, len(items))
	for i, item := range items {
		identities[i] = selector.Of(item.Root())
	}
	for _, u := range t.selection.Unmatched(identities) {
		return u.Path + ": " + u.Message
	}
	return t.at + ".target: no object matched when the patch ran, but one does after all patches"
}

// failure is the failure of an expression or an operation on an object.
type failure struct {
	at string // patches[0].operations[2]
	// element is the index of the element of forEach, -1 for none.
	element int
	cause   error
}

func (t *target) failure(at string, element int, cause error) *failure {
	if t.forEach == nil {
		element = -1
	}
	return &failure{at: at, element: element, cause: cause}
}

func (f *failure) Error() string {
	if f.element < 0 {
		return fmt.Sprintf("%s: %s", f.at, f.cause)
	}
	return fmt.Sprintf("%s, element %d of forEach: %s", f.at, f.element, f.cause)
}

func (f *failure) Unwrap() error { return f.cause }
