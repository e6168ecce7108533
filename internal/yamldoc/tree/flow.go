package tree

// flow reads the flow collection at pos. Pairs in lists, keys without values and plain scalars on
// several lines are not supported.
func (r *reader) flow() *Node {
	r.flowLine = r.line
	n := r.flowCollection()
	if n != nil {
		r.flowLine = 0
	}
	return n
}

func (r *reader) flowCollection() *Node {
	if r.depth++; r.depth > MaxDepth {
		return nil
	}
	n, end := r.node(SequenceNode, ListTag, r.pos), byte(']')
	if r.text[r.pos] == '{' {
		n.Kind, n.Tag, end = MappingNode, MapTag, '}'
	}
	n.Style = FlowStyle
	first := len(r.open)
	var keys KeyTable
	r.pos++
	r.skipFlowSpaces()
	for more := !r.skipByte(end); more; {
		var key *Node
		if n.Kind == MappingNode {
			if key = r.flowKey(); key == nil || keys.Index(r.open[first:], key.text) >= 0 {
				return nil
			}
			r.open = append(r.open, key)
			r.skipFlowSpaces()
		}
		value := r.flowValue()
		if value == nil || key != nil && key.Tag == MergeTag && checkMerge(value) != nil {
			return nil
		}
		r.open = append(r.open, value)
		var ok bool
		if more, ok = r.flowNext(end); !ok {
			return nil
		}
	}
	r.close(n, first)
	n.end = int32(r.pos)
	return n
}

// flowKey reads a key and its colon. Behind a quoted key the colon needs no space, as in JSON.
func (r *reader) flowKey() *Node {
	if r.pos == len(r.text) {
		return nil
	}
	start := r.pos
	key := r.scalar(true)
	if key == nil || r.pos-start > maxKeyLength || key.Line() != r.line {
		return nil
	}
	if key.Style == 0 && !r.isBreakAt(r.pos+1) || !r.skipByte(':') {
		return nil
	}
	return key
}

func (r *reader) flowValue() *Node {
	if r.pos == len(r.text) {
		return nil
	}
	switch r.text[r.pos] {
	case '[', '{':
		return r.flowCollection()
	case '&', '!':
		return r.flowProperties()
	case '*':
		return r.alias()
	}
	return r.scalar(true)
}

// flowNext skips the comma, or the byte end that closes the collection, behind a value; more tells
// whether another value follows.
func (r *reader) flowNext(end byte) (more, ok bool) {
	r.skipFlowSpaces()
	if r.skipByte(end) {
		return false, true
	}
	if !r.skipByte(',') || r.slab.made > r.limit {
		return false, false
	}
	r.skipFlowSpaces()
	return !r.skipByte(end), true
}

// skipFlowSpaces skips spaces, line breaks and comments inside a flow collection.
func (r *reader) skipFlowSpaces() {
	r.skipLineComment()
	for r.pos < len(r.text) && r.text[r.pos] == '\n' {
		r.newLine()
		r.skipSpaces()
		if r.pos < len(r.text) && r.text[r.pos] == '#' {
			r.skipComment()
		}
	}
}

func (r *reader) skipByte(c byte) bool {
	if r.pos == len(r.text) || r.text[r.pos] != c {
		return false
	}
	r.pos++
	return true
}
