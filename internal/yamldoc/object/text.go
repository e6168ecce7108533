package object

import (
	"bytes"

	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Reformatted says why Text or Flush rewrote the text as a whole; "" if the input text was edited
// in place, or there was none. JSON is on one line then.
func (o *Object) Reformatted() string {
	if o.detached && o.Changed() {
		return "items of its list use anchors of one another, or the list is in flow style"
	}
	return o.reformatted
}

// Text returns the object's text, complete lines in the format of the input; created JSON is on one
// line. Unchanged text keeps its bytes.
func (o *Object) Text() ([]byte, error) {
	pieces, err := o.Pieces()
	if err != nil {
		return nil, err
	}
	if len(pieces) == 1 {
		return pieces[0], nil
	}
	return bytes.Join(pieces, nil), nil
}

// Pieces returns Text in one or more pieces, which saves the memory of unchanged ones.
func (o *Object) Pieces() ([][]byte, error) {
	if o.flushed != nil && !o.hasEdits() {
		return o.flushed, nil
	}
	if o.text != nil && !o.hasEdits() {
		return [][]byte{o.text}, nil
	}
	if o.knownComments == nil {
		return o.edited()
	}
	text, err := o.written()
	return [][]byte{text}, err
}

// written returns the text with all edits and the comments.
func (o *Object) written() ([]byte, error) {
	text := o.base()
	if text == nil || o.root != o.original {
		pieces, err := o.edited()
		if err != nil {
			return nil, err
		}
		text = bytes.Join(pieces, nil)
	}
	return o.commented(text)
}

// edited returns the text, in pieces, with all edits but the comments.
func (o *Object) edited() ([][]byte, error) {
	splices, err := o.splices()
	return piecesOf(o.base(), splices), err
}

// splices returns all edits except the comments, as splices of the text; one that replaces the
// whole text if it is rewritten.
func (o *Object) splices() ([]Splice, error) {
	root := o.withoutStaleAliases()
	why := ""
	if o.base() != nil && !o.detached {
		if splices, ok := o.spliced(root); ok {
			return withCR(o.base(), splices), nil
		}
		why = "its text can't be edited in place"
		if o.original.End() == 0 {
			why = "its text has a rare notation, such as a complex key, a directive or a tab between values"
		}
	}
	text, err := o.emitted(root)
	if err != nil {
		return nil, err
	}
	o.reformatted = why
	return withCR(o.base(), []Splice{{End: len(o.source()), Text: lines.BrokenLike(o.like, text)}}), nil
}

// verify tells whether text parses to the same data as root. The text must not change meanwhile.
func (o *Object) verify(text []byte, root *tree.Node) bool {
	memory := tree.NewMemory()
	defer memory.Free()
	parsed, err := o.parse(text, memory)
	return err == nil && tree.Same(parsed, root)
}

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
