package object

import (
	"bytes"
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Rewriting says what of a text was written from the data, with other comments and another layout.
type Rewriting struct {
	// Members are the top-level members that were; none if it was the whole object. JSON is on one
	// line then.
	Members []string
	// Line is the line of the file that can't be edited in place, and Text what is on it; 0 and ""
	// if that is not known.
	Line int
	Text string
	// Why is another reason; "" for none.
	Why string
}

// Reformatted returns what Text or Flush rewrote; nil if the input text was edited in place, or
// there was none.
func (o *Object) Reformatted() *Rewriting { return o.rewriting }

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
	var rewriting *Rewriting
	if o.base() != nil {
		for _, byMember := range []bool{false, true} {
			if splices, ok := o.spliced(root, byMember); ok {
				return withCR(o.base(), splices), nil
			}
		}
		rewriting = o.rewritingAt(o.original.RoughLine())
	}
	text, err := o.emitted(root)
	if err != nil {
		return nil, err
	}
	o.rewriting = rewriting
	return withCR(o.base(), []Splice{{End: len(o.source()), Text: lines.BrokenLike(o.like, text)}}), nil
}

// rewritingAt returns the rewriting of some top-level members for what is on a line of the text.
func (o *Object) rewritingAt(line int, members ...string) *Rewriting {
	r := &Rewriting{Members: members, Why: "its text can't be edited in place"}
	if starts := lines.Starts(o.source()); line > 0 && line < len(starts) {
		r.Text = strings.TrimSpace(string(o.source()[starts[line-1]:starts[line]]))
	}
	if line > 0 && o.FirstLine > 0 {
		r.Line = o.FirstLine + line - 1
	}
	return r
}

// verify tells whether text parses to the same data as root. The text must not change meanwhile.
func (o *Object) verify(text []byte, root *tree.Node) bool {
	memory := tree.NewMemory()
	defer memory.Free()
	parsed, err := o.parse(text, memory)
	return err == nil && tree.Same(parsed, root)
}

// Document returns the text of the object as a YAML document: an item of a list without its dash,
// indented accordingly less, and with a line break at its end. JSON, and an item without text, are
// written from the data.
func (o *Object) Document() ([]byte, error) {
	if o.text != nil && o.format != jsonText {
		text, err := o.Text()
		if err != nil || o.format == document {
			return text, err
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
