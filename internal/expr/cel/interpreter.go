package cel

import (
	"errors"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// This file has everything that depends on the internals of cel-go's interpreter; TestInterpreter
// fails if they change. They are
//
//   - a decorator gets calls, constructors and attributes as the types below, and a selection once
//     more at each of its steps
//   - a panic with EvalCancelledError ends an evaluation with that error
//   - a missing overload is one error value, which does not name the overload
//   - when asked whether a field exists, a qualifier fails for all other reasons

// decorate is a decorator of programs.
func (g *guard) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	switch i := i.(type) {
	case interpreter.InterpretableCall:
		if guarded := (&guardedCall{InterpretableCall: i, args: i.Args()}); g.guardCall(guarded) {
			return guarded, nil
		}
	case interpreter.InterpretableConstructor:
		return newConstructor(i), nil
	case interpreter.InterpretableAttribute:
		if !g.done[i.ID()] {
			g.done[i.ID()] = true
			return guardedAttribute{i}, nil
		}
	default:
		if g.loops[i.ID()] {
			return loop{i}, nil
		}
	}
	return i, nil
}

// loop is a comprehension. A map that it makes is iterated in the order of its keys.
type loop struct{ interpreter.InterpretableV2 }

// Exec implements interpreter.InterpretableV2.
func (l loop) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return sorted(l.InterpretableV2.Exec(frame))
}

// Eval implements interpreter.Interpretable.
func (l loop) Eval(activation interpreter.Activation) ref.Val {
	return l.Exec(interpreter.AsFrame(activation))
}

func sorted(v ref.Val) ref.Val {
	if m, ok := v.(traits.Mapper); ok {
		return sortedMap{m}
	}
	return v
}

// guardedCall is a call that is charged to the budget first.
type guardedCall struct {
	interpreter.InterpretableCall
	args []interpreter.InterpretableV2
	// work is nil if it does not grow with the arguments.
	work  func(args []ref.Val) uint64
	apply func(args []ref.Val) ref.Val
	// looksUp is true of ObjectFunction, which asks the variable Objects.
	looksUp bool
}

// Exec implements interpreter.InterpretableV2.
func (c *guardedCall) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	args := make([]ref.Val, len(c.args))
	for i, arg := range c.args {
		args[i] = arg.Exec(frame)
		if types.IsUnknownOrError(args[i]) {
			return args[i]
		}
	}
	work := uint64(1)
	if c.work != nil {
		work = plus(work, c.work(args))
	}
	spend(frame, work)
	if c.looksUp {
		found, _ := frame.ResolveName(Objects)
		lookup, _ := found.(ObjectLookup)
		return lookup.call(args)
	}
	result := c.apply(args)
	if err, ok := result.(*types.Err); ok && errors.Is(err, noSuchOverload) {
		return types.NewErr("no such overload: %s", describe(c.Function(), args))
	}
	return result
}

// noSuchOverload is the error of cel-go that does not say which overload.
var noSuchOverload, _ = types.NoSuchOverloadErr().(*types.Err)

// Eval implements interpreter.Interpretable.
func (c *guardedCall) Eval(activation interpreter.Activation) ref.Val {
	return c.Exec(interpreter.AsFrame(activation))
}

// guardedAttribute is a variable, or a selection from one or from a value.
type guardedAttribute struct {
	interpreter.InterpretableAttribute
}

// Exec implements interpreter.InterpretableV2.
func (a guardedAttribute) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	spend(frame, 1)
	return a.InterpretableAttribute.Exec(frame)
}

// Eval implements interpreter.Interpretable.
func (a guardedAttribute) Eval(activation interpreter.Activation) ref.Val {
	return a.Exec(interpreter.AsFrame(activation))
}

// constructor is a list or a map that an expression writes out.
type constructor struct {
	interpreter.InterpretableConstructor
	work uint64
}

func newConstructor(inner interpreter.InterpretableConstructor) constructor {
	// An empty map takes the memory of some ten list elements.
	const emptyMap = 10
	work := uint64(1 + len(inner.InitVals()))
	if inner.Type() != types.ListType {
		work += emptyMap
	}
	return constructor{inner, work}
}

// Exec implements interpreter.InterpretableV2.
func (c constructor) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	spend(frame, c.work)
	return sorted(c.InterpretableConstructor.Exec(frame))
}

// Eval implements interpreter.Interpretable.
func (c constructor) Eval(activation interpreter.Activation) ref.Val {
	return c.Exec(interpreter.AsFrame(activation))
}

// decorate is a decorator of programs.
func (m *missing) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	attribute, ok := i.(interpreter.InterpretableAttribute)
	if !ok || !m.parts[attribute.ID()] || m.done[attribute.ID()] {
		return i, nil
	}
	m.done[attribute.ID()] = true
	return watchedAttribute{attribute}, nil
}

type watchedAttribute struct {
	interpreter.InterpretableAttribute
}

// AddQualifier adds one step of a selection.
func (a watchedAttribute) AddQualifier(q interpreter.Qualifier) (interpreter.Attribute, error) {
	_, err := a.InterpretableAttribute.AddQualifier(watchedQualifier{q})
	return a, err
}

type watchedQualifier struct {
	interpreter.Qualifier
}

// Qualify implements interpreter.Qualifier.
func (q watchedQualifier) Qualify(activation interpreter.Activation, object any) (any, error) {
	v, err := q.Qualifier.Qualify(activation, object)
	if err == nil {
		return v, nil
	}
	// Asked whether the field is there, a qualifier fails for all other reasons.
	if _, present, failure := q.Qualifier.QualifyIfPresent(activation, object, true); failure == nil && !present {
		return nil, &missingError{err}
	}
	return nil, err
}

// spend charges work to the budget, and panics to end the evaluation if it is exhausted: `||` and
// `&&` can continue after an error.
func (b *budget) spend(work uint64) {
	if work > b.left {
		panic(interpreter.EvalCancelledError{
			Cause: interpreter.CostLimitExceeded, Message: "the cost limit is exceeded",
		})
	}
	b.left -= work
}

// ResolveName implements interpreter.Activation.
func (a *activation) ResolveName(name string) (any, bool) {
	if name == budgetName {
		return a.budget, true
	}
	v, ok := a.variables[name]
	if value, isLazy := v.(func() any); isLazy {
		return value(), ok
	}
	return v, ok
}

// Parent implements interpreter.Activation.
func (a *activation) Parent() interpreter.Activation { return nil }

// spend takes work off the budget of the evaluation that frame belongs to.
func spend(frame *interpreter.ExecutionFrame, work uint64) {
	if b, ok := frame.ResolveName(budgetName); ok {
		b.(*budget).spend(work)
	}
}

// isCancelled tells whether an evaluation came to the end of its budget.
func isCancelled(err error) bool {
	cancelled, ok := errors.AsType[interpreter.EvalCancelledError](err)
	return ok && cancelled.Cause == interpreter.CostLimitExceeded
}
