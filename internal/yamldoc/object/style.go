package object

import (
	"bytes"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// style is the style of new text in an object.
type style struct {
	// mapStep is how much deeper than its key a map is indented, listStep a list.
	mapStep, listStep int
}

const (
	usualStep = 2
	// deepestStep is the deepest indentation of new text.
	deepestStep = 9
)

// styleOf detects the style of the first map and the first list that a map of the object holds,
// which was read from text.
func styleOf(text []byte, root *tree.Node) style {
	found := styleFinder{text: text, style: style{mapStep: usualStep}}
	found.look(root)
	return found.style
}

type styleFinder struct {
	text            []byte
	style           style
	hasMap, hasList bool
}

func (f *styleFinder) look(n *tree.Node) {
	if n == nil || n.Style&tree.FlowStyle != 0 {
		return
	}
	for i, child := range n.Content {
		if len(child.Content) == 0 {
			continue
		}
		if n.Kind == tree.MappingNode && i%2 == 1 && isBlockCollection(child) && child.Line() > 0 {
			f.note(n.Content[i-1], child)
		}
		if f.hasMap && f.hasList {
			return
		}
		f.look(child)
	}
}

// note records the style of the value of a key.
func (f *styleFinder) note(key, value *tree.Node) {
	column := func(n *tree.Node) int { return tree.Column(f.text, n) }
	switch {
	case value.Line() == key.Line(): // that of an anchor or a tag
	case value.Kind == tree.SequenceNode && !f.hasList:
		f.style.listStep, f.hasList = min(max(column(value)-column(key), 0), deepestStep), true
	case value.Kind == tree.MappingNode && !f.hasMap:
		f.style.mapStep, f.hasMap = stepBetween(column(key), column(value.Content[0]), usualStep), true
	}
}

// stepBetween returns how much deeper than its key a block map is indented; usual if that can't be
// written.
func stepBetween(key, m, usual int) int {
	if step := m - key; step > 0 && step <= deepestStep {
		return step
	}
	return usual
}

func (s style) writer() tree.BlockWriter {
	return tree.BlockWriter{Text: make([]byte, 0, 128), MapStep: s.mapStep, ListStep: s.listStep}
}

// encode writes n in block style.
func (s style) encode(n *tree.Node) []byte {
	w := s.writer()
	w.Document(n)
	return w.Text
}

// entryText writes a member of a map, or, if key is nil, an element of a list, indented by depth.
func (s style) entryText(key, value *tree.Node, depth int) []byte {
	w := s.writer()
	w.Entry(key, value, depth)
	return w.Text
}

// indented puts depth spaces before each line that is not empty. Blanks may be content of a block
// scalar.
func indented(text []byte, depth int) []byte {
	if depth == 0 {
		return text
	}
	pad := bytes.Repeat([]byte{' '}, depth)
	out := make([]byte, 0, len(text)+depth*(bytes.Count(text, []byte{'\n'})+1))
	for line := range bytes.Lines(text) {
		if len(bytes.TrimRight(line, "\r\n")) > 0 {
			out = append(out, pad...)
		}
		out = append(out, line...)
	}
	return out
}

// inlineText writes a scalar or a collection on one line, in block style or inside a flow
// collection; ok is false for a text that is better on lines of its own.
func (s style) inlineText(n *tree.Node, inFlow bool) (text []byte, ok bool) {
	if isCollection(n) || inFlow {
		return tree.AppendInline(nil, n, inFlow), true
	}
	isQuoted := n.Style&(tree.DoubleQuotedStyle|tree.SingleQuotedStyle) != 0
	return tree.AppendInline(nil, n, false), isQuoted || !tree.IsBlockText(n)
}
