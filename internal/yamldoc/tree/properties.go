package tree

import "strings"

// properties are the anchor and the tag of a node, and where they begin.
type properties struct {
	start, line int
	anchor, tag string
}

// withProperties reads the value with an anchor or a tag at pos, inside the block collection in
// column indent. A list in that column may follow if the collection is a map. Properties of a key
// and of an omitted value are not supported.
func (r *reader) withProperties(indent int, inList bool) *Node {
	p, ok := r.properties()
	var n *Node
	switch {
	case !ok:
	case !r.atLineEnd():
		n = r.content(indent, false)
	case !r.endLine():
	case r.indent > indent && strings.IndexByte("&!*", r.text[r.pos]) < 0:
		n = r.below(indent)
	case r.indent == indent && !inList && r.atDash():
		n = r.list(indent)
	}
	return r.setProperties(n, p)
}

// flowProperties is withProperties inside a flow collection.
func (r *reader) flowProperties() *Node {
	p, ok := r.properties()
	if !ok || r.pos == len(r.text) {
		return nil
	}
	return r.setProperties(r.flowValue(), p)
}

// properties reads the anchor and the tag at pos, and the blanks behind them. No alias may follow
// on their line.
func (r *reader) properties() (p properties, ok bool) {
	p.start, p.line = r.pos, r.line
	for r.pos < len(r.text) && (r.text[r.pos] == '&' || r.text[r.pos] == '!') {
		property, name := &p.anchor, r.anchorName
		if r.text[r.pos] == '!' {
			property, name = &p.tag, r.tagName
		}
		if *property != "" {
			return p, false
		}
		if *property = name(); *property == "" || !r.isBreakAt(r.pos) {
			return p, false
		}
		r.skipBlanks()
	}
	if p.anchor != "" {
		if r.anchors == nil {
			r.anchors = map[string]*Node{}
		}
		r.anchors[p.anchor] = nil // until the node is complete
	}
	return p, r.pos == len(r.text) || r.text[r.pos] != '*'
}

// setProperties completes the node n, which may be nil, with its properties.
func (r *reader) setProperties(n *Node, p properties) *Node {
	if n == nil {
		return nil
	}
	n.start, n.line = int32(p.start), int32(p.line)
	if p.tag != "" {
		n.setTag(p.tag)
		n.Style |= TaggedStyle
		if n.Kind == ScalarNode && checkTag(n) != nil {
			return nil
		}
	}
	if p.anchor != "" {
		n.SetAnchor(p.anchor)
		r.anchors[p.anchor] = n
	}
	return n
}

// alias reads the alias at pos. An alias inside its own anchor is not supported.
func (r *reader) alias() *Node {
	start := r.pos
	name := r.anchorName()
	anchored := r.anchors[name]
	if anchored == nil || !r.isBreakAt(r.pos) && strings.IndexByte(",]}", r.text[r.pos]) < 0 {
		return nil
	}
	r.hasAlias = true
	n := r.node(AliasNode, NoTag, start)
	n.text, n.end = name, int32(r.pos)
	n.setAlias(anchored)
	return n
}

// anchorName skips the indicator at pos, and reads the name behind it.
func (r *reader) anchorName() string {
	r.pos++
	start := r.pos
	for r.pos < len(r.text) && isAnchorByte(r.text[r.pos]) {
		r.pos++
	}
	return r.text[start:r.pos]
}

// tagName reads the tag at pos, `!name` or `!!name`; "" if it is another one.
func (r *reader) tagName() string {
	start := r.pos
	r.pos++
	r.skipByte('!')
	name := r.pos
	for r.pos < len(r.text) && (isAnchorByte(r.text[r.pos]) || r.text[r.pos] == '.' || r.text[r.pos] == '/') {
		r.pos++
	}
	if r.pos == name {
		return ""
	}
	return r.text[start:r.pos]
}

func isAnchorByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}
