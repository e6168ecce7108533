package tree

import "strings"

// flow reads the flow collection at pos. Question marks and keys on several lines are not
// supported.
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
		entry := r.flowValue()
		if entry == nil {
			return nil
		}
		switch hasColon := r.skipFlowColon(entry); {
		case n.Kind == MappingNode:
			if entry.Kind != ScalarNode || keys.Index(r.open[first:], entry.text) >= 0 {
				return nil
			}
			r.open = append(r.open, entry)
			entry = r.valueOf(entry, hasColon)
		case hasColon:
			entry = r.pair(entry)
		}
		if entry == nil {
			return nil
		}
		r.open = append(r.open, entry)
		var ok bool
		if more, ok = r.flowNext(end); !ok {
			return nil
		}
	}
	r.close(n, first)
	n.end = int32(r.pos)
	return n
}

// skipFlowColon skips the colon that makes a scalar on one line a key, and the blanks around it.
// Behind a quoted key it needs no blank, as in JSON.
func (r *reader) skipFlowColon(key *Node) bool {
	if key.Kind != ScalarNode || key.Line() != r.line || key.Style&TaggedStyle != 0 || key.Anchor() != "" || r.pos-key.Start() > maxKeyLength {
		return false
	}
	r.skipBlanks()
	if key.Style == 0 && !r.isBreakAt(r.pos+1) {
		return false
	}
	return r.skipByte(':')
}

// valueOf reads the value of a key, whose colon is skipped if it has one. The place of one that is
// left out is before the next comma or bracket.
func (r *reader) valueOf(key *Node, hasColon bool) *Node {
	r.skipFlowSpaces()
	if r.pos < len(r.text) && strings.IndexByte(",]}", r.text[r.pos]) >= 0 {
		return r.null(r.line, r.pos)
	}
	if !hasColon {
		return nil
	}
	value := r.flowValue()
	if value == nil || key.Tag == MergeTag && checkMerge(value) != nil {
		return nil
	}
	return value
}

// pair reads the value of a key in a list, which makes a map with one member. A value that is left
// out is not supported.
func (r *reader) pair(key *Node) *Node {
	n := r.node(MappingNode, MapTag, key.Start())
	n.Style = FlowStyle
	if r.depth++; r.depth > MaxDepth {
		return nil
	}
	value := r.valueOf(key, true)
	if value == nil || value.end == value.start {
		return nil
	}
	r.depth--
	n.line, n.end = key.line, value.end
	n.Content = r.slab.list([]*Node{key, value})
	return n
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
		r.skipBlanks()
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
