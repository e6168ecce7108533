package object

import "go.yaml.in/yaml/v3"

// SetFirstLine says at which line of its file, counted from 1, the text begins
// that the lines of the object's nodes are counted from.
func (o *Object) SetFirstLine(line int) { o.firstLine = line }

// FirstLine is the line that SetFirstLine gave; 0 where it is not known.
func (o *Object) FirstLine() int { return o.firstLine }

// LineOf returns the line in the file of a node of the object's data as it came
// in, counted from 1; 0 where it is not known.
func (o *Object) LineOf(n *yaml.Node) int {
	if n == nil || n.Line == 0 || o.firstLine == 0 {
		return 0
	}
	return o.firstLine + n.Line - 1
}

// TextLine is the line of the file at which Source begins; 0 where it is not
// known.
func (o *Object) TextLine() int {
	if o.detached {
		return o.LineOf(o.Original())
	}
	return o.firstLine
}
