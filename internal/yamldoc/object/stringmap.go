package object

import (
	"bytes"
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// stringMap maps the bytes of a string to their places in the text.
type stringMap struct {
	s    *splicer
	node *tree.Node
	// value is the string.
	value string
	// at has the offset in the text of each byte of the value, and of the end of the value. For a
	// byte of an escape or a line break it is the beginning of that.
	at []int
	// parent is the indentation of the collection around it, indent that of a block scalar.
	parent, indent int
}

// newStringMap returns the map of a scalar in a block collection that is indented by parent.
func newStringMap(s *splicer, n *tree.Node, parent int) *stringMap {
	m := &stringMap{s: s, node: n, value: n.Text(), parent: parent}
	end := n.End()
	for _, p := range tree.Pieces(s.text, n, parent, s.json) {
		isRun := s.text[p.Start:p.End] == p.Value
		for i := range len(p.Value) {
			if isRun {
				m.at = append(m.at, p.Start+i)
			} else {
				m.at = append(m.at, p.Start)
			}
		}
		if m.indent == 0 && p.Value != "\n" {
			m.indent = s.column(p.Start)
		}
		end = p.End
	}
	m.at = append(m.at, end)
	return m
}

// splices converts splices of the value, which make it now, to splices of the text.
func (m *stringMap) splices(edits []Splice, now string) ([]Splice, bool) {
	var out []Splice
	for _, e := range edits {
		var p Splice
		var ok bool
		if isBlockScalar(m.node) {
			p, ok = m.blockSplice(e)
		} else {
			p.Start, p.End = m.at[e.Start], m.at[e.End]
			p.Text, ok = m.quoted(string(e.Text))
		}
		if !ok {
			return nil, false
		}
		out = append(out, p)
	}
	if isBlockScalar(m.node) {
		header, ok := m.indicate(now)
		if !ok {
			return nil, false
		}
		out = append(header, out...)
	}
	return joined(out), true
}

// quoted returns a part of the value as written in a plain or quoted scalar.
func (m *stringMap) quoted(part string) ([]byte, bool) {
	switch {
	case m.node.Style&tree.DoubleQuotedStyle != 0:
		text, err := tree.MarshalJSON(tree.NewString(part))
		return text[1 : len(text)-1], err == nil
	case m.node.Style&tree.SingleQuotedStyle != 0:
		part = strings.ReplaceAll(part, "'", "''")
	}
	return []byte(part), !strings.Contains(part, "\n")
}

// isLineStart tells whether a line of the value begins at an offset of it.
func (m *stringMap) isLineStart(i int) bool { return i == 0 || m.value[i-1] == '\n' }

// lineStart returns the offset in the text of the line of the block scalar that begins at an offset
// of the value, its indentation included.
func (m *stringMap) lineStart(i int) int { return m.s.lineStart(m.at[i]) }

// blockSplice returns the splice of a block scalar for one of its value.
func (m *stringMap) blockSplice(e Splice) (Splice, bool) {
	if m.node.Style&tree.FoldedStyle != 0 && bytes.Contains(e.Text, []byte{'\n'}) {
		return Splice{}, false // lines of a folded scalar are joined
	}
	p := Splice{Start: m.at[e.Start], End: m.at[e.End]}
	if e.End > e.Start && e.End < len(m.value) && m.value[e.End] == '\n' && m.value[e.End-1] != '\n' && m.value[e.End-1] != ' ' {
		p.End = m.at[e.End-1] + 1 // before the break of the line, which in a folded scalar may be none of the value
	}
	begins := m.isLineStart(e.Start)
	if begins {
		p.Start = m.lineStart(e.Start)
	}
	wholeLines := m.isLineStart(e.End) && (begins && len(e.Text) == 0 || bytes.HasSuffix(e.Text, []byte{'\n'}))
	switch {
	case wholeLines:
		p.End = m.lineStart(e.End)
	case begins && len(e.Text) == 0 && e.End == len(m.value) && e.End > e.Start: // the last line, whose break is no part of the value
		p.End = m.s.nextLine(m.at[e.End-1])
	}
	pad := strings.Repeat(" ", m.indent)
	for line := range strings.Lines(string(e.Text)) {
		if begins && line != "\n" {
			p.Text = append(p.Text, pad...)
		}
		p.Text = append(p.Text, line...)
		begins = strings.HasSuffix(line, "\n")
	}
	if begins && !wholeLines && e.End < len(m.value) && m.value[e.End] != '\n' {
		p.Text = append(p.Text, pad...)
	}
	return p, p.Start <= p.End
}

// indicate returns the splice that gives a block scalar an indentation indicator, if it has none
// and its new first line begins with a blank.
func (m *stringMap) indicate(now string) ([]Splice, bool) {
	first := strings.TrimLeft(now, "\n")
	if first == "" {
		return nil, false
	}
	at := tree.ContentStart(m.s.text, m.node) + 1
	header := m.s.text[at:m.s.lineEnd(at)]
	if strings.ContainsAny(header[:min(2, len(header))], "123456789") || first[0] != ' ' {
		return nil, true
	}
	step := m.indent - m.parent
	if step < 1 || step > 9 {
		return nil, false
	}
	return []Splice{{Start: at, End: at, Text: []byte{byte('0' + step)}}}, true
}
