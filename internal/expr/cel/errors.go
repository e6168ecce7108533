package cel

import (
	"fmt"
	"strings"
	"time"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/words"
)

// VariableError is a name that can't be a variable.
type VariableError struct {
	Name   string
	Reason string
}

func (e *VariableError) Error() string {
	return fmt.Sprintf("'%s' can't be a variable: %s", preview(e.Name), e.Reason)
}

// SyntaxError reports an expression or a template that can't be compiled: bad syntax, an unknown
// name, a function on types that it does not accept.
type SyntaxError struct {
	// Expression is the expression without ${ and }, or the whole template if no expression is at
	// fault.
	Expression string
	// Line and Column say where in Expression, from 1; Column counts characters. Both are 0 where
	// the whole expression is at fault.
	Line, Column int
	// Reason says what was expected and what was found.
	Reason string
	// Fix is what to write instead, or "" if that is unknown.
	Fix string
	// Err is a *quota.CompilationError if the budget for compilation was exhausted; else nil.
	Err error
}

// Unwrap returns Err.
func (e *SyntaxError) Unwrap() error { return e.Err }

func (e *SyntaxError) Error() string {
	return (&hint.SyntaxError{
		Noun: "CEL expression", Expression: preview(e.Expression), Line: e.Line, Column: e.Column, Reason: e.Reason, Fix: e.Fix,
	}).Error()
}

// Caret returns the line of the expression that is at fault with a caret below the place, or ""
// where the place is not known.
func (e *SyntaxError) Caret() string {
	return (&hint.SyntaxError{Expression: e.Expression, Line: e.Line, Column: e.Column}).Caret()
}

// EvalError is an expression that failed. Cause may quote data.
type EvalError struct {
	Expression string
	Cause      string
	// MissingField is true if the cause is a field that the variable Resource, or a part of it,
	// does not have.
	MissingField bool
}

// WithoutData implements redact.EvaluationError.
func (e *EvalError) WithoutData() error {
	safe := EvalError{Expression: e.Expression, Cause: "the evaluation failed", MissingField: e.MissingField}
	for _, known := range causesWithoutData {
		if strings.HasPrefix(e.Cause, known) {
			safe.Cause = e.Cause
		}
	}
	for _, known := range causesWithData {
		if strings.HasPrefix(e.Cause, known) {
			safe.Cause = known
		}
	}
	return &safe
}

// causesWithoutData are the beginnings of causes that quote no data, those of cel-go and ours;
// causesWithData quote data behind their beginnings.
var (
	causesWithoutData = []string{
		"type conversion error from ", "division by zero", "modulus by zero", "integer overflow", "unsigned integer overflow",
		"the condition must be true or false, found ", "it must yield a list or a map, found ", "a key must be a string, found ",
	}
	causesWithData = []string{"no such key", "no such attribute", "no such overload", "index out of bounds", "a map must have each key once"}
)

func (e *EvalError) Error() string {
	return fmt.Sprintf("CEL expression runtime error in '%s': %s", preview(e.Expression), preview(e.Cause))
}

// LimitError reports an expression that was stopped. The same expression may work on other data.
type LimitError struct {
	Expression string
	// Timeout is the time that was used up; 0 if it was the cost.
	Timeout time.Duration
}

func (e *LimitError) Error() string {
	if e.Timeout > 0 {
		return fmt.Sprintf("CEL expression timed out after %s: '%s'", e.Timeout, preview(e.Expression))
	}
	return fmt.Sprintf("CEL expression exceeded its cost limit of %d: '%s'", costLimit, preview(e.Expression))
}

// preview is the beginning of a text that is too long for a message.
func preview(text string) string { return words.Shorten(text, 300) }
