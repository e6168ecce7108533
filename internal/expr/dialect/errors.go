package dialect

import (
	"cmp"
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

// WithoutData implements redact.EvaluationError.
func (e *RuntimeError) WithoutData() error {
	return &RuntimeError{Dialect: e.Dialect, Expression: e.Expression, Cause: cmp.Or(e.SafeCause, e.Cause)}
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
