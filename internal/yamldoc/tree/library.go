package tree

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// MarshalYAML makes the library write the node as its own. The error is always nil.
func (n *Node) MarshalYAML() (any, error) { return ToLibrary(n), nil }

// ToLibrary returns n as a node of go.yaml.in/yaml/v3.
func ToLibrary(n *Node) *yaml.Node {
	return toLibrary(n, map[*Node]*yaml.Node{})
}

// toLibrary is ToLibrary with the anchored nodes so far.
func toLibrary(n *Node, anchored map[*Node]*yaml.Node) *yaml.Node {
	comments := n.Comments()
	to := &yaml.Node{
		Kind: yaml.Kind(n.Kind), Style: yaml.Style(n.Style), Tag: n.TagName(), Value: n.Text(), Anchor: n.Anchor(),
		HeadComment: comments.Head, LineComment: comments.Line, FootComment: comments.Foot,
		Line: n.Line(), Column: n.Column(),
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

// fromLibrary returns a node of yaml.v3, other than a document, as a Node. Anchored has the nodes
// with anchors before it.
func fromLibrary(n *yaml.Node, anchored map[*yaml.Node]*Node) *Node {
	to := &Node{Kind: Kind(n.Kind), Style: Style(n.Style), text: n.Value}
	to.setPlace(n.Line, n.Column)
	if to.Tag = tagOf(n.Tag); to.Tag == otherTag {
		to.change(func(e *extra) { e.tag = n.Tag })
	}
	to.SetAnchor(n.Anchor)
	to.SetComments(Comments{Head: n.HeadComment, Line: n.LineComment, Foot: n.FootComment})
	if n.Anchor != "" {
		anchored[n] = to
	}
	if n.Alias != nil {
		to.SetAlias(anchored[n.Alias])
	}
	for _, child := range n.Content {
		to.Content = append(to.Content, fromLibrary(child, anchored))
	}
	return to
}

// tagOf returns the tag of that name.
func tagOf(name string) Tag {
	if i := slices.Index(tagNames[:], name); i >= 0 {
		return Tag(i)
	}
	return otherTag
}
