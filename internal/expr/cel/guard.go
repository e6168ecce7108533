package cel

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// guard charges the budget for each step of one program before the step runs, because cel-go can't
// interrupt a function that takes all memory or time.
type guard struct {
	overloads map[string]*functions.Overload
	// patterns are the regular expressions that are constants.
	patterns map[string]*pattern
	// loops are the ids of the comprehensions, which may yield maps.
	loops map[int64]bool
	// done are the ids of the attributes that were decorated: cel-go decorates a selection x.y.z
	// once more at each of its steps.
	done map[int64]bool
}

// newGuard returns the guard of an expression. The error is a *SyntaxError: a regular expression
// that is wrong, or too much work.
func (e *Environment) newGuard(expression string, checked *ast.AST) (*guard, error) {
	base, err := baseLibrary()
	if err != nil {
		return nil, err
	}
	patterns, err := e.compileConstants(expression, checked)
	if err != nil {
		return nil, err
	}
	loops := map[int64]bool{}
	ast.PostOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.ComprehensionKind {
			loops[e.ID()] = true
		}
	}))
	return &guard{overloads: base.overloads, patterns: patterns, loops: loops, done: map[int64]bool{}}, nil
}

// guardCall returns a call that is charged first, and may have another implementation; false for
// one that is left as it is.
func (g *guard) guardCall(guarded *guardedCall) bool {
	call := guarded.InterpretableCall
	guarded.work = works[call.Function()]
	overload, ok := g.overloads[call.OverloadID()]
	if !ok {
		overload, ok = g.overloads[call.Function()]
	}
	switch function := call.Function(); {
	case function == ObjectFunction:
		guarded.looksUp = true
	case function == operators.Equals:
		guarded.apply = func(args []ref.Val) ref.Val { return types.Equal(args[0], args[1]) }
	case function == operators.NotEquals:
		guarded.apply = func(args []ref.Val) ref.Val { return types.Bool(types.Equal(args[0], args[1]) != types.True) }
	case function == overloads.Matches:
		guarded.work, guarded.apply = g.matchWork, g.match
	case !ok || overload.NonStrict || len(guarded.args) == 0:
		return false
	case takesTimeZone[function] && len(guarded.args) == 2:
		guarded.apply = offsetOnly(implementation(overload))
	default:
		guarded.apply = implementation(overload)
	}
	return true
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

// takesTimeZone has the functions of a timestamp that take a time zone.
var takesTimeZone = map[string]bool{
	overloads.TimeGetDate: true, overloads.TimeGetDayOfMonth: true, overloads.TimeGetDayOfWeek: true,
	overloads.TimeGetDayOfYear: true, overloads.TimeGetFullYear: true, overloads.TimeGetHours: true,
	overloads.TimeGetMilliseconds: true, overloads.TimeGetMinutes: true, overloads.TimeGetMonth: true,
	overloads.TimeGetSeconds: true,
}

// offsetOnly refuses the names of time zones, which mean what the files of the machine say.
func offsetOnly(apply func(args []ref.Val) ref.Val) func(args []ref.Val) ref.Val {
	return func(args []ref.Val) ref.Val {
		if zone, ok := args[1].(types.String); ok && !strings.Contains(string(zone), ":") && zone != "UTC" {
			return types.WrapErr(fmt.Errorf("a time zone must be UTC or an offset such as +01:00, found %q", string(zone)))
		}
		return apply(args)
	}
}
