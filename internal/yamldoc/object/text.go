package object

import (
	"bytes"
	"sync"

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
func (o *Object) edited() (pieces [][]byte, err error) {
	err = o.splices(func(splices []splice) { pieces = piecesOf(o.base(), splices) })
	return pieces, err
}

// splices calls use with all edits except the comments, as splices of the text; with one that
// replaces the whole text if it is rewritten.
func (o *Object) splices(use func([]splice)) error {
	root := o.withoutStaleAliases()
	why := ""
	if o.base() != nil && !o.detached {
		if o.spliced(root, use) {
			return nil
		}
		r := repair{object: o, root: root, budget: max(maxVerified, 2*len(o.base()))}
		splices, reason := r.splices()
		if splices != nil {
			use(splices)
			return nil
		}
		why = reason
	}
	text, err := o.emitted(root)
	if err != nil {
		return err
	}
	o.reformatted = why
	use([]splice{{end: len(o.base()), text: text}})
	return nil
}

// verifyPieces is verify for a text in pieces.
func (o *Object) verifyPieces(pieces [][]byte, root *tree.Node) bool {
	return o.verifyWritten(root, func(out *bytes.Buffer) {
		for _, piece := range pieces {
			out.Write(piece)
		}
	})
}

// verifyWritten is verify for the text that write writes.
func (o *Object) verifyWritten(root *tree.Node, write func(*bytes.Buffer)) bool {
	scratch := scratches.Get().(*bytes.Buffer)
	defer scratches.Put(scratch)
	scratch.Reset()
	write(scratch)
	return o.verify(scratch.Bytes(), root)
}

// verify tells whether text parses to the same data as root. The text must not change meanwhile.
func (o *Object) verify(text []byte, root *tree.Node) bool {
	memory := tree.NewMemory()
	defer memory.Free()
	parsed, err := o.parse(text, memory)
	return err == nil && tree.Same(parsed, root)
}

// scratches pools buffers for texts that are only verified.
var scratches = sync.Pool{New: func() any { return new(bytes.Buffer) }}
