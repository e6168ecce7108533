// Package dialect is what the dialects have in common: what one is, what an expression finds and
// how it fails, and the bounds that hold for all of them. Each dialect has a package of its own
// beside this one and knows nothing of what is done at a location; package expr has the table of
// them.
package dialect

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/outline"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Dialect is one way to name fields of an object.
type Dialect struct {
	Names
	// Field is the list of a rule that has the expressions: jsonPointers. Doc says what they are.
	Field, Doc string
	// Pattern is what every expression matches, for the JSON Schema; "" where no pattern tells.
	Pattern string
	// Flag is the flag of a rule on the command line, and Usage says what it takes.
	Flag, Usage string
	// Rank orders the dialects from the simplest on, as `krm-fields locate` shows them.
	Rank int
	// Parse compiles an expression. Errors are *SyntaxError and *jq.CompilationError.
	Parse func(text string, limits jq.Limits) (Expression, error)
	// Write writes a path, and is "" where the dialect can't. It may write what does not parse, or
	// finds something else: whoever uses it proves it.
	Write func(path outline.Path) string
	// Translate writes an expression in another dialect, by its name, such that it finds the same
	// fields, for programs that don't have this dialect or read it in another way. What all read as
	// it is meant comes back as it is. Errors are *SyntaxError and *TranslateError.
	Translate func(text string) (into, translated string, err error)
	// Segments returns the keys and indices of an expression that is a path of nothing else, or
	// nil; a segment * stands for the elements of a list.
	Segments func(text string) []string
	// SkipsNull is true where a field that is null is not found.
	SkipsNull bool
	// MissFails is true where operators know an expression that finds nothing by the message of one
	// that fails.
	MissFails bool
	// Several says how to write several expressions that stand in one, and is "" for one; nil where
	// the dialect has no hint for that.
	Several func(text string) string
	// Parts returns the parts of an expression that is a list of them, which are to find something
	// each by itself; nil where the dialect has no such lists.
	Parts func(text string) []jq.Part
	// Meant returns the expression as it is meant, where it can only be a mistake; nil where the
	// dialect has no such mistakes.
	Meant func(text string) (string, bool)
}

// Names are what a dialect is called.
type Names struct {
	// Name is the one in results, in the tag `selector`, and in structured output: jsonPointer.
	Name string
	// Title and Noun are those in messages: `jq`, `the JQ expression`.
	Title, Noun string
	// Failure begins the message of an expression that fails on an object: `JSON Pointer error`.
	Failure string
}

// Expression is one expression of a dialect, compiled once and safe for use by several goroutines.
type Expression interface {
	Dialect() Names
	// String is the expression as written.
	String() string
	// Locate resolves the expression in one object. An expression that finds nothing is no error.
	// Errors are *RuntimeError, *jq.TimeoutError or *jq.MemoryError.
	Locate(in *Input) (Found, error)
}

// Found is what an expression resolves to in one object.
type Found struct {
	// Locations are in the order the dialect yields them; one may be there twice or lie in another.
	Locations []location.Location
	// DottedKey is the escaped spelling of a JSONPath that found its field only by joining segments
	// with dots; "" otherwise.
	DottedKey string
	// IsQuoted is true where a JSONPath has the key with dots as a whole in quotes, ['a.b'], which is
	// what other tools read, and Kubernetes takes apart.
	IsQuoted bool
	// Hint says what the author may have meant where Locations is empty and that can be known, e.g.
	// `did you mean "/metadata/annotations/a.b~1c"?`.
	Hint string
	// Depth is how many steps led somewhere before the one that Hint is about: of the hints for
	// several objects, the deepest tells most.
	Depth int
}

// Input is one object to resolve expressions in. It is used by one goroutine.
type Input struct {
	Root *yaml.Node
	// WithoutHint is true where nobody wants to know why an expression finds nothing, which costs
	// more than finding it.
	WithoutHint bool
	value       any
	known       bool
	index       mapIndex
}

// Value returns the object as gojq takes it, converted at the first call and shared from then on;
// see tree.Value.
func (in *Input) Value() any {
	if !in.known {
		in.value, in.known = tree.Value(in.Root), true
	}
	return in.value
}
