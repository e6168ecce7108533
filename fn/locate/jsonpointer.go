package locate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/tree"
)

// pointer is a compiled JSON Pointer.
type pointer struct {
	expression string
	segments   []string
	guesses    guesses
}

// ParseJSONPointer compiles a JSON Pointer (RFC 6901) with one extension: a
// segment that is exactly `*` stands for every element of a list; over a map it
// is an ordinary key. Errors are *SyntaxError.
//
// The empty pointer, which is the whole object, is refused. A segment that is
// no index finds nothing in a list, but `-` and an index with a leading zero
// are a *RuntimeError there, as only the object tells a list from a map.
func ParseJSONPointer(expression string) (Expression, error) {
	if err := checkLength(JSONPointer, expression); err != nil {
		return nil, err
	}
	if expression == "" {
		return nil, &SyntaxError{
			Dialect: JSONPointer,
			Reason:  "must name a field, and the empty pointer is the whole object",
		}
	}
	if expression[0] != '/' {
		return nil, missingSlash(expression)
	}
	if i := badEscape(expression); i >= 0 {
		return nil, pointerEscapeError(expression, i)
	}
	segments := PointerSegments(expression)
	if len(segments) > maxLevels {
		return nil, &SyntaxError{Dialect: JSONPointer, Expression: expression, Reason: tooManyLevels}
	}
	return &pointer{expression: expression, segments: segments}, nil
}

// PointerSegments returns the unescaped segments of a pointer that is not empty.
func PointerSegments(text string) []string {
	segments := strings.Split(text, "/")[1:]
	for i, segment := range segments {
		segments[i] = strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
	}
	return segments
}

// badEscape returns where a `~` is that neither 0 nor 1 follows, or -1.
func badEscape(text string) int {
	for i := range len(text) {
		if text[i] != '~' {
			continue
		}
		if i+1 == len(text) || text[i+1] != '0' && text[i+1] != '1' {
			return i
		}
	}
	return -1
}

func pointerEscapeError(expression string, at int) error {
	var fix strings.Builder
	for i := range len(expression) {
		fix.WriteByte(expression[i])
		if expression[i] == '~' && badEscape(expression[i:min(i+2, len(expression))]) == 0 {
			fix.WriteByte('0')
		}
	}
	err := &SyntaxError{
		Dialect: JSONPointer, Expression: expression,
		Reason: `"~" must be written ~0, and "/" in a key ~1`,
		Fix:    fmt.Sprintf("write '%s'", fix.String()),
	}
	err.Line, err.Column = position(expression, at)
	return err
}

// position returns the line and column, both from 1, of the byte at offset.
func position(text string, offset int) (line, column int) {
	before := text[:offset]
	line = strings.Count(before, "\n") + 1
	column = len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	return line, column
}

func missingSlash(expression string) error {
	err := &SyntaxError{
		Dialect: JSONPointer, Expression: expression, Line: 1, Column: 1,
		Reason: fmt.Sprintf(`must start with "/", found %q`, string([]rune(expression)[:1])),
	}
	err.Fix = pointerSyntaxFix(expression)
	return err
}

// pointerSyntaxFix says what to write for a text without a leading slash, or "".
func pointerSyntaxFix(text string) string {
	if isPipeOfJQ(text) {
		return underJQ
	}
	if g, ok := guessPath(text); ok {
		if pointer := proved(g.jsonPointer(), ParseJSONPointer); pointer != "" {
			return fmt.Sprintf("write '%s'", pointer)
		}
		if path := proved(g.jsonPath(), parseSteps); path != "" {
			return noPointer(path)
		}
	}
	if fix := pointerFix(text); fix != "" && badEscape(fix) < 0 {
		return fmt.Sprintf("write '%s'", fix)
	}
	return ""
}

// noPointer offers a JSONPath where no JSON Pointer can be had.
func noPointer(path string) string {
	return fmt.Sprintf("a JSON Pointer can't choose list elements by a field; write the jsonPath '%s'", path)
}

// pointerFix returns the pointer that the writer of a text without a leading
// slash may have meant, or "": the text may be a JSONPath, with or without its
// leading dot, a URI fragment, or just lack the slash.
func pointerFix(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), "#")
	switch {
	case text == "":
		return ""
	case text[0] == '/':
		return text
	case strings.Contains(".$@{[", text[:1]):
		return pointerFromPath(text)
	case strings.Contains(text, "/"):
		return "/" + text
	}
	return pointerFromPath("." + text)
}

func pointerFromPath(text string) string {
	path, err := parseJSONPath(text)
	if err != nil {
		return ""
	}
	return path.pointer()
}

func (p *pointer) Dialect() string { return JSONPointer }

func (p *pointer) String() string { return p.expression }

func (p *pointer) Locate(in *Input) (Found, error) {
	w := pointerWalk{pointer: p, budget: budget{left: maxWork}, withoutHint: in.WithoutHint}
	var space [usualDepth]Step
	if err := w.walk(tree.Deref(in.Root), space[:0]); err != nil {
		return Found{}, err
	}
	if len(w.found) == 0 && in.WithoutHint {
		return Found{}, nil
	}
	if len(w.found) == 0 {
		return Found{Hint: p.hint(in.Root, w.ended), Depth: len(w.ended)}, nil
	}
	return Found{Locations: w.found}, nil
}

// pointerWalk resolves a pointer in one object.
type pointerWalk struct {
	*pointer
	budget budget
	found  []Location
	// ended is the deepest place at which a segment found nothing; not known
	// where withoutHint is true.
	ended       Location
	withoutHint bool
}

// usualDepth is how deep places usually are; deeper ones cost an allocation.
const usualDepth = 16

// walk goes on from the node n, which is at the location. It writes behind the
// location's steps.
func (w *pointerWalk) walk(n *yaml.Node, at Location) error {
	if len(at) == len(w.segments) {
		if len(w.found) == maxLocations {
			return w.fail(tooManyLocations)
		}
		w.found = append(w.found, slices.Clone(at))
		return nil
	}
	segment := w.segments[len(at)]
	if tree.IsList(n) {
		return w.walkList(n.Content, at, segment)
	}
	if !w.budget.spend(members(n)) {
		return w.fail(tooMuchWork)
	}
	if child := tree.Lookup(n, segment); child != nil {
		return w.walk(child, append(at, Key(segment)))
	}
	w.end(at)
	return nil
}

// members is the work of looking a key up in n.
func members(n *yaml.Node) int {
	if n == nil {
		return 1
	}
	return len(n.Content)/2 + 1
}

func (w *pointerWalk) walkList(elements []*yaml.Node, at Location, segment string) error {
	if segment == "*" && len(elements) > 0 {
		return w.walkElements(elements, at)
	}
	if segment == "-" {
		return w.fail(fmt.Sprintf(`"-" must name an element of %s, but stands for the one after its last`, quotePointer(at)))
	}
	if isDigits(segment) && segment != "0" && segment[0] == '0' {
		return w.fail(fmt.Sprintf("the index %q of %s must have no leading zero", segment, quotePointer(at)))
	}
	if i, ok := listIndex(segment); ok && i < len(elements) {
		return w.walk(tree.Deref(elements[i]), append(at, Index(i)))
	}
	w.end(at)
	return nil
}

func (w *pointerWalk) walkElements(elements []*yaml.Node, at Location) error {
	for i, element := range elements {
		if !w.budget.spend(placeWork) {
			return w.fail(tooMuchWork)
		}
		if err := w.walk(tree.Deref(element), append(at, Index(i))); err != nil {
			return err
		}
	}
	return nil
}

// end records that the walk found nothing at the location. Of several places
// the deepest counts, of those the first.
func (w *pointerWalk) end(at Location) {
	if len(at) > len(w.ended) && !w.withoutHint {
		w.ended = slices.Clone(at)
	}
}

func (w *pointerWalk) fail(cause string) error {
	return &RuntimeError{Dialect: JSONPointer, Expression: w.expression, Cause: cause}
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// listIndex returns the index that a segment is in a list (RFC 6901, section
// 4: digits without a leading zero); false where it is none. An index beyond
// what an int holds is the largest int.
func listIndex(segment string) (int, bool) {
	if !isDigits(segment) || segment[0] == '0' && segment != "0" {
		return 0, false
	}
	i, err := strconv.Atoi(segment)
	if err != nil {
		return math.MaxInt, true
	}
	return i, true
}

// quotePointer names a location in the messages about JSON Pointers.
func quotePointer(l Location) string {
	if len(l) == 0 {
		return "the object"
	}
	return strconv.Quote(l.Pointer())
}
