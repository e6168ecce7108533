package object

import (
	"bytes"
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// EmitError reports an object that could not be written.
type EmitError struct {
	Reason string
}

func (e *EmitError) Error() string {
	return "the object can't be written as YAML: " + e.Reason
}

// emitted writes the whole object from its tree.
func (o *Object) emitted(root *tree.Node) ([]byte, error) {
	if o.format == jsonText {
		return tree.MarshalJSON(root)
	}
	text := o.write(root)
	if !o.verify(text, root) {
		reason := "what was written does not parse to the same data"
		if _, err := o.parse(text, tree.NewMemory()); err != nil {
			reason = "what was written can't be parsed: " + err.Error()
		}
		return nil, &EmitError{Reason: reason}
	}
	return text, nil
}

// write writes root in the object's format.
func (o *Object) write(root *tree.Node) []byte {
	s := styleOf(o.source(), o.original)
	if o.format == document {
		head, tail := o.markers()
		return slices.Concat(head, s.encode(root), tail)
	}
	return s.entryText(nil, root, o.depth())
}

// markers returns the directives and markers before and behind the content of a document, which may
// be one of several in a string.
func (o *Object) markers() (head, tail []byte) {
	if o.original == nil {
		return nil, nil
	}
	source := o.source()
	for line := range bytes.Lines(source[:o.original.Start()]) {
		if line[0] == '%' {
			head = append(head, line...)
		} else if bytes.HasPrefix(line, []byte("---")) {
			head = append(head, "---\n"...)
		}
	}
	if bytes.Contains(source[o.original.Start():], []byte("\n...")) {
		tail = []byte("...\n")
	}
	return head, tail
}

// depth is the number of spaces before the item's dash.
func (o *Object) depth() int {
	for line := range bytes.Lines(o.base()) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte{'-'}) {
			return indent(string(line))
		}
	}
	return o.newDepth
}
