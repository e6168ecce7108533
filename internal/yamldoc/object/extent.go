package object

import (
	"bytes"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// nodeEnd returns the offset behind a node that begins at an offset: a flow collection, an alias or
// a scalar that is no block scalar, on any number of lines. It returns false for other nodes, and
// if the text is not that of the node.
func (s *splicer) nodeEnd(at int, n *tree.Node) (end int, ok bool) {
	at = s.skipProperties(at)
	switch {
	case n.Kind == tree.AliasNode:
		return s.wordEnd(at), true
	case isCollection(n):
		f, ok := s.flowCollection(at, n)
		return f.to, ok
	case n.Kind != tree.ScalarNode || n.Style&(tree.LiteralStyle|tree.FoldedStyle) != 0:
		return 0, false
	case at < len(s.text) && (s.text[at] == '"' || s.text[at] == '\''):
		length := quotedLength(s.text[at:])
		return at + length, length > 0
	}
	return s.plainEnd(at, n.Text())
}

// skipProperties returns the offset behind the anchor and the tag at an offset.
func (s *splicer) skipProperties(at int) int {
	for at < len(s.text) && (s.text[at] == '&' || s.text[at] == '!') {
		at = s.skipBlanks(s.wordEnd(at))
	}
	return at
}

// wordEnd returns the offset of the first character that can't be a part of an anchor, an alias or
// a tag.
func (s *splicer) wordEnd(at int) int {
	for at < len(s.text) && bytes.IndexByte([]byte(" \t\r\n,]}"), s.text[at]) < 0 {
		at++
	}
	return at
}

// plainEnd returns the offset behind a plain scalar: its text has the characters of the value
// except for blanks and line breaks.
func (s *splicer) plainEnd(at int, value string) (end int, ok bool) {
	for i := 0; i < len(value); i++ {
		if isSpace(value[i]) {
			for at < len(s.text) && isSpace(s.text[at]) {
				at++
			}
			continue
		}
		if at == len(s.text) || s.text[at] != value[i] {
			return 0, false
		}
		at++
	}
	return at, true
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// skipBlanks returns the offset behind blanks, line breaks and comments.
func (s *splicer) skipBlanks(at int) int {
	for at < len(s.text) {
		switch {
		case isSpace(s.text[at]):
			at++
		case s.text[at] == '#' && (at == 0 || isSpace(s.text[at-1])):
			at = s.lineEnd(at)
		default:
			return at
		}
	}
	return at
}

// lineEnd returns the offset of the line break at or behind an offset.
func (s *splicer) lineEnd(at int) int {
	for at < len(s.text) && s.text[at] != '\n' && s.text[at] != '\r' {
		at++
	}
	return at
}

// flowCollection is a flow collection at its place in the text.
type flowCollection struct {
	// from is the offset of its opening bracket, to the one behind its closing one.
	from, to int
	parts    []flowEntry
}

// flowEntry is a member of a flow map or an element of a flow list.
type flowEntry struct {
	key, value *tree.Node // the key is nil in a list
	start, end int
	// valueStart is the offset of the value.
	valueStart int
	// comma is the offset of the comma behind it; -1 where there is none.
	comma int
}

// flowCollection reads the flow collection n, whose bracket is at an offset. It keeps the entries
// only of an edited one, to save memory.
func (s *splicer) flowCollection(at int, n *tree.Node) (f flowCollection, ok bool) {
	if f, ok := s.flows[n]; ok {
		return f, true
	}
	opening, closing, step := byte('{'), byte('}'), 2
	if n.Kind == tree.SequenceNode {
		opening, closing, step = '[', ']', 1
	}
	if !s.has(at, opening) {
		return f, false
	}
	keep := s.isTouched(n)
	f = flowCollection{from: at}
	if keep {
		f.parts = s.roomForParts(len(n.Content) / step)
	}
	at = s.skipBlanks(at + 1)
	for i := 0; i+step <= len(n.Content); i += step {
		e := flowEntry{value: n.Content[i+step-1], comma: -1}
		if step == 2 {
			e.key = n.Content[i]
		}
		if at, ok = s.flowEntry(&e, at); !ok {
			return f, false
		}
		if keep {
			f.parts = append(f.parts, e)
		}
		if isLast := i+step == len(n.Content); e.comma < 0 && !isLast {
			return f, false
		}
	}
	f.to = at + 1
	if !s.has(at, closing) {
		return f, false
	}
	if keep {
		s.flows[n] = f
	}
	return f, true
}

// isTouched tells whether edits were made on a copy of a node.
func (s *splicer) isTouched(n *tree.Node) bool {
	if !s.knowsTouched {
		s.knowsTouched = true
		if s.touched == nil {
			s.touched, s.flows = map[*tree.Node]bool{}, map[*tree.Node]flowCollection{}
		}
		for _, old := range s.origins {
			s.touched[old] = true
		}
	}
	return s.touched[n]
}

// usualParts is how many entries the edited flow collections of an object usually have.
const usualParts = 64

// roomForParts returns room for a number of entries.
func (s *splicer) roomForParts(size int) []flowEntry {
	if size > len(s.freeParts) {
		s.allParts = make([]flowEntry, max(size, usualParts))
		s.freeParts = s.allParts
	}
	room := s.freeParts[:0:size]
	s.freeParts = s.freeParts[size:]
	return room
}

func (s *splicer) has(at int, c byte) bool { return at < len(s.text) && s.text[at] == c }

// flowEntry reads the entry at an offset, and returns the offset of what follows it and its comma.
func (s *splicer) flowEntry(e *flowEntry, at int) (next int, ok bool) {
	e.start = at
	switch {
	case e.key != nil:
		ok = s.flowMember(e, e.key, e.value)
	case e.value.Kind == tree.MappingNode && !s.has(s.skipProperties(at), '{'):
		// an element of a list may be a pair without brackets
		pair := flowEntry{start: at}
		ok = len(e.value.Content) == 2 && s.flowMember(&pair, e.value.Content[0], e.value.Content[1])
		e.valueStart, e.end = at, pair.end
	default:
		e.valueStart = at
		e.end, ok = s.nodeEnd(at, e.value)
	}
	if !ok {
		return 0, false
	}
	at = s.skipBlanks(e.end)
	if s.has(at, ',') {
		e.comma = at
		at = s.skipBlanks(at + 1)
	}
	return at, true
}

// flowMember reads a key, a colon and a value. A missing value is behind the colon, or, without
// one, behind the key.
func (s *splicer) flowMember(e *flowEntry, key, value *tree.Node) (ok bool) {
	at := e.start
	if s.has(at, '?') && at+1 < len(s.text) && isSpace(s.text[at+1]) {
		at = s.skipBlanks(at + 1)
	}
	if at, ok = s.nodeEnd(at, key); !ok {
		return false
	}
	e.valueStart, e.end = at, at
	if at = s.skipBlanks(at); !s.has(at, ':') {
		return value.Kind == tree.ScalarNode && value.Text() == ""
	}
	e.valueStart, e.end = at+1, at+1
	at = s.skipBlanks(at + 1)
	if value.Kind == tree.ScalarNode && value.Text() == "" && (s.has(at, ',') || s.has(at, '}') || s.has(at, ']')) {
		return true
	}
	e.valueStart = at
	e.end, ok = s.nodeEnd(at, value)
	return ok
}
