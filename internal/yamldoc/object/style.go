package object

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// style is the style of new text in an object.
type style struct {
	// mapStep is how much deeper than its key a map is indented, listStep a list.
	mapStep, listStep int
}

const (
	usualStep = 2
	// deepestStep is the deepest indentation that the YAML library can write.
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

// encode writes n in block style.
func (s style) encode(n *tree.Node) ([]byte, error) {
	if text, ok := s.encodePlain(n); ok {
		return text, nil
	}
	return s.encodeAny(n)
}

// encodeAny writes n with the YAML library.
func (s style) encodeAny(n *tree.Node) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(max(s.mapStep, 2))
	if s.listStep == 0 {
		encoder.CompactSeqIndent()
	}
	if err := encoder.Encode(writable(n)); err != nil {
		return nil, err
	}
	err := encoder.Close()
	return out.Bytes(), err
}

// writable returns n with changes to the nodes that the YAML library would write wrong: merge keys,
// which it writes as `!!merge <<`, and block scalars that begin with a blank, or, if folded, have
// lines that do. The other nodes are n's own.
func writable(n *tree.Node) *tree.Node {
	out := n
	if style := writableStyle(n); style != n.Style {
		c := *n
		c.Style = style
		out = &c
	}
	for i, child := range n.Content {
		now := writable(child)
		if n.Kind == tree.MappingNode && i%2 == 0 && child.Tag == tree.MergeTag && child.Style&tree.TaggedStyle == 0 {
			c := *child
			c.Tag = tree.NoTag
			now = &c
		}
		if now == child {
			continue
		}
		if out == n {
			c := *n
			out = &c
		}
		if &out.Content[0] == &n.Content[0] {
			out.Content = slices.Clone(n.Content)
		}
		out.Content[i] = now
	}
	return out
}

// writableStyle returns the style of n, or one that the YAML library writes correctly.
func writableStyle(n *tree.Node) tree.Style {
	const block = tree.LiteralStyle | tree.FoldedStyle
	if n.Kind != tree.ScalarNode || n.Style&block == 0 {
		return n.Style
	}
	switch text := n.Text(); {
	case text == "":
	case strings.ContainsAny(text[:1], " \t\n"):
		return n.Style&^block | tree.DoubleQuotedStyle
	case n.Style&tree.FoldedStyle != 0 && (strings.Contains(text, "\n ") || strings.Contains(text, "\n\t")):
		return n.Style&^block | tree.LiteralStyle
	}
	return n.Style
}

// entryText writes a member of a map, or, if key is nil, an element of a list, indented by depth.
func (s style) entryText(key, value *tree.Node, depth int) ([]byte, error) {
	if w := (tree.BlockWriter{Text: make([]byte, 0, 128), MapStep: s.mapStep, ListStep: s.listStep}); w.Entry(key, value, depth) {
		return w.Text, nil
	}
	n := &tree.Node{Kind: tree.SequenceNode, Content: []*tree.Node{value}}
	if key != nil {
		n = &tree.Node{Kind: tree.MappingNode, Content: []*tree.Node{key, value}}
	}
	text, err := s.encodeAny(n)
	if err != nil {
		return nil, err
	}
	return indented(text, depth), nil
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
// collection; ok is false if that is impossible.
func (s style) inlineText(n *tree.Node, inFlow bool) (text []byte, ok bool) {
	if text, ok = inlinePlain(n, inFlow); ok {
		return text, true
	}
	if inFlow {
		return s.flowAny(n)
	}
	return s.inlineAny(n)
}

// inlineAny is inlineText with the YAML library.
func (s style) inlineAny(n *tree.Node) (text []byte, ok bool) {
	flow := tree.Copy(n)
	if isCollection(flow) {
		flow.Style = tree.FlowStyle
	}
	clearComments(flow)
	spellOut(flow, true)
	encoded, err := s.encode(flow)
	if err != nil {
		return nil, false
	}
	line := strings.TrimSuffix(string(encoded), "\n")
	return []byte(line), !strings.Contains(line, "\n")
}

func clearComments(n *tree.Node) {
	n.SetComments(tree.Comments{})
	for _, child := range n.Content {
		clearComments(child)
	}
}

// spellOut changes the scalars that yaml.v3 would write as something else: an empty null in a flow
// collection becomes `null`, and the string << is quoted.
func spellOut(n *tree.Node, inFlow bool) {
	inFlow = inFlow || n.Style&tree.FlowStyle != 0
	switch {
	case n.Kind != tree.ScalarNode:
	case inFlow && n.Tag == tree.NullTag && n.Text() == "":
		n.SetText("null")
	case n.Tag == tree.MergeTag:
		n.Tag, n.Style = tree.StringTag, tree.DoubleQuotedStyle
	}
	for i, child := range n.Content {
		if n.Kind != tree.MappingNode || i%2 == 1 || !tree.IsMergeKey(child) {
			spellOut(child, inFlow)
		}
	}
}

// encodePlain writes n in block style, faster than the YAML library; ok is false if n is not
// simple.
func (s style) encodePlain(n *tree.Node) (text []byte, ok bool) {
	w := tree.BlockWriter{MapStep: s.mapStep, ListStep: s.listStep}
	ok = isCollection(n) && w.Collection(n, 0, false)
	return w.Text, ok
}

// inlinePlain writes a scalar without its comments, in block style or inside a flow collection; ok
// is false if it is not simple.
func inlinePlain(n *tree.Node, inFlow bool) (text []byte, ok bool) {
	if n.Anchor() != "" {
		return nil, false
	}
	if text, ok = tree.AppendScalar(nil, n); !ok {
		return nil, false
	}
	isPlain := text[0] != '"' && text[0] != '\''
	if !inFlow || !isPlain || !strings.ContainsAny(n.Text(), ",?[]{}:") {
		return text, true
	}
	return tree.AppendSingleQuoted(nil, n.Text()), tree.Type(n) == tree.String
}
