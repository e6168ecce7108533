package tree

import "go.yaml.in/yaml/v3"

// Node is a value in a YAML document, or a key of a map. It has what a node of
// go.yaml.in/yaml/v3 has, with the same meaning, in 64 bytes in place of 160: a run holds up to a
// node for every 20 bytes of text.
type Node struct {
	// Content has the keys and values of a map in turns, or the elements of a list.
	Content []*Node
	// text is that of a scalar, unescaped, or the name of an alias. If the scalar has lines, it is
	// their source.
	text string
	// extra is what few nodes have; nil for none. It may be shared and is not changed.
	extra        *extra
	line, column int32
	lines        lines
	Kind         Kind
	Style        Style
	Tag          Tag
}

// extra is what few nodes have.
type extra struct {
	anchor string
	alias  *Node
	tag    string
	joined *joinedText
	Comments
}

// Comments are the comments of a node, `#` included: on the lines above it, behind it, and below it
// up to an empty line.
type Comments struct {
	Head, Line, Foot string
}

// Kind is the kind of a node. The zero Kind is none.
type Kind uint8

// The kinds of nodes.
const (
	MappingNode  = Kind(yaml.MappingNode)
	SequenceNode = Kind(yaml.SequenceNode)
	ScalarNode   = Kind(yaml.ScalarNode)
	AliasNode    = Kind(yaml.AliasNode)
)

// Style is how a node is written, as bits. No bit is a plain scalar, or a collection in block
// style.
type Style uint8

// The styles of nodes.
const (
	TaggedStyle       = Style(yaml.TaggedStyle) // with its tag
	DoubleQuotedStyle = Style(yaml.DoubleQuotedStyle)
	SingleQuotedStyle = Style(yaml.SingleQuotedStyle)
	LiteralStyle      = Style(yaml.LiteralStyle)
	FoldedStyle       = Style(yaml.FoldedStyle)
	FlowStyle         = Style(yaml.FlowStyle)
)

// Tag is the tag of a node, written or resolved. That of an alias is NoTag.
type Tag uint8

// The tags of nodes.
const (
	NoTag Tag = iota
	NonSpecificTag
	NullTag
	BoolTag
	IntTag
	FloatTag
	StringTag
	TimestampTag
	BinaryTag
	MapTag
	ListTag
	MergeTag
	otherTag // its name is in the node's extra
)

// tagNames has the names of the tags but otherTag.
var tagNames = [...]string{
	NoTag: "", NonSpecificTag: "!", NullTag: "!!null", BoolTag: "!!bool", IntTag: "!!int", FloatTag: "!!float",
	StringTag: "!!str", TimestampTag: "!!timestamp", BinaryTag: "!!binary", MapTag: "!!map", ListTag: "!!seq",
	MergeTag: "!!merge",
}

// TagName returns the name of the tag, such as "!!str"; "" for none.
func (n *Node) TagName() string {
	if n.Tag == otherTag {
		return n.extra.tag
	}
	return tagNames[n.Tag]
}

// NewScalar returns the node of a plain scalar.
func NewScalar(tag Tag, text string) *Node {
	return &Node{Kind: ScalarNode, Tag: tag, text: text}
}

// Bare returns a node of the same kind, style, tag and text without anything else.
func (n *Node) Bare() *Node {
	bare := &Node{Kind: n.Kind, Style: n.Style, Tag: n.Tag, text: n.text, lines: n.lines}
	if e := n.extra; e != nil && (e.tag != "" || e.joined != nil) {
		bare.extra = &extra{tag: e.tag, joined: e.joined}
	}
	return bare
}

// Line returns the line where the node begins, from 1, with its anchor and tag; 0 is unknown.
func (n *Node) Line() int { return int(n.line) }

// Column returns the column where the node begins, in characters from 1, with its anchor and tag; 0
// is unknown.
func (n *Node) Column() int { return int(n.column) }

// setPlace sets the line and the column.
func (n *Node) setPlace(line, column int) {
	n.line, n.column = int32(line), int32(column)
}

// Anchor returns the name of the node's anchor; "" for none.
func (n *Node) Anchor() string {
	if n.extra == nil {
		return ""
	}
	return n.extra.anchor
}

// Alias returns the node that an alias stands for; nil if the node is no alias.
func (n *Node) Alias() *Node {
	if n.extra == nil {
		return nil
	}
	return n.extra.alias
}

// Comments returns the node's comments, which only ParseWithComments reads.
func (n *Node) Comments() Comments {
	if n.extra == nil {
		return Comments{}
	}
	return n.extra.Comments
}

// SetAnchor gives the node an anchor; "" takes it away.
func (n *Node) SetAnchor(name string) {
	if name != n.Anchor() {
		n.change(func(e *extra) { e.anchor = name })
	}
}

// SetAlias makes an alias node stand for the anchored node.
func (n *Node) SetAlias(anchored *Node) {
	n.change(func(e *extra) { e.alias = anchored })
}

// SetComments sets all comments of the node.
func (n *Node) SetComments(c Comments) {
	if c != n.Comments() {
		n.change(func(e *extra) { e.Comments = c })
	}
}

// change gives the node an extra of its own, with a change.
func (n *Node) change(f func(*extra)) {
	var e extra
	if n.extra != nil {
		e = *n.extra
	}
	f(&e)
	n.extra = &e
}
