package object

import (
	"bytes"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// LineComment is a comment, "# " included, on the line where the field at a location begins.
type LineComment struct {
	Location location.Location
	Comment  string
}

// SetLineComments sets the given comments on the lines of their fields, behind existing comments,
// and removes each of the known comments from all other lines. A field whose line can't have a
// comment, in JSON for example, gets none.
func (o *Object) SetLineComments(comments []LineComment, known []string) {
	if o.format != jsonText {
		o.comments, o.knownComments = comments, known
		return
	}
	for _, c := range comments {
		o.uncommented = append(o.uncommented, c.Location)
	}
}

// Uncommented returns the locations where Text or Flush could put no comment.
func (o *Object) Uncommented() []location.Location { return o.uncommented }

// commented returns text with its new line comments.
func (o *Object) commented(text []byte) ([]byte, error) {
	memory := tree.NewMemory()
	defer memory.Free()
	root, err := o.parse(lines.WithoutCR(text), memory)
	if err != nil {
		return nil, err
	}
	wanted, places := map[int]string{}, make([]int, len(o.comments))
	parsed := Object{root: root}
	for i, c := range o.comments {
		if places[i] = parsed.lineAt(c.Location); wanted[places[i]] == "" {
			wanted[places[i]] = c.Comment
		}
	}
	c := commenter{text: text, budget: max(maxVerified, 2*len(text)), verified: func(text []byte) bool {
		return o.verify(lines.WithoutCR(text), root)
	}}
	at, number := 0, 0
	var changes []Splice
	for line := range bytes.Lines(text) {
		number++
		if changed := withComment(line, wanted[number], o.knownComments); !bytes.Equal(changed, line) {
			changes = append(changes, Splice{Start: at, End: at + len(line), Text: changed})
		}
		at += len(line)
	}
	text = bytes.Join(piecesOf(text, c.valid(changes)), nil)
	now := bytes.Split(text, []byte{'\n'})
	o.uncommented = nil
	for i, c := range o.comments {
		if line := places[i]; line == 0 || !bytes.HasSuffix(bytes.TrimRight(now[line-1], " \r"), []byte(c.Comment)) {
			o.uncommented = append(o.uncommented, c.Location)
		}
	}
	return text, nil
}

// maxVerified bounds how many bytes are parsed to find the lines that can't have a comment.
const maxVerified = 64 << 20

// commenter verifies that the changed lines of a text keep its data.
type commenter struct {
	text     []byte
	verified func(text []byte) bool
	budget   int
}

// valid returns the changes that keep the data: it tries all of them at once, and if that fails
// each half. Changes beyond the budget are left out untested.
func (c *commenter) valid(changes []Splice) []Splice {
	if c.budget -= len(c.text); len(changes) == 0 || c.budget < 0 {
		return nil
	}
	if c.verified(bytes.Join(piecesOf(c.text, changes), nil)) {
		return changes
	}
	if len(changes) == 1 {
		return nil
	}
	half := len(changes) / 2
	return append(c.valid(changes[:half:half]), c.valid(changes[half:])...)
}

// withComment returns a line with the comment instead of any known one at its end; without one if
// the comment is "".
func withComment(line []byte, comment string, known []string) []byte {
	content := bytes.TrimRight(line, " \r\n")
	end := line[len(content):]
	for _, old := range known {
		if bare, ok := bytes.CutSuffix(content, []byte(" "+old)); ok && old != comment {
			content, end = bare, line[len(bytes.TrimRight(line, "\r\n")):]
		}
	}
	if comment == "" || bytes.HasSuffix(content, []byte(" "+comment)) {
		return slices.Concat(content, end)
	}
	return slices.Concat(content, []byte(" "+comment), bytes.TrimLeft(end, " "))
}

// lineAt returns the line of the data on which the field at the location begins, 0 if it comes from
// an alias or a merge key.
func (o *Object) lineAt(l location.Location) int {
	n, line := o.root, o.root.Line()
	for _, step := range l {
		if n.Kind == tree.SequenceNode && step.IsIndex && step.Index < len(n.Content) {
			n = n.Content[step.Index]
			line = n.Line()
			continue
		}
		i := -1
		if n.Kind == tree.MappingNode {
			i = o.memberIndex(n, step.Key)
		}
		if i < 0 {
			return 0
		}
		line, n = n.Content[i].Line(), n.Content[i+1]
	}
	return line
}
