package cel

import (
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// guard takes the work of each step of one program off the budget before the
// step is made, because cel-go can't interrupt a function that takes all the
// memory or time there is.
type guard struct {
	overloads map[string]*functions.Overload
	// patterns are the regular expressions that are constants.
	patterns map[string]*pattern
	// done are the ids of the attributes that were decorated: cel-go decorates a
	// selection x.y.z once more at each of its steps.
	done map[int64]bool
}

// newGuard returns the guard of an expression. The error is a *SyntaxError: a
// regular expression that is wrong, or too much work.
func (e *Environment) newGuard(expression string, checked *ast.AST) (*guard, error) {
	base, err := baseLibrary()
	if err != nil {
		return nil, err
	}
	patterns, err := e.compileConstants(expression, checked)
	if err != nil {
		return nil, err
	}
	return &guard{overloads: base.overloads, patterns: patterns, done: map[int64]bool{}}, nil
}

// decorate is a decorator of programs.
func (g *guard) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	switch i := i.(type) {
	case interpreter.InterpretableCall:
		return g.call(i), nil
	case interpreter.InterpretableConstructor:
		return newConstructor(i), nil
	case interpreter.InterpretableAttribute:
		if !g.done[i.ID()] {
			g.done[i.ID()] = true
			return guardedAttribute{i}, nil
		}
	}
	return i, nil
}

func (g *guard) call(call interpreter.InterpretableCall) interpreter.InterpretableV2 {
	guarded := &guardedCall{InterpretableCall: call, args: call.Args(), work: works[call.Function()]}
	overload, ok := g.overloads[call.OverloadID()]
	if !ok {
		overload, ok = g.overloads[call.Function()]
	}
	switch function := call.Function(); {
	case function == operators.Equals:
		guarded.apply = func(args []ref.Val) ref.Val { return types.Equal(args[0], args[1]) }
	case function == operators.NotEquals:
		guarded.apply = func(args []ref.Val) ref.Val { return types.Bool(types.Equal(args[0], args[1]) != types.True) }
	case function == overloads.Matches:
		guarded.work, guarded.apply = g.matchWork, g.match
	case !ok || overload.NonStrict || len(guarded.args) == 0:
		return call
	case takesTimeZone[function] && len(guarded.args) == 2:
		guarded.apply = offsetOnly(implementation(overload))
	default:
		guarded.apply = implementation(overload)
	}
	return guarded
}

// implementation returns what cel-go would call for a call of the overload.
func implementation(overload *functions.Overload) func(args []ref.Val) ref.Val {
	return func(args []ref.Val) ref.Val {
		hasTrait := overload.OperandTrait == 0 || args[0].Type().HasTrait(overload.OperandTrait)
		switch {
		case hasTrait && len(args) == 1 && overload.Unary != nil:
			return overload.Unary(args[0])
		case hasTrait && len(args) == 2 && overload.Binary != nil:
			return overload.Binary(args[0], args[1])
		case hasTrait && overload.Function != nil:
			return overload.Function(args...)
		}
		return types.NoSuchOverloadErr()
	}
}

// guardedCall is a call whose work is taken off the budget first.
type guardedCall struct {
	interpreter.InterpretableCall
	args []interpreter.InterpretableV2
	// work is nil where it does not grow with the arguments.
	work  func(args []ref.Val) uint64
	apply func(args []ref.Val) ref.Val
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
	result := c.apply(args)
	if err, ok := result.(*types.Err); ok && errors.Is(err, noSuchOverload) {
		return types.NewErr("no such overload: %s", describe(c.Function(), args))
	}
	return result
}

// noSuchOverload is the error of cel-go that does not say which overload.
var noSuchOverload, _ = types.NoSuchOverloadErr().(*types.Err)

// describe returns a call with the types of its arguments: `string + int`.
func describe(function string, args []ref.Val) string {
	names := make([]string, len(args))
	for i, arg := range args {
		names[i] = arg.Type().TypeName()
	}
	symbol, isOperator := operators.FindReverse(function)
	switch {
	case isOperator && len(names) == 2:
		return names[0] + " " + symbol + " " + names[1]
	case isOperator && len(names) == 1:
		return symbol + names[0]
	}
	return function + "(" + strings.Join(names, ", ") + ")"
}

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
	v := c.InterpretableConstructor.Exec(frame)
	if m, ok := v.(traits.Mapper); ok {
		return sortedMap{m}
	}
	return v
}

// Eval implements interpreter.Interpretable.
func (c constructor) Eval(activation interpreter.Activation) ref.Val {
	return c.Exec(interpreter.AsFrame(activation))
}

// takesTimeZone has the functions of a timestamp that take a time zone.
var takesTimeZone = map[string]bool{
	overloads.TimeGetDate: true, overloads.TimeGetDayOfMonth: true, overloads.TimeGetDayOfWeek: true,
	overloads.TimeGetDayOfYear: true, overloads.TimeGetFullYear: true, overloads.TimeGetHours: true,
	overloads.TimeGetMilliseconds: true, overloads.TimeGetMinutes: true, overloads.TimeGetMonth: true,
	overloads.TimeGetSeconds: true,
}

// offsetOnly refuses the names of time zones, which mean what the files of the
// machine say.
func offsetOnly(apply func(args []ref.Val) ref.Val) func(args []ref.Val) ref.Val {
	return func(args []ref.Val) ref.Val {
		if zone, ok := args[1].(types.String); ok && !strings.Contains(string(zone), ":") && zone != "UTC" {
			return types.WrapErr(fmt.Errorf("a time zone must be UTC or an offset such as +01:00, found %q", string(zone)))
		}
		return apply(args)
	}
}
