package object

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// LineComment is a comment, "# " included, on the line where the field at a
// location begins.
type LineComment struct {
	Location locate.Location
	Comment  string
}

// SetLineComments makes the given comments stand on the lines of their fields,
// behind a comment that is there, and takes each of the known comments off all
// other lines. A field whose line can't take a comment, inside a flow
// collection, say, stays without one.
func (o *Object) SetLineComments(comments []LineComment, known []string) {
	o.comments, o.knownComments = comments, known
}

// commented returns text with the line comments as they are to be. It parses
// the text once, and again for each line that it changes, as a proof.
func (o *Object) commented(text []byte) ([]byte, error) {
	if o.knownComments == nil {
		return text, nil
	}
	root, err := o.parse(text)
	if err != nil {
		return nil, err
	}
	wanted := map[int]string{}
	for _, c := range o.comments {
		if line := lineOf(root, c.Location); line > 0 && wanted[line] == "" {
			wanted[line] = c.Comment
		}
	}
	l := newLines(text)
	changed := make([][]byte, l.count())
	for i := range changed {
		line := l.line(i + 1)
		changed[i] = withComment(line, wanted[i+1], o.knownComments)
		if bytes.Equal(changed[i], line) {
			continue
		}
		proof := slices.Concat(text[:l.start(i+1)], changed[i], text[l.start(i+2):])
		if parsed, err := o.parse(proof); err != nil || !tree.Same(parsed, root) {
			changed[i] = line
		}
	}
	return slices.Concat(changed...), nil
}

// withComment returns a line with the comment in the place of any of the known
// ones at its end; without one where the comment is "".
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

// lineOf returns the line where the field at the location begins, 0 where it is
// not there itself but by way of an alias or a merge key.
func lineOf(root *yaml.Node, l locate.Location) int {
	n, line := root, root.Line
	for _, step := range l {
		if n.Kind == yaml.SequenceNode && step.IsIndex && step.Index < len(n.Content) {
			n = n.Content[step.Index]
			line = n.Line
			continue
		}
		i := -1
		if n.Kind == yaml.MappingNode {
			i = memberIndex(n, step.Key)
		}
		if i < 0 {
			return 0
		}
		line, n = n.Content[i].Line, n.Content[i+1]
	}
	return line
}
