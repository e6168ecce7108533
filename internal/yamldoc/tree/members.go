package tree

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
)

// readMembers finds the members of a block map in a text that yaml.v3 has read, which may be the
// only element of a list. Those that the reader takes alone get its nodes; the others become rough.
func readMembers(text string, root *Node, memory *slab) {
	m := root
	if m.Kind == SequenceNode && m.Style&FlowStyle == 0 && len(m.Content) == 1 {
		m = m.Content[0]
	}
	if m.Kind != MappingNode || m.Style&FlowStyle != 0 || len(m.Content) == 0 {
		return
	}
	end := documentEnd(text, m.Content[len(m.Content)-2].Start())
	last := 0
	for i := len(m.Content) - 2; i >= 0; i -= 2 {
		key, value := m.Content[i], m.Content[i+1]
		start := strings.LastIndexByte(text[:key.Start()], '\n') + 1
		before := strings.Trim(strings.TrimPrefix(text[start:key.Start()], lines.ByteOrderMark), " ?")
		if !key.setEnd(text[:end]) || before != "" && (i > 0 || before != "-") {
			return
		}
		if member, stopped := readMember(text[:end], key, memory); member != nil {
			copy(m.Content[i:], member.Content)
		} else {
			value.setRough(stopped)
			value.setRoughEnd(text[:end], key)
		}
		last = max(last, m.Content[i+1].End())
		end = start
	}
	m.end, root.end = int32(last), int32(last)
}

// documentEnd returns the offset of the marker behind the document that goes on at an offset, or of
// the end of the text.
func documentEnd(text string, at int) int {
	for {
		width := strings.IndexByte(text[at:], '\n') + 1
		if width == 0 {
			return len(text)
		}
		if at += width; isDocumentMarker(text[at:]) {
			return at
		}
	}
}

// setEnd sets the end of a key that is a scalar on one line, behind which its colon is. It returns
// false for another key.
func (n *Node) setEnd(text string) bool {
	if n.Kind != ScalarNode {
		return false
	}
	switch at := ContentStart(text, n); {
	case n.Style&quoted == 0 && strings.HasPrefix(text[at:], n.text):
		n.end = int32(at + len(n.text))
	case n.Style&(SingleQuotedStyle|DoubleQuotedStyle) != 0:
		n.end = int32(quotedPieces(text, at, false, func(string, int, int) {}))
	}
	colon := SkipBlanks(text, n.End())
	return n.end > 0 && colon < len(text) && text[colon] == ':'
}

// readMember reads the member with a key at the end of a text as a block map of its own. It returns
// nil and the line on which it stopped for one that it can't read, or that has anchors, which
// aliases in other members may name.
func readMember(text string, key *Node, memory *slab) (member *Node, stopped int) {
	start := key.Start()
	if IsExplicit(text, key) {
		start -= len("? ")
	}
	stopped = key.Line()
	for line := range strings.Lines(text[start:]) {
		if !isUsual(line) {
			return nil, stopped
		}
		stopped++
	}
	lineStart := strings.LastIndexByte(text[:start], '\n') + 1
	if lineStart == 0 && strings.HasPrefix(text, lines.ByteOrderMark) {
		lineStart = len(lines.ByteOrderMark)
	}
	r := reader{text: text, pos: start, line: key.Line(), lineStart: lineStart, slab: memory, limit: memory.made + maxNodes(len(text))}
	member = r.root()
	if member == nil || member.Kind != MappingNode || len(member.Content) != 2 || r.anchors != nil {
		return nil, max(r.flowLine, min(r.line, stopped-1))
	}
	return member, 0
}

// setRoughEnd sets the end of a value, whose key is on one of the lines at the end of a text,
// behind the last of them that is more than a blank or a comment that is no deeper than the key.
func (n *Node) setRoughEnd(text string, key *Node) {
	start := SkipBlanks(text, key.End()) + 1
	column := key.Start() - strings.LastIndexByte(text[:key.Start()], '\n') - 1
	end := len(text)
	for end > start {
		line := text[strings.LastIndexByte(text[:end-1], '\n')+1 : end]
		content := strings.TrimLeft(line, blanks+"\n")
		if content != "" && (content[0] != '#' || len(line)-len(content) > column) {
			break
		}
		end -= len(line)
	}
	n.start, n.end = max(min(n.start, int32(end)), int32(start)), int32(max(end, start))
	last := n
	for last.Style&FlowStyle == 0 && len(last.Content) > 0 {
		last = last.Content[len(last.Content)-1]
	}
	if last.Style&(LiteralStyle|FoldedStyle) == 0 && text[n.end-1] == '\n' {
		n.end--
	}
}
