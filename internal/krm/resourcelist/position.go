package resourcelist

import "bytes"

// FirstLines returns for each item of the input the line of the list's text, from 1, at which the
// line numbers of its nodes start: its own first line if it was parsed alone, else 1.
func (l *List) FirstLines() []int {
	switch layout := l.layout.(type) {
	case *cutList:
		return layout.firstLines()
	case *jsonList:
		return layout.firstLines()
	case *wholeList:
		return layout.firstLines
	}
	return nil
}

func (c *cutList) firstLines() []int {
	lines := make([]int, len(c.items))
	line := 1 + bytes.Count(c.head, []byte{'\n'})
	for i, piece := range c.items {
		line += bytes.Count(piece.lead, []byte{'\n'})
		lines[i] = line
		line += bytes.Count(piece.text, []byte{'\n'})
	}
	return lines
}

func (j *jsonList) firstLines() []int {
	lines := make([]int, len(j.objects))
	for i := range lines {
		lines[i] = j.items.Content[i].Line()
	}
	return lines
}
