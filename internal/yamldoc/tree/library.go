package tree

import (
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// ToLibrary returns n as a node of go.yaml.in/yaml/v3.
func ToLibrary(n *Node) *yaml.Node {
	return toLibrary(n, map[*Node]*yaml.Node{})
}

// toLibrary is ToLibrary with the anchored nodes so far.
func toLibrary(n *Node, anchored map[*Node]*yaml.Node) *yaml.Node {
	to := &yaml.Node{
		Kind: yaml.Kind(n.Kind), Style: yaml.Style(n.Style), Tag: n.TagName(), Value: n.Text(), Anchor: n.Anchor(),
		HeadComment: n.Comment(),
	}
	if to.Anchor != "" {
		anchored[n] = to
	}
	if alias := n.Alias(); alias != nil {
		if to.Alias = anchored[alias]; to.Alias == nil { // its anchor is elsewhere
			to.Alias = toLibrary(alias, anchored)
		}
	}
	for _, child := range n.Content {
		to.Content = append(to.Content, toLibrary(child, anchored))
	}
	return to
}

// libraryReader converts nodes of yaml.v3.
type libraryReader struct {
	// anchored has the nodes with anchors so far.
	anchored map[*yaml.Node]*Node
	// starts are the offsets of the lines.
	starts []int
	text   string
	// line and column are those of the offset at, that of the last node.
	line, column, at int
}

// node returns a node other than a document as a Node, whose end is not known.
func (r *libraryReader) node(n *yaml.Node) *Node {
	to := &Node{Kind: Kind(n.Kind), Style: Style(n.Style), text: n.Value, line: int32(n.Line)}
	to.start = int32(r.offset(n.Line, n.Column))
	to.setTag(n.Tag)
	to.SetAnchor(n.Anchor)
	if n.HeadComment != "" {
		to.change(func(e *extra) { e.comment = n.HeadComment })
	}
	if n.Anchor != "" {
		r.anchored[n] = to
	}
	if n.Alias != nil {
		to.setAlias(r.anchored[n.Alias])
	}
	for _, child := range n.Content {
		to.Content = append(to.Content, r.node(child))
	}
	return to
}

// offset returns the offset of a line and a column, in characters; it goes on from the last one.
func (r *libraryReader) offset(line, column int) int {
	if line != r.line || column < r.column {
		r.line, r.column, r.at = line, 1, r.starts[min(line, len(r.starts))-1]
	}
	for ; r.column < column; r.column++ {
		_, size := utf8.DecodeRuneInString(r.text[r.at:])
		r.at += size
	}
	return r.at
}

// setTag gives the node the tag of that name.
func (n *Node) setTag(name string) {
	if n.Tag = tagOf(name); n.Tag == otherTag {
		n.change(func(e *extra) { e.tag = name })
	}
}

// tagOf returns the tag of that name.
func tagOf(name string) Tag {
	if i := slices.Index(tagNames[:], name); i >= 0 {
		return Tag(i)
	}
	return otherTag
}
