package tree

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Node is a value in a YAML document, or a key of a map. It has what a node of
// go.yaml.in/yaml/v3 has, with the same meaning, in 64 bytes in place of 160: a run holds up to a
// node for every 20 bytes of text.
type Node struct {
	// Content has the keys and values of a map in turns, or the elements of a list.
	Content []*Node
	// text is that of a scalar, unescaped, or the name of an alias.
	text string
	// extra is what few nodes have; nil for none. It may be shared and is not changed.
	extra *extra
	// start and end are offsets in the text that was read; end is 0 where it is not known.
	start, end, line int32
	Kind             Kind
	Style            Style
	Tag              Tag
}

// extra is what few nodes have.
type extra struct {
	anchor string
	alias  *Node
	tag    string
	// roughLine is the line for which only yaml.v3 reads the node; 0 for none.
	roughLine int
	comment   string
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
	bare := &Node{Kind: n.Kind, Style: n.Style, Tag: n.Tag, text: n.text}
	if e := n.extra; e != nil && e.tag != "" {
		bare.extra = &extra{tag: e.tag}
	}
	return bare
}

// Text returns the text of a scalar, unescaped, or the name of an alias.
func (n *Node) Text() string { return n.text }

// SetText sets the text of a scalar.
func (n *Node) SetText(text string) { n.text = text }

// Line returns the line where the node begins, from 1, with its anchor and tag; 0 is unknown.
func (n *Node) Line() int { return int(n.line) }

// Start returns the offset where the node begins in the text that was read, with its anchor and
// tag.
func (n *Node) Start() int { return int(n.start) }

// End returns the offset behind the node; 0 if it is not known, as in a text that only yaml.v3
// reads. A block scalar ends behind its last line with content, or, if it keeps the line breaks at
// its end, behind these.
func (n *Node) End() int { return int(n.end) }

// IsRough tells whether no more is known of the place of a node than its lines, since only yaml.v3
// reads it.
func (n *Node) IsRough() bool { return n.RoughLine() > 0 }

// RoughLine is the first line, from 1, for which a node is rough; 0 if it is not.
func (n *Node) RoughLine() int {
	if n.extra == nil {
		return 0
	}
	return n.extra.roughLine
}

func (n *Node) setRough(line int) { n.change(func(e *extra) { e.roughLine = line }) }

// Column returns the column where a node begins that was read from text, in characters from 1.
func Column(text []byte, n *Node) int {
	before := text[:min(n.Start(), len(text))]
	return utf8.RuneCount(before[bytes.LastIndexAny(before, "\r\n")+1:]) + 1
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

// Comment returns the lines of the comment that the node is to be written below, each with its `#`.
// No node of the reader has one.
func (n *Node) Comment() string {
	if n.extra == nil {
		return ""
	}
	return n.extra.comment
}

// AddComment adds lines to the comment of the node.
func (n *Node) AddComment(lines ...string) {
	if len(lines) > 0 {
		added := "\n# " + strings.Join(lines, "\n# ")
		n.change(func(e *extra) { e.comment = strings.TrimPrefix(e.comment+added, "\n") })
	}
}

// SetAnchor gives the node an anchor; "" takes it away.
func (n *Node) SetAnchor(name string) {
	if name != n.Anchor() {
		n.change(func(e *extra) { e.anchor = name })
	}
}

// setAlias makes an alias node stand for the anchored node.
func (n *Node) setAlias(anchored *Node) {
	n.change(func(e *extra) { e.alias = anchored })
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
