// Package dialect has what all dialects share: the type Dialect, what an expression finds and how
// it fails, and bounds. Each dialect has a package of its own beside this one and is independent of
// what is done at a location; package expr has the table of them.
package dialect

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Dialect is one way to name fields of an object.
type Dialect struct {
	Names
	// Field is the list of a rule that has the expressions: jsonPointers. Doc says what they are.
	Field, Doc string
	// Pattern is a regular expression for all expressions, for the JSON Schema; "" for none.
	Pattern string
	// Flag is the flag of a rule on the command line, and Usage says what it takes.
	Flag, Usage string
	// Rank orders the dialects from the simplest on, as `krm-fields locate` shows them.
	Rank int
	// Parse compiles an expression. The limits are for a dialect that runs jq. Errors are
	// *SyntaxError and those of the limits of package guard.
	Parse func(text string, limits jq.Limits) (Expression, error)
	// Write writes a path, or "" if the dialect can't. The result may not parse, or may find
	// something else, so callers verify it.
	Write func(path hint.Path) string
	// Translate writes an expression in another dialect, by its name, so that it finds the same
	// fields, for programs that don't have this dialect or interpret it differently. An expression
	// that all interpret as intended is returned as it is. Errors are *SyntaxError and
	// *TranslateError.
	Translate func(text string) (into, translated string, err error)
	// Segments returns the keys and indices of an expression that has nothing else, or nil; a
	// segment * stands for the elements of a list. A dialect without such expressions has none.
	Segments func(text string) []string
	// SkipsNull is true if a null field is not found.
	SkipsNull bool
	// MissFails is true if an expression that finds nothing has the message of one that fails,
	// which operators know.
	MissFails bool
	// Begin has the characters with which an expression begins; "" if it may be several expressions
	// with commas between them.
	Begin string
	// Mistake returns an obvious mistake in a valid expression; nil if the dialect knows none.
	Mistake func(text string) (jq.Mistake, bool)
}

// Names are the names of a dialect.
type Names struct {
	// Name is the one in results, in the tag `selector`, and in structured output: jsonPointer.
	Name string
	// Title and Noun are the names in messages: `jq`, `the JQ expression`.
	Title, Noun string
	// Failure begins the message of an expression that fails on an object: `JSON Pointer error`.
	Failure string
}

// JSON Pointer and jq are what most programs take, so the other dialects are translated into them.
var (
	JSONPointer = Names{Name: "jsonPointer", Title: "JSON Pointer", Noun: "JSON Pointer", Failure: "JSON Pointer error"}
	JQ          = Names{Name: "jq", Title: "jq", Noun: "JQ expression", Failure: "JQ expression runtime error"}
)

// Expression is one expression of a dialect, compiled once and safe for use by several goroutines.
type Expression interface {
	Dialect() Names
	// String is the expression as written.
	String() string
	// Locate resolves the expression in one object. Finding nothing is no error. Errors are
	// *RuntimeError and those of the limits of package guard.
	Locate(in *Input) (Match, error)
}

// Match is where an expression leads in one object, or why nowhere.
type Match struct {
	// Locations are in the order of the dialect; one may occur twice or be inside another.
	Locations []location.Location
	// DottedKey is the escaped spelling of a JSONPath that found its field only by joining segments
	// with dots; "" otherwise.
	DottedKey string
	// IsQuoted is true if a JSONPath has the key with dots as a whole in quotes, ['a.b'], which is
	// what other tools read, and Kubernetes takes apart.
	IsQuoted bool
	// Hint says what the author may have meant if Locations is empty, e.g. `did you mean
	// "/metadata/annotations/a.b~1c"?`.
	Hint string
	// Quotes is the part of the expression that Hint quotes; "" for none.
	Quotes string
	// Depth is how many steps matched before the one that Hint is about: of the hints for several
	// objects, the deepest is best.
	Depth int
	// Missing is the field that Hint says the object does not have; nil where it says something
	// else.
	Missing location.Location
}

// Schema is that of an object's kind.
type Schema interface {
	// Declares tells whether the schema has the field.
	Declares(field location.Location) bool
}

// Input is one object to resolve expressions in. It is used by one goroutine.
type Input struct {
	Root *tree.Node
	// WithoutHint is true if no Hint is needed, which costs more than resolving.
	WithoutHint bool
	// Reporter makes the result of a run that a limit of the expression ends; nil for none.
	Reporter guard.Reporter
	// Schema is nil where it is not known. For a field that it declares, no hint offers another
	// name: the object does not set the field, and the other name is another field.
	Schema Schema
	// Find is Lookup for an object that has an index of its maps; nil for another one.
	Find  func(m *tree.Node, key string) *tree.Node
	value any
	known bool
	maps  location.Reader
	// elements are those of the long list of the last filter.
	elements elementsBy
}

// Value returns the object in gojq's types, converted at the first call and shared afterwards; see
// tree.Value.
func (in *Input) Value() any {
	if !in.known {
		in.value, in.known = tree.Value(in.Root), true
	}
	return in.value
}

// Lookup is tree.Lookup, but does not go through a large map for each of many expressions.
func (in *Input) Lookup(m *tree.Node, key string) *tree.Node {
	if in.Find != nil {
		return in.Find(m, key)
	}
	return in.maps.Lookup(m, key)
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

// SegmentsIn is Segments; nil for a dialect that has none.
func (d Dialect) SegmentsIn(text string) []string {
	if d.Segments == nil {
		return nil
	}
	return d.Segments(text)
}

// SegmentsOf returns the segments of a JSON Pointer, and nil for what Translate gives else.
func SegmentsOf(into, translated string, err error) []string {
	if err != nil || into != JSONPointer.Name {
		return nil
	}
	return location.PointerSegments(translated)
}
