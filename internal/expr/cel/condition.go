package cel

import (
	"errors"
	"fmt"
	"strings"

	celgo "cel.dev/cel-go/cel"
)

// Condition is an expression that is true or false. It is safe for use by several goroutines.
type Condition struct{ program *Program }

// CompileCondition compiles a condition, in ${…} or bare. The error is a *SyntaxError, also if the
// expression can't be true or false.
func (e *Environment) CompileCondition(text string) (*Condition, error) {
	program, err := e.compileEither(text)
	if err != nil {
		return nil, err
	}
	if kind := program.output.Kind(); kind != celgo.BoolKind && kind != celgo.DynKind {
		reason := fmt.Sprintf("the condition must be true or false, found an expression of the type %s", program.output)
		return nil, &SyntaxError{Expression: program.expression, Reason: reason}
	}
	return &Condition{program}, nil
}

// compileEither compiles an expression in ${…}, or a bare one: no CEL expression begins with ${.
func (e *Environment) compileEither(text string) (*Program, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "${") {
		return e.CompileWhole(text)
	}
	program, err := e.Compile(text)
	if fault, ok := errors.AsType[*SyntaxError](err); ok && strings.Contains(text, "${") {
		fault.Fix = "write the condition as a whole, either in one ${…} or without"
	}
	return program, err
}

// String returns the expression as written.
func (c *Condition) String() string { return c.program.expression }

// Reads tells whether the condition has a variable or calls a function.
func (c *Condition) Reads(name string) bool { return c.program.Reads(name) }

// Holds tells whether the condition is true. It is false if it fails because a field of the
// variable Resource is missing. The error is an *EvalError or a *LimitError.
func (c *Condition) Holds(variables map[string]any) (bool, error) {
	v, err := c.program.Eval(variables)
	if failure, ok := errors.AsType[*EvalError](err); ok && failure.MissingField {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	holds, ok := v.(bool)
	if !ok {
		cause := "the condition must be true or false, found " + typeName(v)
		return false, &EvalError{Expression: c.program.expression, Cause: cause}
	}
	return holds, nil
}
