package cel

import (
	"errors"
	"maps"
	"slices"
	"strings"

	celgo "cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
)

// Condition is an expression that is true or false. It is safe for use by several goroutines.
type Condition struct{ program *Program }

// CompileCondition compiles a condition, in ${…} or bare. Errors are those of Compile; an
// expression that can't be true or false is a *SyntaxError, too.
func (e *Environment) CompileCondition(text string) (*Condition, error) {
	program, err := e.compileEither(text)
	if err != nil {
		return nil, err
	}
	output := outputType(program)
	if kind := output.Kind(); kind != celgo.BoolKind && kind != celgo.DynKind {
		return nil, invalid(program.expression, "the condition must be true or false, found an expression of the type %s", output)
	}
	return &Condition{program}, nil
}

// outputType returns the type of the result; for an optional value, that of the value in it.
func outputType(program *Program) *celgo.Type {
	output := program.checked.OutputType()
	if output.TypeName() == types.OptionalType.TypeName() {
		return output.Parameters()[0]
	}
	return output
}

// compileEither compiles an expression in ${…}, or a bare one: no CEL expression begins with ${.
func (e *Environment) compileEither(text string) (*Program, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "${") {
		return e.compileWhole(text)
	}
	program, err := e.Compile(text)
	if fault, ok := errors.AsType[*fault.SyntaxError](err); ok && strings.Contains(text, "${") {
		fault.Fix = "write the condition as a whole, either in one ${…} or without"
	}
	return program, err
}

// String returns the expression as written.
func (c *Condition) String() string { return c.program.expression }

// Reads tells whether the condition has a variable or calls a function.
func (c *Condition) Reads(name string) bool { return c.program.Reads(name) }

// Holds tells whether the condition is true. It is false if it fails because a field of the
// variable Resource is missing, which it names if a negation asks for it: such a condition was
// probably meant to be true. Errors are those of Program.Eval.
func (c *Condition) Holds(in Input) (holds bool, negated string, err error) {
	v, err := c.program.Eval(in)
	if failure, ok := errors.AsType[*EvalError](err); ok && c.program.lacksResource(failure) {
		if c.program.isNegated(failure) {
			negated = strings.TrimPrefix(failure.Cause, missingKey)
		}
		return false, negated, nil
	}
	if err != nil {
		return false, "", err
	}
	holds, ok := v.(bool)
	if !ok {
		cause := "the condition must be true or false, found " + typeName(v)
		return false, "", &EvalError{Expression: c.program.expression, Cause: cause}
	}
	return holds, "", nil
}

// Loop is an expression that yields a list or a map to iterate over. It is safe for use by several
// goroutines.
type Loop struct{ program *Program }

// CompileLoop compiles a text that must be one expression in ${…}. Errors are those of Compile; an
// expression that can't yield a list or a map is a *SyntaxError, too.
func (e *Environment) CompileLoop(text string) (*Loop, error) {
	program, err := e.compileWhole(text)
	if err != nil {
		return nil, err
	}
	output := outputType(program)
	switch output.Kind() {
	case celgo.ListKind, celgo.MapKind, celgo.DynKind, celgo.NullTypeKind:
		return &Loop{program}, nil
	}
	return nil, invalid(program.expression, "it must yield a list or a map, found an expression of the type %s", output)
}

// String returns the expression as written.
func (l *Loop) String() string { return l.program.expression }

// Elements returns the elements of the list; those of a map are maps themselves, {key, value},
// sorted by key. A null has none. Errors are those of Program.Eval.
func (l *Loop) Elements(in Input) ([]any, error) {
	v, err := l.program.Eval(in)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	case map[string]any:
		elements := make([]any, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			elements = append(elements, map[string]any{"key": key, "value": v[key]})
		}
		return elements, nil
	}
	cause := "it must yield a list or a map, found " + typeName(v)
	return nil, &EvalError{Expression: l.program.expression, Cause: cause}
}
