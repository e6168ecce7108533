package dialect

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
)

// SyntaxError is an expression that its dialect refuses.
type SyntaxError = hint.SyntaxError

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
