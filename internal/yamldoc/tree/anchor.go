package tree

// anchored reads the value with the anchor at pos, inside the block collection in column indent. A
// list in that column may follow if the collection is a map. An anchor of a key is not supported.
func (r *reader) anchored(indent int, inList bool) *Node {
	line, column := r.line, r.column(r.pos)
	name := r.anchor()
	if name == "" {
		return nil
	}
	n := r.behindAnchor(indent, inList)
	if n == nil {
		return nil
	}
	r.setAnchor(n, name, line, column)
	return n
}

func (r *reader) behindAnchor(indent int, inList bool) *Node {
	if !r.atLineEnd() {
		if r.isProperty() {
			return nil
		}
		return r.content(indent, false)
	}
	if !r.endLine() {
		return nil
	}
	switch {
	case r.indent > indent && !r.isProperty():
		return r.below(indent)
	case r.indent == indent && !inList && r.atDash():
		return r.list(indent)
	}
	return nil
}

// flowAnchored is anchored inside a flow collection.
func (r *reader) flowAnchored() *Node {
	line, column := r.line, r.column(r.pos)
	name := r.anchor()
	if name == "" || r.pos == len(r.text) || r.isProperty() {
		return nil
	}
	n := r.flowValue()
	if n == nil {
		return nil
	}
	r.setAnchor(n, name, line, column)
	return n
}

// anchor reads the anchor at pos, whose node is not complete from then on, and the spaces behind
// it. It returns "" if there is no valid one.
func (r *reader) anchor() string {
	name := r.anchorName()
	if name == "" || !r.isBreakAt(r.pos) {
		return ""
	}
	if r.anchors == nil {
		r.anchors = map[string]*Node{}
	}
	r.anchors[name] = nil
	r.hasAnchor = true
	r.skipSpaces()
	return name
}

// setAnchor completes the node n, whose anchor is at the given place.
func (r *reader) setAnchor(n *Node, name string, line, column int) {
	n.SetAnchor(name)
	n.setPlace(line, column)
	r.anchors[name] = n
}

// isProperty tells whether an anchor or an alias is at pos, which must not follow an anchor.
func (r *reader) isProperty() bool { return r.text[r.pos] == '&' || r.text[r.pos] == '*' }

// alias reads the alias at pos. An alias inside its own anchor is not supported.
func (r *reader) alias() *Node {
	start := r.pos
	name := r.anchorName()
	anchored := r.anchors[name]
	if anchored == nil || !r.isAliasEnd() {
		return nil
	}
	r.hasAlias = true
	n := r.node(AliasNode, NoTag, start)
	n.text = name
	n.SetAlias(anchored)
	return n
}

// isAliasEnd tells whether what is at pos may be right behind an alias.
func (r *reader) isAliasEnd() bool {
	if r.isBreakAt(r.pos) {
		return true
	}
	switch r.text[r.pos] {
	case ',', ']', '}':
		return true
	}
	return false
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

func isAnchorByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}
