package patchpath

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
)

// symbol is one character of a path, or one expression.
type symbol struct {
	char rune
	// expression is the number of the expression, counted from 0.
	expression int
	column     int
}

// Symbols that are no characters.
const (
	endOfPath        rune = -1
	expressionSymbol rune = -2
)

// segmentParser parses the text of a path.
type segmentParser struct {
	text    string
	symbols []symbol
	// at is the index of the next symbol.
	at       int
	segments []segmentTemplate
}

func parseSegments(pieces []Piece) ([]segmentTemplate, error) {
	p := newSegmentParser(pieces)
	if len(p.text) > dialect.MaxBytes {
		return nil, faultAt(dialect.Preview(p.text), 1, dialect.TooLong(p.text))
	}
	if p.peek() != '/' {
		return nil, p.fail(`must start with "/", found %s`, p.found())
	}
	for p.peek() != endOfPath {
		if err := p.segment(); err != nil {
			return nil, err
		}
		if len(p.segments) > dialect.MaxLevels {
			return nil, p.fail("%s", dialect.TooManyLevels)
		}
	}
	return p.segments, nil
}

func newSegmentParser(pieces []Piece) *segmentParser {
	p := &segmentParser{}
	column, expressions := 1, 0
	var text strings.Builder
	for _, piece := range pieces {
		text.WriteString(piece.Text)
		if piece.IsExpression {
			p.symbols = append(p.symbols, symbol{char: expressionSymbol, expression: expressions, column: column})
			expressions++
			column += len([]rune(piece.Text))
			continue
		}
		for _, r := range piece.Text {
			p.symbols = append(p.symbols, symbol{char: r, column: column})
			column++
		}
	}
	p.text = text.String()
	p.symbols = append(p.symbols, symbol{char: endOfPath, column: column})
	return p
}

func (p *segmentParser) peek() rune { return p.symbols[p.at].char }

// peekSecond returns the character after the next one.
func (p *segmentParser) peekSecond() rune {
	return p.symbols[min(p.at+1, len(p.symbols)-1)].char
}

// skip takes the next character if it is c.
func (p *segmentParser) skip(c rune) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *segmentParser) skipSpaces() {
	for p.peek() == ' ' || p.peek() == '\t' {
		p.at++
	}
}

// found names the next symbol in messages.
func (p *segmentParser) found() string {
	switch c := p.peek(); c {
	case endOfPath:
		return "the end of the path"
	case expressionSymbol:
		return "an expression"
	default:
		return fmt.Sprintf("%q", string(c))
	}
}

func (p *segmentParser) fail(format string, args ...any) error {
	return p.failAt(p.at, format, args...)
}

func (p *segmentParser) failAt(at int, format string, args ...any) error {
	return faultAt(p.text, p.symbols[at].column, fmt.Sprintf(format, args...))
}

// segment parses a slash, the name after it, and the brackets after that.
func (p *segmentParser) segment() error {
	if !p.skip('/') {
		return p.fail(`must continue with "/" or "[", found %s`, p.found())
	}
	if p.peek() != '[' {
		if err := p.name(); err != nil {
			return err
		}
	}
	for p.peek() == '[' {
		if err := p.bracket(); err != nil {
			return err
		}
	}
	return nil
}

// name parses what is between two slashes.
func (p *segmentParser) name() error {
	var text textTemplate
	for !p.atAny('/', '[', endOfPath) {
		if err := p.character(&text, false); err != nil {
			return err
		}
	}
	kind := nameSegment
	if len(text) == 1 && text.isLiteral() && text[0].literal == "-" {
		kind = dashSegment
	}
	return p.add(segmentTemplate{kind: kind, name: text})
}

func (p *segmentParser) add(s segmentTemplate) error {
	if n := len(p.segments); n > 0 && p.segments[n-1].kind == appendSegment {
		return p.fail("[-] must be the last segment")
	}
	p.segments = append(p.segments, s)
	return nil
}

func (p *segmentParser) atAny(chars ...rune) bool { return slices.Contains(chars, p.peek()) }

// character takes one character or expression to text and unescapes ~0 and ~1. In quotes a
// backslash escapes a quote and itself.
func (p *segmentParser) character(text *textTemplate, quoted bool) error {
	next := p.symbols[p.at]
	switch {
	case next.char == expressionSymbol:
		*text = append(*text, textPart{expression: next.expression, isExpression: true})
		p.at++
		return nil
	case next.char == '~':
		return p.escape(text)
	case quoted && next.char == '\\' && slices.Contains([]rune{'\\', '\'', '"'}, p.peekSecond()):
		text.add(p.peekSecond())
		p.at += 2
		return nil
	}
	text.add(next.char)
	p.at++
	return nil
}

func (p *segmentParser) escape(text *textTemplate) error {
	switch p.peekSecond() {
	case '0':
		text.add('~')
	case '1':
		text.add('/')
	default:
		return p.fail(`"~" must be written ~0, and "/" in a key ~1`)
	}
	p.at += 2
	return nil
}

// add appends a character of literal text.
func (t *textTemplate) add(char rune) {
	if n := len(*t); n > 0 && !(*t)[n-1].isExpression {
		(*t)[n-1].literal += string(char)
		return
	}
	*t = append(*t, textPart{literal: string(char)})
}

// bracket parses [0], [*], [-] or [?(…)].
func (p *segmentParser) bracket() error {
	opening := p.at
	p.at++
	p.skipSpaces()
	s := segmentTemplate{}
	var err error
	switch c := p.peek(); {
	case c == '?':
		s.kind = filterSegment
		s.filter, err = p.filter()
	case c == '*':
		s.kind = wildcardSegment
		p.at++
	case c == '-' && !isDigit(p.peekSecond()):
		s.kind = appendSegment
		p.at++
	default:
		s.kind = nameSegment
		s.name, err = p.index()
	}
	if err != nil {
		return err
	}
	p.skipSpaces()
	if !p.skip(']') {
		return p.failAt(opening, "[ must be closed by ], found %s", p.found())
	}
	if !p.atAny('/', '[', endOfPath) {
		return p.fail(`a bracket must be followed by "/" or "[", found %s`, p.found())
	}
	return p.add(s)
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

func (p *segmentParser) index() (textTemplate, error) {
	var text textTemplate
	for isDigit(p.peek()) || p.peek() == expressionSymbol {
		if err := p.character(&text, false); err != nil {
			return nil, err
		}
	}
	if len(text) == 0 && p.peek() == '-' && isDigit(p.peekSecond()) {
		return nil, p.fail("an index must not be negative; it counts from the start of the list, and a filter selects an element by what is in it")
	}
	if len(text) == 0 {
		return nil, p.fail("brackets must contain an index, *, - or a filter ?(…), found %s", p.found())
	}
	return text, nil
}
