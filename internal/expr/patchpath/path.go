// Package patchpath is the syntax of the paths of ApplyPatches.
package patchpath

import (
	"errors"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/hint"
)

// Path is a compiled path: the segments of an RFC 6901 pointer, extended by filters, `[*]` and the
// append markers `/-` and `[-]`.
type Path struct {
	text     string
	segments []segment
}

// segment is one segment of a path.
type segment struct {
	kind   segmentKind
	name   string
	filter *Test
}

type segmentKind int

const (
	// nameSegment is a key of a map, or, where it is a number, an index of a list.
	nameSegment segmentKind = iota
	// dashSegment is `-`: a key of a map, on a list the place after its end.
	dashSegment
	// appendSegment is `[-]`, the place after the end of a list.
	appendSegment
	// wildcardSegment is `[*]`, every element of a list.
	wildcardSegment
	// filterSegment is `[?(…)]`, the elements of a list that the filter accepts.
	filterSegment
)

// Piece is a part of the text of a path: literal text, or a CEL expression whose value is not known
// yet.
type Piece struct {
	// Text is the literal text with the template's own escape `$${` resolved, or the expression as
	// written, `${…}` included.
	Text         string
	IsExpression bool
}

// Value is the value of a CEL expression in a path. Text stands for it in a name and in a
// string; Value, as tree.Scalar gives it, where the expression alone is what a filter compares
// with, outside quotes. A map or a list has no Value there and is its Text.
type Value struct {
	Text  string
	Value any
}

// Template is a path with CEL expressions in it, parsed once.
//
// An expression can be in a name, in brackets as an index, in the field of a filter and in what
// the filter compares with. Wherever it stands it is literal text: no character of it ends a
// segment, escapes another or is a marker.
type Template struct {
	pieces   []Piece
	segments []segmentTemplate
}

// segmentTemplate is a segment before its expressions are known.
type segmentTemplate struct {
	kind   segmentKind
	name   textTemplate
	filter *filterTemplate
}

type filterTemplate struct {
	field    []textTemplate
	operator string
	value    textTemplate
	quoted   bool
}

// textTemplate is text in which the values of expressions stand.
type textTemplate []textPart

// textPart is literal text, or, where isExpression is true, the value of the expression with the
// number expression, counted from 0.
type textPart struct {
	literal      string
	expression   int
	isExpression bool
}

// faultAt is a path that can't be parsed at a character, counted from 1.
func faultAt(path string, character int, reason string) *fault.SyntaxError {
	before := []rune(path)
	before = before[:min(character-1, len(before))]
	line, column := fault.Position(string(before), len(string(before)))
	return &fault.SyntaxError{Noun: "path", Expression: path, Line: line, Column: column + character - 1 - len(before), Reason: reason}
}

// ParseTemplate compiles a path that is made of the pieces. Errors are *SyntaxError.
func ParseTemplate(pieces []Piece) (*Template, error) {
	segments, err := parseSegments(pieces)
	if e, ok := errors.AsType[*fault.SyntaxError](err); ok {
		e.Fix = hint.WithSlash(e.Expression)
		if path, ok := hint.FromKustomize(e.Expression); ok {
			e.Fix = "write " + Write(path)
		}
	}
	if err != nil {
		return nil, err
	}
	return &Template{pieces: pieces, segments: segments}, nil
}

// Bind returns the path in which the values stand for the expressions, in their order.
func (t *Template) Bind(values []Value) *Path {
	path, text, next := &Path{segments: make([]segment, len(t.segments))}, strings.Builder{}, 0
	for _, piece := range t.pieces {
		if piece.IsExpression {
			piece.Text = values[next].Text
			next++
		}
		text.WriteString(piece.Text)
	}
	path.text = text.String()
	for i, s := range t.segments {
		path.segments[i] = segment{kind: s.kind, name: s.name.bind(values)}
		if s.filter != nil {
			path.segments[i].filter = s.filter.bind(values)
		}
	}
	return path
}

func (t textTemplate) bind(values []Value) string {
	var b strings.Builder
	for _, part := range t {
		if part.isExpression {
			part.literal = values[part.expression].Text
		}
		b.WriteString(part.literal)
	}
	return b.String()
}

// isLiteral tells whether no expression is in the text.
func (t textTemplate) isLiteral() bool {
	return !slices.ContainsFunc(t, func(part textPart) bool { return part.isExpression })
}

func (f *filterTemplate) bind(values []Value) *Test {
	bound := &Test{Operator: f.operator}
	for _, name := range f.field {
		bound.Field = append(bound.Field, name.bind(values))
	}
	if f.operator != "" {
		bound.Value = f.bindValue(values)
	}
	return bound
}

// bindValue returns what the filter compares with: text in quotes is a string, an expression alone
// has its own type, and any other text is what YAML takes it for.
func (f *filterTemplate) bindValue(values []Value) any {
	text := f.value.bind(values)
	if f.quoted {
		return text
	}
	if len(f.value) == 1 && f.value[0].isExpression {
		switch value := values[f.value[0].expression].Value.(type) {
		case map[string]any, []any:
			return text
		default:
			return value
		}
	}
	return plainScalar(text)
}

// String returns the path as written, with the values of its expressions.
func (p *Path) String() string { return p.text }

// String returns the path as written, expressions included.
func (t *Template) String() string { return newSegmentParser(t.pieces).text }
