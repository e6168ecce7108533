package cel

import (
	"fmt"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
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

func invalid(expression, format string, args ...any) *fault.SyntaxError {
	return &fault.SyntaxError{Noun: noun, Expression: expression, Shown: maxShown, Reason: fmt.Sprintf(format, args...)}
}

// EvalError is an expression that failed. Cause may quote data.
type EvalError struct {
	Expression string
	Cause      string
	// node is the id of the part of the expression that failed.
	node int64
}

// safeCause returns the cause without data.
func (e *EvalError) safeCause() string {
	for _, known := range causesWithoutData {
		if strings.HasPrefix(e.Cause, known) {
			return e.Cause
		}
	}
	for _, known := range causesWithData {
		if strings.HasPrefix(e.Cause, known) {
			return known
		}
	}
	return "the evaluation failed"
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

func (e *EvalError) Error() string { return e.Show(words.Open{}, false) }

// Show implements redact.ComposedError.
func (e *EvalError) Show(mask words.Mask, hasSecret bool) string {
	cause := mask.Text(preview(e.Cause))
	if hasSecret {
		cause = preview(e.safeCause())
	}
	return fmt.Sprintf("CEL expression runtime error in '%s': %s", mask.Expression(preview(e.Expression)), cause)
}

// preview is the beginning of a text that is too long for a message.
func preview(text string) string { return words.Shorten(text, maxShown) }

// maxShown is how many characters of an expression or a cause are in a message.
const maxShown = 300
