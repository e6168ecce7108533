package locate

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/tree"
	"github.com/krm-fields/krm-fields/fn/words"
)

// The dialects, as the tag `selector` of a result names them.
const (
	JSONPath    = "jsonPath"
	JSONPointer = "jsonPointer"
	JQ          = "jq"
)

// Expression is one expression of a dialect, compiled once and safe for use by
// several goroutines.
type Expression interface {
	// Dialect is JSONPath, JSONPointer or JQ.
	Dialect() string
	// String is the expression as written.
	String() string
	// Locate resolves the expression in one object. An expression that finds
	// nothing is no error. Errors are *RuntimeError, *jq.TimeoutError or
	// *jq.MemoryError.
	Locate(in *Input) (Found, error)
}

// Found is what an expression resolves to in one object.
type Found struct {
	// Locations are in the order the dialect yields them; one may be there
	// twice or lie in another.
	Locations []Location
	// DottedKey is the escaped spelling of a JSONPath that found its field only
	// by joining segments with dots; "" otherwise.
	DottedKey string
	// Hint says what the author may have meant where Locations is empty and
	// that can be known, e.g. `did you mean "/metadata/annotations/a.b~1c"?`.
	Hint string
	// Depth is how many steps led somewhere before the one that Hint is about:
	// of the hints for several objects, the deepest tells most.
	Depth int
}

// Input is one object to resolve expressions in. It is used by one goroutine.
type Input struct {
	Root *yaml.Node
	// WithoutHint is true where nobody wants to know why an expression finds nothing, which costs more than finding it.
	WithoutHint bool
	value       any
	known       bool
}

// Value returns the object as gojq takes it, converted at the first call and
// shared from then on; see tree.Value.
func (in *Input) Value() any {
	if !in.known {
		in.value, in.known = tree.Value(in.Root), true
	}
	return in.value
}

// SyntaxError is an expression that its dialect refuses, found before any
// object is touched.
type SyntaxError struct {
	Dialect    string
	Expression string
	// Line and Column say where, from 1; Column counts characters. Both are 0
	// where the whole expression is at fault.
	Line, Column int
	// Reason says what was expected and what was found, without the position.
	Reason string
	// Fix is what to write instead, or "" where that can't be known.
	Fix string
}

func (e *SyntaxError) Error() string {
	names := map[string]string{JSONPath: "JSONPath", JSONPointer: "JSON Pointer", JQ: "JQ expression"}
	message := fmt.Sprintf("invalid %s '%s'", names[e.Dialect], e.Expression)
	if e.Line > 0 {
		message += fmt.Sprintf(" (line %d, column %d)", e.Line, e.Column)
	}
	message += ": " + e.Reason
	if e.Fix != "" {
		message += "; " + e.Fix
	}
	return message
}

// Caret returns the line of the expression that is at fault with a caret below
// the place, or "" where the place is not known.
func (e *SyntaxError) Caret() string { return words.Caret(e.Expression, e.Line, e.Column) }

// RuntimeError is an expression that failed on one object.
type RuntimeError struct {
	Dialect    string
	Expression string
	Cause      string
	// SafeCause is Cause without values of the object, or "" where Cause has
	// none. Only a jq expression that raises an error itself can show values.
	SafeCause string
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

// Error has the form that the seed ocm-ignorefield-selectors.md gives to the
// messages of runtime errors.
func (e *RuntimeError) Error() string {
	switch e.Dialect {
	case JSONPath:
		return fmt.Sprintf("JSONPath error in '%s': %s", e.Expression, e.Cause)
	case JSONPointer:
		return fmt.Sprintf("JSON Pointer error in '%s': %s", e.Expression, e.Cause)
	}
	return fmt.Sprintf("JQ expression runtime error in '%s': %s", e.Expression, e.Cause)
}
