package tree

// quoted reads the quoted scalar at pos.
func (r *reader) quoted() *Node {
	text, start := r.text, r.pos
	n := r.node(ScalarNode, StringTag, start)
	stops, style := byte(stopsDouble), DoubleQuotedStyle
	if text[start] == '\'' {
		stops, style = stopsSingle, SingleQuotedStyle
	}
	n.Style = style
	end := start + 1
	for end < len(text) && plainBytes[text[end]]&stops == 0 {
		end++
	}
	if end < len(text) && text[end] == text[start] && (style == DoubleQuotedStyle || end+1 == len(text) || text[end+1] != '\'') {
		n.text, r.pos = text[start+1:end], end+1
	} else {
		r.scratch = r.scratch[:0]
		if r.pos = quotedPieces(text, start, false, r.addPiece); r.pos == 0 {
			r.pos = start
			return nil
		}
		n.text = string(r.scratch)
		r.countLines(start)
	}
	n.end = int32(r.pos)
	return n
}

// addPiece adds a piece of a scalar to the scratch memory.
func (r *reader) addPiece(value string, _, _ int) { r.scratch = append(r.scratch, value...) }
