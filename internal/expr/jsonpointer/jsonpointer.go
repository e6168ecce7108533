// Package jsonpointer is the dialect of JSON Pointers (RFC 6901).
package jsonpointer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var names = dialect.JSONPointer

// Dialect is the entry of the table.
var Dialect = dialect.Dialect{
	Names:     names,
	Field:     "jsonPointers",
	Doc:       "RFC 6901 JSON Pointers; the segment * selects every element of a list.",
	Pattern:   `^(/([^~/]|~[01])*)+$`,
	Flag:      "pointer",
	Usage:     "`JSON-POINTER`, as in jsonPointers: /spec/replicas",
	Rank:      0,
	Parse:     func(text string, _ jq.Limits) (dialect.Expression, error) { return Parse(text) },
	Write:     hint.Path.Pointer,
	Translate: Translate,
	Segments:  location.PointerSegments,
	MissFails: true,
	Begin:     "/",
}

// pointer is a compiled JSON Pointer.
type pointer struct {
	expression string
	segments   []string
	// inMaps is the location, and the only one, where each segment is a key. The results for all
	// objects share it.
	inMaps []location.Location
}

// Parse compiles a JSON Pointer (RFC 6901) with one extension: a segment that is exactly `*` stands
// for every element of a list; over a map it is an ordinary key. Errors are *SyntaxError.
//
// The empty pointer, which is the whole object, is refused. A segment that is no index finds
// nothing in a list, but `-` and an index with a leading zero are a *RuntimeError there, as only
// the object tells a list from a map.
func Parse(expression string) (dialect.Expression, error) {
	if err := dialect.CheckLength(names, expression); err != nil {
		return nil, err
	}
	if expression == "" {
		return nil, &fault.SyntaxError{
			Noun: names.Noun, Reason: "must name a field; the empty pointer is the whole object",
			Fix: "to leave a whole object to others, leave it out of the package",
		}
	}
	if expression[0] != '/' {
		return nil, &fault.SyntaxError{
			Noun: names.Noun, Expression: expression, Line: 1, Column: 1,
			Reason: fmt.Sprintf(`must start with "/", found %q`, string([]rune(expression)[:1])), Fix: hint.WithSlash(expression),
		}
	}
	if i := location.BadEscape(expression); i >= 0 {
		return nil, escapeError(expression, i)
	}
	segments := location.PointerSegments(expression)
	if len(segments) > dialect.MaxLevels {
		return nil, &fault.SyntaxError{Noun: names.Noun, Expression: expression, Reason: dialect.TooManyLevels}
	}
	inMaps := []location.Location{location.Keys(segments)}
	return &pointer{expression: expression, segments: segments, inMaps: inMaps}, nil
}

func escapeError(expression string, at int) error {
	var fix strings.Builder
	for i := range len(expression) {
		fix.WriteByte(expression[i])
		if expression[i] == '~' && location.BadEscape(expression[i:min(i+2, len(expression))]) == 0 {
			fix.WriteByte('0')
		}
	}
	err := &fault.SyntaxError{
		Noun: names.Noun, Expression: expression,
		Reason: `"~" must be written ~0, and "/" in a key ~1`, Fix: "write '" + fix.String() + "'",
	}
	err.Line, err.Column = fault.Position(expression, at)
	return err
}

func (p *pointer) Dialect() dialect.Names { return names }

func (p *pointer) String() string { return p.expression }

func (p *pointer) Locate(in *dialect.Input) (dialect.Match, error) {
	w := pointerWalk{pointer: p, in: in, budget: dialect.Budget{Left: dialect.MaxWork}}
	var space [dialect.UsualDepth]location.Step
	if err := w.walk(tree.Deref(in.Root), space[:0]); err != nil {
		return dialect.Match{}, err
	}
	if len(w.found) > 0 || in.WithoutHint {
		return dialect.Match{Locations: w.found}, nil
	}
	found := dialect.Match{Depth: len(w.ended)}
	if tree.IsMap(location.At(in.Root, w.ended)) {
		found.Missing = w.ended.With(location.Key(p.segments[len(w.ended)]))
	}
	found.Hint = p.hint(in, w.ended, found.Missing)
	return found, nil
}

// pointerWalk resolves a pointer in one object.
type pointerWalk struct {
	*pointer
	in     *dialect.Input
	budget dialect.Budget
	found  []location.Location
	// ended is the deepest place at which a segment found nothing; not known without a hint.
	ended location.Location
}

// walk resolves the rest of the segments from the node n at a location. It overwrites what follows
// the location's steps in their array.
func (w *pointerWalk) walk(n *tree.Node, at location.Location) error {
	if len(at) == len(w.segments) {
		if len(w.found) == dialect.MaxLocations {
			return w.fail(dialect.TooManyLocations)
		}
		if slices.Equal(at, w.inMaps[0]) {
			w.found = w.inMaps
			return nil
		}
		w.found = append(w.found, slices.Clone(at))
		return nil
	}
	segment := w.segments[len(at)]
	if tree.IsList(n) {
		return w.walkList(n.Content, at, segment)
	}
	if !w.budget.Spend(hint.LookupWork(n)) {
		return w.fail(dialect.TooMuchWork)
	}
	if child := w.in.Lookup(n, segment); child != nil {
		return w.walk(child, append(at, location.Key(segment)))
	}
	w.end(at)
	return nil
}

func (w *pointerWalk) walkList(elements []*tree.Node, at location.Location, segment string) error {
	if segment == "*" && len(elements) > 0 {
		return w.walkElements(elements, at)
	}
	if segment == "-" {
		return w.fail(fmt.Sprintf(`"-" must name an element of %s, but it is the position after the last one; write * for every element`, quotePointer(at)))
	}
	if location.IsDigits(segment) && segment != "0" && segment[0] == '0' {
		return w.fail(fmt.Sprintf("the index %q of %s must have no leading zero", segment, quotePointer(at)))
	}
	if i, ok := location.ListIndex(segment); ok && i < len(elements) {
		return w.walk(tree.Deref(elements[i]), append(at, location.Index(i)))
	}
	w.end(at)
	return nil
}

func (w *pointerWalk) walkElements(elements []*tree.Node, at location.Location) error {
	for i, element := range elements {
		if !w.budget.Spend(dialect.PlaceWork) {
			return w.fail(dialect.TooMuchWork)
		}
		if err := w.walk(tree.Deref(element), append(at, location.Index(i))); err != nil {
			return err
		}
	}
	return nil
}

// end records that the walk found nothing at the location. Of several places the deepest counts, of
// those the first.
func (w *pointerWalk) end(at location.Location) {
	if len(at) > len(w.ended) && !w.in.WithoutHint {
		w.ended = slices.Clone(at)
	}
}

func (w *pointerWalk) fail(cause string) error {
	return &fault.RuntimeError{Failure: names.Failure, Expression: w.expression, Cause: cause}
}

// Translate writes a JSON Pointer with segments * as a jq expression that finds the same fields,
// for programs in which * is an ordinary key. One without * comes back as it is. Errors are
// *fault.SyntaxError and *dialect.TranslateError.
func Translate(expression string) (into, translated string, err error) {
	if _, err := Parse(expression); err != nil {
		return "", "", err
	}
	segments := location.PointerSegments(expression)
	if !slices.Contains(segments, "*") {
		return names.Name, expression, nil
	}
	w := &jq.Writer{PassesOver: true}
	for _, segment := range segments {
		switch {
		case segment == "*":
			// `*` stands for the elements of a list only, not for the members of a map.
			w.Stage("arrays[]")
		case location.IsDigits(segment) || segment == "-":
			return "", "", &dialect.TranslateError{
				Dialect: names, Into: dialect.JQ.Noun, Expression: expression,
				Cause: `"` + segment + `" may be an index or a key, which jq distinguishes`,
			}
		default:
			w.Key(segment)
		}
	}
	return dialect.JQ.Name, w.String(), nil
}
