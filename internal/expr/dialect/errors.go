package dialect

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/words"
)

// SyntaxError reports an expression that its dialect refuses, before any object is read.
type SyntaxError struct {
	Dialect    Names
	Expression string
	// Line and Column say where, from 1; Column counts characters. Both are 0 if the whole
	// expression is at fault.
	Line, Column int
	// Reason says what was expected and what was found, without the position.
	Reason string
	// Fix is what to write instead, or "" where that can't be known.
	Fix string
}

func (e *SyntaxError) Error() string {
	return words.Invalid(e.Dialect.Noun, e.Expression, e.Line, e.Column, e.Reason, e.Fix)
}

// Caret returns the line of the expression that is at fault with a caret below the place, or ""
// where the place is not known.
func (e *SyntaxError) Caret() string { return words.Caret(e.Expression, e.Line, e.Column) }

// RuntimeError reports an expression that failed on one object.
type RuntimeError struct {
	Dialect    Names
	Expression string
	Cause      string
	// SafeCause is Cause without values of the object, or "" if Cause has none. Only a jq
	// expression that raises an error itself can show values.
	SafeCause string
	// KeylessCause is Cause without keys of the object, or "" where Cause has none.
	KeylessCause string
}

// Evaluated returns what a Secret's value may be in, see redact.EvaluationError.
func (e *RuntimeError) Evaluated() (cause string, written []string, safe string) {
	if e.SafeCause == "" {
		return "", nil, ""
	}
	return e.Cause, []string{e.Expression}, e.SafeCause
}

// WithCause returns the error with another cause.
func (e *RuntimeError) WithCause(cause string) error {
	return &RuntimeError{Dialect: e.Dialect, Expression: e.Expression, Cause: cause}
}

func (e *RuntimeError) Error() string {
	return fmt.Sprintf("%s in '%s': %s", e.Dialect.Failure, e.Expression, e.Cause)
}

// TranslateError reports an expression that can't be written in another dialect.
type TranslateError struct {
	Dialect Names
	// Into is the noun of the other dialect.
	Into       string
	Expression string
	Cause      string
}

func (e *TranslateError) Error() string {
	return fmt.Sprintf("the %s '%s' can't be written as a %s: %s", e.Dialect.Noun, e.Expression, e.Into, e.Cause)
}
