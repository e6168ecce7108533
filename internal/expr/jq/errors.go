package jq

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
)

// SyntaxError is an expression that can't be compiled.
type SyntaxError = hint.SyntaxError

// RuntimeError is an expression that failed on one value. Its messages have a form that operators
// know.
type RuntimeError struct {
	Expression string
	// Cause says why. Values of the input appear in it only where the expression itself raises them
	// with `error`.
	Cause string
	// SafeCause is Cause without any value of the input.
	SafeCause string
}

func (e *RuntimeError) Error() string {
	return fmt.Sprintf("JQ expression runtime error in '%s': %s", e.Expression, e.Cause)
}

// WithoutData implements redact.EvaluationError.
func (e *RuntimeError) WithoutData() error {
	return &RuntimeError{Expression: e.Expression, Cause: e.SafeCause, SafeCause: e.SafeCause}
}

// shorten returns at most size bytes of s, with dots where something is left out.
func shorten(s string, size int) string {
	if len(s) <= size {
		return s
	}
	cut := size
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "..."
}
