package patchpath

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// filter parses what follows the [ of a filter, up to its closing parenthesis.
func (p *segmentParser) filter() (*filterTemplate, error) {
	p.at++
	p.skipSpaces()
	opening := p.at
	if !p.skip('(') {
		return nil, p.fail(`"?" must be followed by "(", found %s`, p.found())
	}
	p.skipSpaces()
	field, err := p.field()
	if err != nil {
		return nil, err
	}
	filter := &filterTemplate{field: field}
	p.skipSpaces()
	if p.peek() != ')' {
		if err := p.comparison(filter); err != nil {
			return nil, err
		}
		p.skipSpaces()
	}
	if p.atAny('&', '|') {
		return nil, p.fail("a filter must be one condition, found %s", p.found())
	}
	if !p.skip(')') {
		return nil, p.failAt(opening, "( must be closed by ), found %s", p.found())
	}
	return filter, nil
}

// field parses the path of a field in a list element: @.a.b or @['a.b'].
func (p *segmentParser) field() ([]textTemplate, error) {
	if !p.skip('@') {
		return nil, p.fail("a filter must begin with @, as in [?(@.name=='web')], found %s", p.found())
	}
	var names []textTemplate
	for p.atAny('.', '[') {
		name, err := p.fieldName()
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func (p *segmentParser) fieldName() (textTemplate, error) {
	if p.peek() == '[' {
		return p.bracketedName()
	}
	p.at++
	var name textTemplate
	for !p.atAny('.', '[', ']', '(', ')', '=', '!', '<', '>', '&', '|', '/', '\'', '"', ' ', '\t', endOfPath) {
		if p.peek() == '\\' && p.peekSecond() != endOfPath && p.peekSecond() != expressionSymbol {
			name.add(p.peekSecond())
			p.at += 2
			continue
		}
		if err := p.character(&name, false); err != nil {
			return nil, err
		}
	}
	if p.peek() == '/' {
		return nil, p.fail(`"/" in a key must be written ~1`)
	}
	if len(name) == 0 {
		return nil, p.fail(`"." must be followed by a name, found %s`, p.found())
	}
	return name, nil
}

// bracketedName parses ['a.b'] or [0].
func (p *segmentParser) bracketedName() (name textTemplate, err error) {
	opening := p.at
	p.at++
	p.skipSpaces()
	if p.atAny('\'', '"') {
		name, err = p.quotedText()
	} else {
		name, err = p.index()
	}
	if err != nil {
		return nil, err
	}
	p.skipSpaces()
	if !p.skip(']') {
		return nil, p.failAt(opening, "[ must be closed by ], found %s", p.found())
	}
	return name, nil
}

func (p *segmentParser) quotedText() (textTemplate, error) {
	opening, quote := p.at, p.peek()
	p.at++
	var text textTemplate
	for !p.skip(quote) {
		if p.peek() == endOfPath {
			return nil, p.failAt(opening, "%s must be closed", string(quote))
		}
		if err := p.character(&text, true); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// comparison parses the operator and what it compares with.
func (p *segmentParser) comparison(filter *filterTemplate) error {
	first, second := p.peek(), p.peekSecond()
	if (first != '=' && first != '!') || second != '=' {
		return p.fail("a filter must compare with == or !=, found %s", p.found())
	}
	filter.operator = string(first) + string(second)
	p.at += 2
	p.skipSpaces()
	var err error
	if filter.quoted = p.atAny('\'', '"'); filter.quoted {
		filter.value, err = p.quotedText()
	} else {
		filter.value, err = p.bareValue()
	}
	return err
}

// bareValue parses a value that is not in quotes.
func (p *segmentParser) bareValue() (textTemplate, error) {
	begin := p.at
	var text textTemplate
	for !p.atAny(' ', '\t', ')', ']', '&', '|', endOfPath) {
		if err := p.character(&text, false); err != nil {
			return nil, err
		}
	}
	if len(text) == 0 {
		return nil, p.fail("a filter must compare with a value, found %s", p.found())
	}
	if !text.isLiteral() {
		return text, nil
	}
	literal := text.bind(nil)
	if s, isString := plainScalar(literal).(string); isString {
		return nil, p.failAt(begin, "%q must be a number, true, false, null or a string in quotes", s)
	}
	return text, nil
}

// Write writes a path, which callers verify; "" if it has steps that no path of ApplyPatches has.
func Write(path hint.Path) string {
	var b strings.Builder
	for _, s := range path {
		switch {
		case s.Kind == hint.Index && s.Key == "*":
			b.WriteString("[*]")
		case s.IsSegment():
			b.WriteString("/" + location.EscapePointer(s.Key))
		case s.Kind == hint.Filter && len(s.Conditions) == 1:
			b.WriteString(writeFilter(TestOf(s.Conditions[0])))
		default:
			return ""
		}
	}
	return b.String()
}

// writeFilter returns the filter as a path has it.
func writeFilter(f Test) string {
	var b strings.Builder
	b.WriteString("[?(@")
	for _, name := range f.Field {
		if strings.ContainsAny(name, ` .[]()=!<>'"`) || name == "" {
			name = "[" + strconv.Quote(name) + "]"
		} else {
			name = "." + name
		}
		b.WriteString(name)
	}
	if s, isString := f.Value.(string); isString {
		quote := "'"
		if strings.Contains(s, quote) {
			quote = `"`
		}
		b.WriteString(f.Operator + quote + s + quote)
	} else if f.Operator != "" {
		fmt.Fprintf(&b, "%s%s", f.Operator, bareText(f.Value))
	}
	return b.String() + ")]"
}

// bareText writes a value as it is outside quotes.
func bareText(value any) string {
	if value == nil {
		return "null"
	}
	return fmt.Sprint(value)
}
