package cel

import (
	"fmt"
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

// Evaluated returns what a Secret's value may be in, see redact.EvaluationError.
func (e *EvalError) Evaluated() (cause string, written []string, safe string) {
	return e.Cause, []string{e.Expression, causeWords}, ""
}

// WithCause returns the error with another cause.
func (e *EvalError) WithCause(cause string) error {
	return &EvalError{Expression: e.Expression, Cause: cause, MissingField: e.MissingField}
}

// causeWords are the words of causes, those of cel-go and ours. All other words may come from data.
const causeWords = `a an and any are argument attribute attributes be bool boolean bounds but by bytes can cannot conversion convert
could data division divide duration does element error errors evaluation exist expression failed field fields format for found
from function give has have in index int integer invalid is it its JSON key keys larger length less list map member
missing modulus must negative no none not null number object of once one only optional orValue or out overflow overload
overloads parsing ParseBool ParseFloat ParseInt ParseUint range regexp result size strconv string strings such supported
syntax than that the time Timestamp timestamp to too true false twice type types uint undefined unexpected unknown unsupported
value values when with yield yields zero`

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
