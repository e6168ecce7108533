package resourcelist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// jsonList is a list in JSON, cut into its items.
type jsonList struct {
	text           []byte
	items, results jsonArray
	// end is the offset behind the last member.
	end int
	// lineBreak is that of the text, "" if it is on one line; unit indents each level.
	lineBreak, unit string
	// objects are the items of the input.
	objects []*object.Object
}

// span is a part of a text, from the offset start to the offset end.
type span struct{ start, end int }

func (s span) of(text []byte) []byte { return text[s.start:s.end:s.end] }

// jsonArray is the value of a member of a list in JSON.
type jsonArray struct {
	key string
	// span is that of the value; empty if the list has no such member.
	span
	// elements are those of an array, up to one more than the limit.
	elements []span
}

// readJSON cuts the text into items without parsing them. It returns false if the text is no list
// in JSON; jsonFault says why. List.isVerified tells whether every item is valid, and with the
// items all of the text.
func readJSON(text []byte, check check) (*List, bool) {
	j, ok := cutJSON(text)
	if !ok || j.resultFault() != nil {
		return nil, false
	}
	functionConfig, err := j.readEnvelope(check)
	if err != nil {
		return nil, false
	}
	j.objects = object.JSONItems(len(j.items.elements), func(i int) []byte { return j.items.elements[i].of(j.text) })
	return &List{Items: slices.Clone(j.objects), FunctionConfig: functionConfig, layout: j}, true
}

// jsonFault returns the *Error that says why the text is no list in JSON; nil if it is one.
func jsonFault(text []byte, check check) error {
	j, ok := cutJSON(text)
	if !ok {
		j.items, j.results = jsonArray{}, jsonArray{}
	}
	err := j.itemFault()
	if err == nil {
		err = j.resultFault()
	}
	if err != nil {
		return wireError(err)
	}
	_, err = j.readEnvelope(check)
	return err
}

// readEnvelope checks the list without its items and results, and returns its functionConfig.
func (j *jsonList) readEnvelope(check check) (*tree.Node, error) {
	limit := maxItems(len(j.text))
	for _, m := range j.arrays() {
		if len(m.elements) > limit {
			line := 1 + bytes.Count(j.text[:m.elements[limit].start], []byte{'\n'})
			return nil, &Error{Line: line, Reason: fmt.Sprintf("a list of %d bytes must have at most %d %s", len(j.text), limit, m.key)}
		}
	}
	root, err := tree.ParseJSON(j.envelope())
	if err != nil {
		return nil, wireError(err)
	}
	e, err := readEnvelope(root, check)
	if err != nil {
		return nil, err
	}
	return e.functionConfig, checkItems(root)
}

func checkItems(root *tree.Node) error {
	items := tree.Get(root, "items")
	if t := tree.Type(items); t != tree.List && t != tree.Null {
		return &Error{Line: lineOf(items), Reason: "items must be a list, found a " + t}
	}
	return nil
}

// itemFault and resultFault return the *tree.SyntaxError of the first item or result that can't be
// parsed, with its line in the text.
func (j *jsonList) itemFault() error   { return j.elementFault(j.items) }
func (j *jsonList) resultFault() error { return j.elementFault(j.results) }

func (j *jsonList) elementFault(a jsonArray) error {
	line, at := 1, 0
	for _, e := range a.elements {
		line += bytes.Count(j.text[at:e.start], []byte{'\n'})
		at = e.start
		memory := tree.NewMemory()
		_, err := memory.ParseJSON(e.of(j.text), object.JSONDepth)
		memory.Free()
		if syntax, ok := errors.AsType[*tree.SyntaxError](err); ok {
			return &tree.SyntaxError{Line: line + syntax.Line - 1, Reason: syntax.Reason}
		}
	}
	return nil
}

// envelope returns the text with only the line breaks of its items and results, so that its lines
// are those of the text.
func (j *jsonList) envelope() []byte {
	var out bytes.Buffer
	at := 0
	for _, m := range j.arrays() {
		if n := len(m.elements); n > 0 {
			out.Write(j.text[at:m.elements[0].start])
			at = m.elements[n-1].end
			breaks := bytes.Count(j.text[m.elements[0].start:at], []byte{'\n'})
			out.Write(bytes.Repeat([]byte{'\n'}, breaks))
		}
	}
	out.Write(j.text[at:])
	return out.Bytes()
}

// arrays returns the items and results of the text, in their order.
func (j *jsonList) arrays() []*jsonArray {
	all := []*jsonArray{&j.items, &j.results}
	slices.SortFunc(all, func(a, b *jsonArray) int { return a.start - b.start })
	return slices.DeleteFunc(all, func(a *jsonArray) bool { return a.end == 0 })
}

// cutJSON finds the items and the results of a list. It returns false if the text is no JSON
// object; but it may return true for one if an item, a result or what is around them is invalid.
func cutJSON(text []byte) (*jsonList, bool) {
	text = bytes.TrimLeft(text, "\ufeff")
	j := &jsonList{text: text, items: jsonArray{key: "items"}, results: jsonArray{key: "results"}}
	s := jsonScanner{text: text}
	if !s.take('{') {
		return j, false
	}
	j.setLayout(s.at)
	for s.next() != '}' {
		key := s.value()
		if j.end = key.end; s.at == len(text) || !s.take(':') {
			return j, false
		}
		ok := true
		switch keyOf(key.of(text)) {
		case j.items.key:
			ok = s.array(&j.items)
		case j.results.key:
			ok = s.array(&j.results)
		default:
			s.value()
		}
		if j.end = s.at; !ok {
			return j, false
		}
		s.take(',')
	}
	return j, true
}

// keyOf returns the value of a string in JSON; "" if it is invalid.
func keyOf(text []byte) string {
	var key string
	_ = json.Unmarshal(text, &key)
	return key
}

// jsonScanner scans JSON. What it finds is right if the text is valid.
type jsonScanner struct {
	text []byte
	at   int
}

// next skips blanks and returns the byte behind them; 0 at the end of the text.
func (s *jsonScanner) next() byte {
	for s.at < len(s.text) && isJSONBlank(s.text[s.at]) {
		s.at++
	}
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

func isJSONBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// take skips blanks and the given byte behind them, and the blanks behind that; false if there is
// another one.
func (s *jsonScanner) take(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	s.next()
	return true
}

// array skips the value of a member, and notes its elements. It returns false if they are not
// separated by commas, or the member is there again.
func (s *jsonScanner) array(a *jsonArray) bool {
	if a.end != 0 {
		return false
	}
	a.start = s.at
	if s.next() != '[' {
		a.span = s.value()
		return true
	}
	s.take('[')
	for more := s.next() != ']'; more; more = s.take(',') {
		if c := s.next(); c == ']' || c == ',' || c == 0 {
			return false
		}
		if element := s.value(); len(a.elements) <= maxItems(len(s.text)) {
			a.elements = append(a.elements, element)
		}
	}
	if s.next() != ']' {
		return false
	}
	s.at++
	a.end = s.at
	return true
}

// value skips a value.
func (s *jsonScanner) value() span {
	start := s.at
	for depth := 0; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '"':
			s.toQuote()
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 || !s.endsScalar() {
				continue
			}
		}
		if depth <= 0 {
			s.at++
			break
		}
	}
	return span{start, s.at}
}

// toQuote skips to the quote that ends this string.
func (s *jsonScanner) toQuote() {
	for s.at++; s.at < len(s.text) && s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	s.at = min(s.at, len(s.text)-1) // an open string
}

// endsScalar tells whether this byte is the last one of a number or a word.
func (s *jsonScanner) endsScalar() bool {
	if s.at+1 == len(s.text) {
		return true
	}
	next := s.text[s.at+1]
	return next == ',' || next == ']' || next == '}' || isJSONBlank(next)
}
