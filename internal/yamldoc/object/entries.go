package object

import (
	"bytes"
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// members adds the members of the block map m with their places in the text.
func (s *splicer) members(m *tree.Node) {
	first, column := len(s.entries), 0
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		isFirstOnLine := !s.isMidLine(key.Line(), key.Column())
		e := entry{line: key.Line(), column: key.Column(), key: key, value: value}
		if !isFirstOnLine {
			e.column = s.memberColumn(key)
		}
		if i == 0 {
			column = e.column
		}
		if !s.isAligned(e, s.entries[first:], column, isFirstOnLine) {
			s.giveUp()
			return
		}
		s.entries = append(s.entries, e)
	}
}

// memberColumn returns the column of a member: that of its key, or of the question mark before it.
func (s *splicer) memberColumn(key *tree.Node) int {
	before := s.text[s.start(key.Line()):s.offset(key.Line(), key.Column())]
	trimmed := bytes.TrimRight(before, " \t")
	if len(trimmed) == len(before) || len(trimmed) == 0 || trimmed[len(trimmed)-1] != '?' {
		return key.Column()
	}
	return key.Column() - (len(before) - len(trimmed) + 1)
}

// elements adds the elements of the block list l with their places in the text.
func (s *splicer) elements(l *tree.Node) {
	first := len(s.entries)
	line, column := s.firstDash(l)
	for i, value := range l.Content {
		e := entry{line: s.dashLine(value.Line(), line, column), column: column, value: value}
		if i == 0 {
			e.line = line
		}
		if !s.hasDash(e.line, column) || !s.isAligned(e, s.entries[first:], column, false) {
			s.giveUp()
			return
		}
		s.entries = append(s.entries, e)
	}
}

// end is the offset behind the last line of an entry.
func (s *splicer) end(e entry) int {
	dashes := e.key != nil && e.value.Kind == tree.SequenceNode && e.value.Style&tree.FlowStyle == 0
	end := s.start(s.endOf(s.lastLine(e), e.depth(), dashes))
	last := lastOf(e.value)
	if s.keepsBreaks(last) {
		return s.behindBlanks(end)
	}
	if endsInBlanks(last) {
		return max(end, s.behindValue(last))
	}
	return end
}

// endsInBlanks tells whether n is a block scalar whose last line has blanks and nothing else, so
// that it looks like a line behind the scalar.
func endsInBlanks(n *tree.Node) bool {
	if n.Style&(tree.LiteralStyle|tree.FoldedStyle) == 0 || n.Line() == 0 {
		return false
	}
	value := strings.TrimRight(n.Text(), "\n")
	line := value[strings.LastIndexByte(value, '\n')+1:]
	return line != "" && strings.Trim(line, " \t") == ""
}

// behindValue is the offset behind the last line of a block scalar that is not empty; 0 where the
// text is not that of the node.
func (s *splicer) behindValue(n *tree.Node) int {
	m, ok := s.mapString(s.offset(n.Line(), n.Column()), n)
	if !ok {
		return 0
	}
	last := len(strings.TrimRight(n.Text(), "\n")) - 1
	return s.start(s.lineAt(m.at[last]) + 1)
}

// lastLine returns the line of the entry's last scalar or flow collection: that of its end if it is
// delimited, else that of its beginning.
func (s *splicer) lastLine(e entry) int {
	n := lastOf(e.value)
	line := max(e.line, n.Line())
	if n.Style&(tree.FlowStyle|tree.SingleQuotedStyle|tree.DoubleQuotedStyle) == 0 {
		return line
	}
	if end, ok := s.nodeEnd(s.offset(n.Line(), n.Column()), n); ok {
		line = max(line, s.lineAt(end-1))
	}
	return line
}

// lastOf returns the last scalar, alias or flow collection in n.
func lastOf(n *tree.Node) *tree.Node {
	for isBlockCollection(n) {
		n = n.Content[len(n.Content)-1]
	}
	return n
}

// firstDash returns the line and the column of the first dash of the block list l: where l begins,
// or, behind an anchor or a tag, on the next line with a dash.
func (s *splicer) firstDash(l *tree.Node) (line, column int) {
	if s.hasDash(l.Line(), l.Column()) {
		return l.Line(), l.Column()
	}
	for line = l.Line() + 1; line <= s.count(); line++ {
		if text := s.line(line); isDash(text) {
			return line, indent(text) + 1
		}
	}
	return l.Line(), l.Column()
}

// dashLine returns the line of the dash, in a column, of an element of a list that begins on the
// given line or, behind a dash alone on its line, on a later one. The list's first dash is on the
// line first.
func (s *splicer) dashLine(line, first, column int) int {
	for ; line > first; line-- {
		if s.hasDash(line, column) && !s.isMidLine(line, column) {
			return line
		}
	}
	return first
}

// hasDash tells whether the dash of an element is in a column.
func (s *splicer) hasDash(line, column int) bool {
	rest := s.text[s.offset(line, column):s.start(line+1)]
	return len(rest) > 0 && rest[0] == '-' && isDash(rest)
}

// isAligned tells whether an entry is in the column of the others, and, unless it is the first, on
// a line of its own. It may be known to be the first on its line.
func (s *splicer) isAligned(e entry, before []entry, column int, isFirstOnLine bool) bool {
	if e.column != column || e.line < 1 || e.line > s.count() {
		return false
	}
	if len(before) == 0 {
		return true
	}
	return e.line > before[len(before)-1].line && (isFirstOnLine || !s.isMidLine(e.line, e.column))
}

// quotedLength is the length of the quoted scalar that text begins with, or 0 if it does not end in
// text.
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

// indices has the index of each entry of a collection, since a search for each entry takes too long
// in a list of thousands.
type indices map[*tree.Node]int

func indicesOf(entries []*tree.Node) indices {
	p := make(indices, len(entries))
	for i, n := range entries {
		p[n] = i
	}
	return p
}

// of returns the index of the entry that n is, or is an edited copy of, and whether there is one.
func (p indices) of(n *tree.Node, origins map[*tree.Node]*tree.Node) (int, bool) {
	if i, ok := p[n]; ok {
		return i, true
	}
	i, ok := p[origins[n]]
	return i, ok
}
