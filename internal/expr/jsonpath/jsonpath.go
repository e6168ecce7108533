// Package jsonpath is the dialect of Kubernetes JSONPath, as `kubectl -o jsonpath` parses it.
package jsonpath

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var names = dialect.Names{Name: "jsonPath", Title: "JSONPath", Noun: "JSONPath", Failure: "JSONPath error"}

// Dialect is the entry of the table.
var Dialect = dialect.Dialect{
	Names:     names,
	Field:     "jsonPaths",
	Pattern:   `^\s*[.$@\[{]`,
	Doc:       "Kubernetes JSONPath expressions.",
	Flag:      "jsonpath",
	Usage:     "`JSONPATH`, as in jsonPaths: .spec.replicas",
	Rank:      1,
	Parse:     func(text string, _ jq.Limits) (dialect.Expression, error) { return Parse(text) },
	Write:     Write,
	Translate: Translate,
	Segments:  func(text string) []string { return dialect.SegmentsOf(Translate(text)) },
	Begin:     ".$",
}

// jsonPath is a compiled JSONPath.
type jsonPath struct {
	expression string
	// opening and closing are what is around the steps: `{$` and `}`.
	opening, closing string
	steps            []jsonStep
	// quoted are the steps with each name in quotes as one, dots included; nil if that is the same.
	quoted []jsonStep
	// plain is the location, and the only one, of a path that is names only; else it is empty.
	plain []location.Location
}

// jsonStep is one step of a JSONPath: one node of client-go's parser.
type jsonStep struct {
	// node is a field, a wildcard, an array (an index or a slice), a recursive descent, a union or
	// a filter.
	node jsonpath.Node
	// source is the step as written.
	source string
	// names is how many names, this one and those after it, are in one pair of quotes; 0 for one.
	names int
	// members are the paths of a union.
	members [][]jsonStep
	// condition is that of a filter.
	condition *condition
}

// Parse compiles a Kubernetes JSONPath as `kubectl -o jsonpath` and k8s.io/client-go/util/jsonpath
// parse it; its braces and the leading `$` are optional. Errors are *SyntaxError.
//
// What names no field is refused: `range` and `end`, functions, text, values and several blocks; so
// are the parts that client-go reads as something else than they look like (`[]` as the first
// element, a `}` in a key as the end of the path) and what it finds wrong only on an object (a step
// of 0, an operator `=`). As in client-go, `['a.b']` is `.a.b`, and `$` in a filter is the list
// element.
//
// Unlike in client-go, an index out of range finds nothing, and a slice ends at the end of its
// list. Numbers compare by value, whole numbers of any size exactly.
//
// Where the path finds nothing in an object, `['a.b']` is tried as one key, and then names that
// follow each other are tried joined with dots against the keys that exist, the longest first; see
// Found.DottedKey.
func Parse(expression string) (dialect.Expression, error) {
	path, err := parse(expression)
	if err != nil {
		return nil, err
	}
	return path, nil
}

func (p *jsonPath) Dialect() dialect.Names { return names }

func (p *jsonPath) String() string { return p.expression }

func (p *jsonPath) Locate(in *dialect.Input) (dialect.Match, error) {
	if found, ok := p.lookUp(in); ok {
		return found, nil
	}
	places := rooms.Get().(*room)
	defer places.free()
	w := newPathWalk(in, p.expression, p.steps, dialect.NewBudget(), places)
	root := &reachedNode{node: tree.Deref(in.Root), written: p.opening}
	reached, err := w.walk([]*reachedNode{root}, p.steps)
	if err != nil || len(reached) > 0 {
		return foundAt(reached), err
	}
	if !canJoin(p.steps) {
		return w.notFound(in), nil
	}
	found, deepest, err := p.joined(root, w)
	if err != nil || len(found.Locations) == 0 {
		return deepest.notFound(in), err
	}
	return found, nil
}

// joined resolves the path with names joined with dots: those in quotes alone, or else any. It also
// returns the walk that ended deepest, this one or the one with no name joined.
func (p *jsonPath) joined(root *reachedNode, plain *pathWalk) (dialect.Match, *pathWalk, error) {
	deepest := plain
	for _, steps := range [][]jsonStep{p.quoted, p.steps} {
		if steps == nil {
			continue
		}
		w := newPathWalk(plain.in, p.expression, steps, dialect.NewBudget(), plain.room)
		w.spells, w.joins = true, &steps[0] == &p.steps[0]
		places, err := w.walk([]*reachedNode{root}, steps)
		if err != nil {
			return dialect.Match{}, deepest, err
		}
		if len(places) > 0 {
			found := foundAt(places)
			found.DottedKey, found.IsQuoted = places[0].spelling()+p.closing, !w.joins
			return found, deepest, nil
		}
		if w.ended.depth() > deepest.ended.depth() {
			deepest = w
		}
	}
	return dialect.Match{}, deepest, nil
}

// lookUp resolves a path of plain names. It is false if the path must be walked: where it has other
// steps, where names may have to be joined, and for a hint.
func (p *jsonPath) lookUp(in *dialect.Input) (dialect.Match, bool) {
	n := tree.Deref(in.Root)
	for i, step := range p.steps {
		field, ok := step.node.(*jsonpath.FieldNode)
		if !ok || i+1 < len(p.steps) && hasLongerKey(n, field.Value) {
			return dialect.Match{}, false
		}
		if n = in.Lookup(n, field.Value); n == nil {
			return dialect.Match{}, in.WithoutHint
		}
	}
	return dialect.Match{Locations: p.plain}, true
}

// hasLongerKey tells whether a key of the map n is the name, a dot and more.
func hasLongerKey(n *tree.Node, name string) bool {
	for key := range tree.Entries(n) {
		if len(key) > len(name) && key[len(name)] == '.' && strings.HasPrefix(key, name) {
			return true
		}
	}
	return false
}

func foundAt(places []*reachedNode) dialect.Match {
	found := dialect.Match{}
	for _, p := range places {
		found.Locations = append(found.Locations, p.location())
	}
	return found
}

// arraySegment returns the segment of a JSON Pointer that is an index; "" for a slice.
func arraySegment(node *jsonpath.ArrayNode) string {
	if start, end := node.Params[0], node.Params[1]; end.Derived && start.Value >= 0 {
		return strconv.Itoa(start.Value)
	}
	return ""
}

// Write writes a path as a JSONPath, which callers verify by parsing it. A filter with several
// conditions, of which a JSONPath can have one, becomes the index of its element.
func Write(path hint.Path) string {
	text := ""
	for _, s := range path {
		switch {
		case s.Kind == hint.Key:
			text = writeField(text, s.Key)
		case s.Kind == hint.Index:
			text += "[" + s.Key + "]"
		case len(s.Conditions) == 1:
			text += "[?(" + writeCondition(s.Conditions[0]) + ")]"
		default:
			text += "[" + s.Position + "]"
		}
	}
	return text
}

func writeCondition(c hint.Condition) string {
	place := "@"
	for _, name := range c.Field {
		place = writeField(place, name)
	}
	return place + "==" + c.Literal(quote)
}

func quote(text string) string {
	if strings.Contains(text, `"`) {
		return "'" + text + "'"
	}
	return `"` + text + `"`
}

// writeField returns the path extended by the key as one name.
func writeField(path, key string) string {
	first, _ := utf8.DecodeRuneInString(key)
	switch {
	case key == "":
		return path + "['']"
	case strings.HasSuffix(path, "..") && (first == '_' || unicode.IsLetter(first) || unicode.IsDigit(first)):
		return path + escapeField(key)
	}
	return path + "." + escapeField(key)
}

// escapeField escapes the characters that end a name for client-go's parser.
func escapeField(key string) string {
	if key == "*" {
		return `\*`
	}
	var b strings.Builder
	for _, r := range key {
		if endsName(r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// endsName tells whether the character ends a name that it is not escaped in.
func endsName(r rune) bool { return strings.ContainsRune(" \t\r\n.,[]$@{}", r) }
