package object

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/tree"
)

// style is how new text is written in an object.
type style struct {
	// wide is true where a list is indented deeper than the key that holds it.
	wide bool
}

// styleOf reads the style off the first list that a map of the object holds.
func styleOf(root *yaml.Node) style {
	wide, _ := isWide(root)
	return style{wide: wide}
}

func isWide(n *yaml.Node) (wide, known bool) {
	if n == nil || n.Style&yaml.FlowStyle != 0 {
		return false, false
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && isBlockCollection(child) && tree.IsList(child) && child.Line > 0 {
			return child.Column > n.Content[i-1].Column, true
		}
		if wide, known = isWide(child); known {
			return wide, known
		}
	}
	return false, false
}

// encode writes n in block style with an indentation of two.
func (s style) encode(n *yaml.Node) ([]byte, error) {
	if text, ok := s.encodePlain(n); ok {
		return text, nil
	}
	return s.encodeAny(n)
}

// encodeAny writes n with the YAML library.
func (s style) encodeAny(n *yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if !s.wide {
		encoder.CompactSeqIndent()
	}
	if err := encoder.Encode(withBareMergeKeys(n)); err != nil {
		return nil, err
	}
	err := encoder.Close()
	return out.Bytes(), err
}

// withBareMergeKeys returns n with merge keys that the YAML library writes as
// `<<`, and not as `!!merge <<`. What is not on the way to one is n's own.
func withBareMergeKeys(n *yaml.Node) *yaml.Node {
	out := n
	for i, child := range n.Content {
		bare := withBareMergeKeys(child)
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Tag == "!!merge" && child.Style&yaml.TaggedStyle == 0 {
			c := *child
			c.Tag = ""
			bare = &c
		}
		if bare == child {
			continue
		}
		if out == n {
			c := *n
			c.Content = slices.Clone(n.Content)
			out = &c
		}
		out.Content[i] = bare
	}
	return out
}

// entryText writes a member of a map, or, where key is nil, an element of a
// list, indented by depth.
func (s style) entryText(key, value *yaml.Node, depth int) ([]byte, error) {
	if text, ok := s.plainEntry(key, value, depth); ok {
		return text, nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{value}}
	if key != nil {
		n = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}}
	}
	text, err := s.encodeAny(n)
	if err != nil {
		return nil, err
	}
	return indented(text, depth), nil
}

// indented puts depth spaces before each line that is not blank.
func indented(text []byte, depth int) []byte {
	if depth == 0 {
		return text
	}
	pad := bytes.Repeat([]byte{' '}, depth)
	out := make([]byte, 0, len(text)+depth*(bytes.Count(text, []byte{'\n'})+1))
	for line := range bytes.Lines(text) {
		if !isBlank(line) {
			out = append(out, pad...)
		}
		out = append(out, line...)
	}
	return out
}

// inlineText writes a scalar or a collection on one line; ok is false where
// that can't be.
func (s style) inlineText(n *yaml.Node) (text []byte, ok bool) {
	flow := tree.Copy(n)
	if isCollection(flow) {
		flow.Style = yaml.FlowStyle
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

func clearComments(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, child := range n.Content {
		clearComments(child)
	}
}

// spellOut changes the scalars that yaml.v3 would write as something else: a null
// without text in a flow collection becomes `null`, and the string << is quoted.
func spellOut(n *yaml.Node, inFlow bool) {
	inFlow = inFlow || n.Style&yaml.FlowStyle != 0
	switch {
	case n.Kind != yaml.ScalarNode:
	case inFlow && n.Tag == "!!null" && n.Value == "":
		n.Value = "null"
	case n.Tag == "!!merge":
		n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
	}
	for i, child := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 || !tree.IsMergeKey(child) {
			spellOut(child, inFlow)
		}
	}
}
