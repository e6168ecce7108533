package resourcelist

import (
	"bytes"
	"encoding/json"
)

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

// members returns the members items and results, in their order.
func (j *jsonList) members() []*jsonArray {
	switch items, results := &j.items, &j.results; {
	case results.end == 0 && items.end == 0:
		return nil
	case results.end == 0:
		return []*jsonArray{items}
	case items.end == 0:
		return []*jsonArray{results}
	case results.start < items.start:
		return []*jsonArray{results, items}
	default:
		return []*jsonArray{items, results}
	}
}

// cutJSON finds the items and the results of a list, which must be valid JSON.
func cutJSON(text []byte) *jsonList {
	j := &jsonList{text: text, items: jsonArray{key: "items"}, results: jsonArray{key: "results"}}
	s := jsonScanner{text: text}
	s.skipBlanks()
	if text[s.at] != '{' {
		return j // its envelope shows that it is no list
	}
	s.at++
	s.skipBlanks()
	j.layout = jsonLayoutOf(text, s.at)
	for text[s.at] != '}' {
		key := s.value()
		s.next() // the colon
		switch keyOf(key.of(text)) {
		case j.items.key:
			s.member(&j.items)
		case j.results.key:
			s.member(&j.results)
		default:
			s.value()
		}
		j.end = s.at
		s.next()
	}
	return j
}

// keyOf returns the value of a string in JSON.
func keyOf(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	var key string
	_ = json.Unmarshal(text, &key) // the text is known to be valid
	return key
}

// jsonScanner scans valid JSON.
type jsonScanner struct {
	text []byte
	at   int
}

func (s *jsonScanner) skipBlanks() {
	for s.at < len(s.text) && isJSONBlank(s.text[s.at]) {
		s.at++
	}
}

func isJSONBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// next skips the colon or the comma behind a value, if there is one, and the blanks on both sides.
func (s *jsonScanner) next() {
	s.skipBlanks()
	if s.at < len(s.text) && (s.text[s.at] == ',' || s.text[s.at] == ':') {
		s.at++
		s.skipBlanks()
	}
}

// member skips the value of a member.
func (s *jsonScanner) member(m *jsonArray) {
	m.elements = nil
	if s.text[s.at] != '[' {
		m.span = s.value()
		return
	}
	m.start = s.at
	s.at++
	s.skipBlanks()
	for s.text[s.at] != ']' {
		if element := s.value(); len(m.elements) <= maxItems(len(s.text)) {
			m.elements = append(m.elements, element)
		}
		s.next()
	}
	s.at++
	m.end = s.at
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
		if depth == 0 {
			s.at++
			return span{start, s.at}
		}
	}
	return span{start, s.at}
}

// toQuote skips to the quote that ends this string.
func (s *jsonScanner) toQuote() {
	for s.at++; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
}

// endsScalar tells whether this byte is the last one of a number or a word.
func (s *jsonScanner) endsScalar() bool {
	if s.at+1 == len(s.text) {
		return true
	}
	next := s.text[s.at+1]
	return next == ',' || next == ']' || next == '}' || isJSONBlank(next)
}
