package wire

import "bytes"

// FirstLines returns for each item that came in the line of the list's text,
// from 1, from which the lines of the item's nodes are counted: its own first
// line where it was parsed alone, else 1.
func (l *List) FirstLines() []int {
	lines := make([]int, len(l.Items))
	for i := range lines {
		lines[i] = 1
	}
	cut, ok := l.layout.(*cutList)
	if !ok {
		return lines
	}
	line := 1 + bytes.Count(cut.head, []byte{'\n'})
	for i, piece := range cut.items {
		line += bytes.Count(piece.lead, []byte{'\n'})
		lines[i] = line
		line += bytes.Count(piece.text, []byte{'\n'})
	}
	return lines
}
