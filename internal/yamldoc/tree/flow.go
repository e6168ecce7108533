package tree

import "go.yaml.in/yaml/v3"

// flow reads the flow collection at pos, all of it on this line. Pairs in lists, keys without
// values and trailing commas are not supported.
func (r *reader) flow() *yaml.Node {
	if r.depth++; r.depth > maxDepth {
		return nil
	}
	if r.text[r.pos] == '[' {
		return r.flowList()
	}
	return r.flowMap()
}

func (r *reader) flowList() *yaml.Node {
	n := r.node(yaml.SequenceNode, "!!seq", r.pos)
	n.Style = yaml.FlowStyle
	first := len(r.open)
	r.pos++
	r.skipSpaces()
	for more := !r.skipByte(']'); more; {
		element := r.flowValue()
		if element == nil {
			return nil
		}
		r.open = append(r.open, element)
		var ok bool
		if more, ok = r.flowNext(']'); !ok {
			return nil
		}
	}
	r.close(n, first)
	return n
}

func (r *reader) flowMap() *yaml.Node {
	n := r.node(yaml.MappingNode, "!!map", r.pos)
	n.Style = yaml.FlowStyle
	first := len(r.open)
	var keys KeyTable
	r.pos++
	r.skipSpaces()
	for more := !r.skipByte('}'); more; {
		key := r.flowKey()
		if key == nil || keys.Index(r.open[first:], key.Value) >= 0 {
			return nil
		}
		r.open = append(r.open, key)
		r.skipSpaces()
		value := r.flowValue()
		if value == nil {
			return nil
		}
		r.open = append(r.open, value)
		var ok bool
		if more, ok = r.flowNext('}'); !ok {
			return nil
		}
	}
	r.close(n, first)
	return n
}

// flowKey reads a key and its colon. Behind a quoted key the colon needs no space, as in JSON.
func (r *reader) flowKey() *yaml.Node {
	if r.pos == len(r.text) || r.text[r.pos] == '[' || r.text[r.pos] == '{' {
		return nil
	}
	start := r.pos
	key := r.flowValue()
	if key == nil || r.pos-start > maxKeyLength {
		return nil
	}
	if key.Style == 0 && !r.isBreakAt(r.pos+1) || !r.skipByte(':') {
		return nil
	}
	return key
}

func (r *reader) flowValue() *yaml.Node {
	if r.pos == len(r.text) {
		return nil
	}
	switch r.text[r.pos] {
	case '[', '{':
		return r.flow()
	case '"':
		return r.doubleQuoted()
	case '\'':
		return r.singleQuoted()
	}
	return r.flowPlain()
}

// flowNext skips the comma, or the byte end that closes the collection, behind a value; more tells
// whether it was a comma.
func (r *reader) flowNext(end byte) (more, ok bool) {
	r.skipSpaces()
	if r.skipByte(end) {
		return false, true
	}
	if !r.skipByte(',') || r.slab.made > r.limit {
		return false, false
	}
	r.skipSpaces()
	return true, true
}

func (r *reader) skipByte(c byte) bool {
	if r.pos == len(r.text) || r.text[r.pos] != c {
		return false
	}
	r.pos++
	return true
}
