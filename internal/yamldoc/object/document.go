package object

import (
	"bytes"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Document returns the text of an item of a YAML list as a document that ends with a line break:
// without its dash, and indented accordingly less. An item without text, or with aliases of nodes
// in others, is written from its data.
func (o *Object) Document() ([]byte, error) {
	if o.text != nil && !o.detached {
		text, err := o.Text()
		if err != nil {
			return nil, err
		}
		if text, ok := withoutDash(Closed(text)); ok {
			return text, nil
		}
	}
	return NewDocument(tree.Copy(o.Root())).Text()
}

// withoutDash removes the dash of a list's element and moves its lines to the left. It returns
// false if that would change the data.
func withoutDash(text []byte) ([]byte, bool) {
	list, err := tree.Parse(text)
	item := onlyElement(list)
	if err != nil || item == nil {
		return nil, false
	}
	depth, number := tree.Column(text, item)-1, 0
	out := make([]byte, 0, len(text)+1)
	for line := range bytes.Lines(text) {
		if number++; number == list.Line() {
			if line = bytes.TrimLeft(line[tree.Column(text, list):], " \t"); isBlank(string(line)) {
				continue
			}
		} else {
			line = line[min(indent(string(line)), depth):]
		}
		out = append(out, line...)
	}
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	document, err := tree.Parse(out)
	return out, err == nil && tree.Same(document, item)
}
