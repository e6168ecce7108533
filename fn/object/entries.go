package object

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// members adds the members of the block map m as they stand in the text.
func (s *splicer) members(m *yaml.Node) {
	first := len(s.entries)
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		e := entry{line: key.Line, column: key.Column, key: key, value: value}
		if !s.isInLine(e, s.entries[first:], m.Content[0].Column) {
			s.giveUp()
			return
		}
		s.entries = append(s.entries, e)
	}
}

// elements adds the elements of the block list l as they stand in the text.
func (s *splicer) elements(l *yaml.Node) {
	first := len(s.entries)
	for i, value := range l.Content {
		e := entry{line: s.dashLine(value.Line, l), column: l.Column, value: value}
		if i == 0 {
			e.line = l.Line
		}
		if !s.hasDash(e.line, l.Column) || !s.isInLine(e, s.entries[first:], l.Column) {
			s.giveUp()
			return
		}
		s.entries = append(s.entries, e)
	}
}

// end is the offset behind the last line of an entry.
func (s *splicer) end(e entry) int {
	dashes := e.key != nil && e.value.Kind == yaml.SequenceNode && e.value.Style&yaml.FlowStyle == 0
	return s.start(s.endOf(e.line, e.depth(), dashes))
}

// dashLine returns the line of the dash of an element of the list l that begins
// on the given line or, behind a dash that stands alone, on a later one.
func (s *splicer) dashLine(line int, l *yaml.Node) int {
	for ; line > l.Line; line-- {
		if s.hasDash(line, l.Column) && !s.isMidLine(line, l.Column) {
			return line
		}
	}
	return l.Line
}

// hasDash tells whether the dash of an element stands in a column.
func (s *splicer) hasDash(line, column int) bool {
	rest := s.text[s.offset(line, column):s.start(line+1)]
	return len(rest) > 0 && rest[0] == '-' && isDash(rest)
}

// isInLine tells whether an entry stands where a block collection has it: in
// the column of the others, on a line of its own but for the first.
func (s *splicer) isInLine(e entry, before []entry, column int) bool {
	if e.column != column || e.line < 1 || e.line > s.count() {
		return false
	}
	if len(before) == 0 {
		return true
	}
	return e.line > before[len(before)-1].line && !s.isMidLine(e.line, e.column)
}

// scalarEnd returns the place behind a scalar that stands on one line.
func (s *splicer) scalarEnd(n *yaml.Node) (int, bool) {
	if n.Kind != yaml.ScalarNode {
		return 0, false
	}
	start := s.offset(n.Line, n.Column)
	rest := s.text[start:s.start(n.Line+1)]
	length := 0
	switch {
	case len(rest) > 0 && (rest[0] == '"' || rest[0] == '\''):
		length = quotedLength(rest)
	case n.Style == 0 && n.Value != "" && bytes.HasPrefix(rest, []byte(n.Value)) && n.Anchor == "":
		length = len(n.Value)
	}
	if length == 0 || !endsScalar(rest[length:]) {
		return 0, false
	}
	return start + length, true
}

// endsScalar tells whether rest, what follows a scalar on its line, can't be a
// part of it.
func endsScalar(rest []byte) bool {
	return len(rest) == 0 || strings.IndexByte(": \n\r,]}", rest[0]) >= 0
}

// quotedLength is the length of the quoted scalar that text begins with, or 0
// where it does not end in text.
func quotedLength(text []byte) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return 0
}

// flowEnd returns the place behind a flow collection that stands on one line
// and has no comment.
func (s *splicer) flowEnd(n *yaml.Node) (int, bool) {
	start := s.offset(n.Line, n.Column)
	rest := s.text[start:s.start(n.Line+1)]
	depth := 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return start + i + 1, true
			}
		case '"', '\'':
			length := quotedLength(rest[i:])
			if length == 0 {
				return 0, false
			}
			i += length - 1
		case '#', '&', '*', '!':
			return 0, false
		}
		if depth == 0 {
			return 0, false
		}
	}
	return 0, false
}

// indices has the index of each entry of a collection, since a look for one
// entry after the other takes too long in a list of thousands.
type indices map[*yaml.Node]int

func indicesOf(entries []*yaml.Node) indices {
	p := make(indices, len(entries))
	for i, n := range entries {
		p[n] = i
	}
	return p
}

// of returns the index of the entry that n is, or is an edited copy of, and
// whether there is one.
func (p indices) of(n *yaml.Node, origins map[*yaml.Node]*yaml.Node) (int, bool) {
	if i, ok := p[n]; ok {
		return i, true
	}
	i, ok := p[origins[n]]
	return i, ok
}
