package jq

import (
	"errors"
	"fmt"
	"time"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/quantity"
)

// SyntaxError is an expression that can't be compiled.
type SyntaxError = hint.SyntaxError

// RuntimeError is an expression that failed on one value. Messages of all errors below have forms
// that operators know.
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

// Evaluated returns what a Secret's value may be in, see redact.EvaluationError.
func (e *RuntimeError) Evaluated() (cause string, written []string, safe string) {
	if e.Cause == e.SafeCause {
		return "", nil, ""
	}
	return e.Cause, []string{e.Expression}, e.SafeCause
}

// WithCause returns the error with another cause.
func (e *RuntimeError) WithCause(cause string) error {
	return &RuntimeError{Expression: e.Expression, Cause: cause, SafeCause: e.SafeCause}
}

// TimeoutError reports an evaluation that took longer than Limit.
type TimeoutError struct {
	Expression string
	Limit      time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("JQ expression timed out after %s: '%s'", e.Limit, e.Expression)
}

// MemoryError reports an evaluation that needed more than Limit bytes of memory, or overflowed the
// stack.
type MemoryError struct {
	Expression string
	Limit      int64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("JQ expression exceeded %s of memory: '%s'", quantity.Bytes(e.Limit), e.Expression)
}

// ChildError reports a child process that could not be started, or that ended for another reason
// than the expression.
type ChildError struct {
	Expression string
	Err        error
}

func (e *ChildError) Error() string {
	what := "could not be started"
	if _, hasEnded := errors.AsType[*endedError](e.Err); hasEnded {
		what = "ended"
	}
	return fmt.Sprintf("the process that evaluates the JQ expression '%s' %s: %v", e.Expression, what, e.Err)
}

func (e *ChildError) Unwrap() error { return e.Err }

// CompilationError reports a run whose expressions take too much work to compile.
type CompilationError struct {
	// Limit is how many steps all of them may take.
	Limit int
}

func (e *CompilationError) Error() string {
	return fmt.Sprintf("the JQ expressions of a run must take at most %d steps to compile, all together; "+
		"use fewer or shorter ones; equal ones count once", e.Limit)
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

// endedError is a child that ended for a reason other than the expression.
type endedError struct{ reason string }

func (e *endedError) Error() string { return e.reason }
