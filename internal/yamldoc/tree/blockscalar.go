package tree

import (
	"slices"
	"strings"
)

// chomping says which line breaks at the end of a block scalar are kept (YAML 1.2.2, section
// 8.1.1.2).
type chomping uint8

const (
	clip  chomping = iota // one stays
	strip                 // none stays
	keep                  // all stay
)

// blockLayout is how a block scalar is written.
type blockLayout struct {
	// start is the offset of its first line, end the one behind it.
	start, end int
	// column is that of its text, from 0.
	column   int
	chomping chomping
	folded   bool
}

// blockScalar reads the literal or folded scalar at pos, inside the collection in column indent,
// and advances to the next line with content.
func (r *reader) blockScalar(indent int) *Node {
	n := r.node(ScalarNode, StringTag, r.pos)
	b, ok := r.blockHeader(indent)
	if !ok || !r.skipBlock(&b) {
		return nil
	}
	n.Style, n.end = LiteralStyle, int32(b.end)
	if b.folded {
		n.Style = FoldedStyle
	}
	r.scratch = slices.Grow(r.scratch[:0], b.end-b.start)
	b.pieces(r.text, r.addPiece)
	n.text = string(r.scratch)
	if !r.nextContent() {
		return nil
	}
	return n
}

// blockHeader reads the first line of the block scalar at pos, inside the collection in column
// indent.
func (r *reader) blockHeader(indent int) (b blockLayout, ok bool) {
	b.folded = r.text[r.pos] == '>'
	r.pos++
	chomping, extra := r.blockIndicators()
	if r.skipLineComment(); r.pos == len(r.text) || r.text[r.pos] != '\n' {
		return b, false
	}
	r.newLine()
	b.start, b.chomping, b.column = r.pos, chomping, max(indent, 0)+extra
	if extra == 0 {
		b.column = r.blockColumn(indent)
	}
	return b, b.column > 0
}

// blockIndicators reads the indicators behind `|` or `>`: the chomping and the extra indentation,
// in either order. Extra is 0 if it is omitted.
func (r *reader) blockIndicators() (chomp chomping, extra int) {
	for range 2 {
		switch {
		case r.pos == len(r.text):
		case r.text[r.pos] == '+' && chomp == clip:
			chomp = keep
			r.pos++
		case r.text[r.pos] == '-' && chomp == clip:
			chomp = strip
			r.pos++
		case r.text[r.pos] >= '1' && r.text[r.pos] <= '9' && extra == 0:
			extra = int(r.text[r.pos] - '0')
			r.pos++
		}
	}
	return chomp, extra
}

// blockColumn returns the column of the block scalar that begins at pos: that of its first line
// with content; 0 if there is a tab before it.
func (r *reader) blockColumn(indent int) int {
	column, start := max(indent, 0)+1, r.pos
	for i := r.pos; i < len(r.text); i++ {
		switch r.text[i] {
		case ' ':
		case '\t':
			return 0
		case '\n':
			column = max(column, i-start)
			start = i + 1
		default:
			return max(column, i-start)
		}
	}
	return max(column, len(r.text)-start)
}

// skipBlock advances from the start of the first line of a block scalar to the line behind its
// last, and sets the end.
func (r *reader) skipBlock(b *blockLayout) bool {
	b.end = b.start
	for r.pos < len(r.text) {
		r.pos = min(behindSpaces(r.text, r.pos), r.pos+b.column)
		if r.pos == len(r.text) {
			break
		}
		isBlank := r.text[r.pos] == '\n'
		if !isBlank && r.pos-r.lineStart < b.column {
			isTab := r.text[r.pos] == '\t'
			r.pos = r.lineStart
			return !isTab
		}
		r.skipComment() // the rest of the line, whatever it is
		r.newLine()
		if !isBlank || b.chomping == keep {
			b.end = r.pos
		}
	}
	return true
}

// pieces calls do with the parts of the value.
func (b *blockLayout) pieces(text string, do func(value string, start, end int)) {
	behind, breakAt := b.start, -1 // of the last line with content
	isDeep := false
	for at := b.start; at < b.end; {
		from := min(behindSpaces(text, at), at+b.column, b.end)
		width := strings.IndexByte(text[from:b.end], '\n')
		if width < 0 {
			width = b.end - from
		}
		if width > 0 {
			wasDeep := isDeep
			isDeep = text[from] == ' ' || text[from] == '\t'
			switch {
			case breakAt < 0:
			case !b.folded || wasDeep || isDeep:
				do("\n", breakAt, behind)
			case behind == at:
				do(" ", breakAt, behind)
			}
			blankLines(text, behind, at, do)
			do(text[from:from+width], from, from+width)
			breakAt, behind = from+width, from+width+1
		}
		at = from + width + 1
	}
	if b.chomping != strip && breakAt >= 0 && breakAt < b.end {
		do("\n", breakAt, behind)
	}
	if b.chomping == keep {
		blankLines(text, behind, b.end, do)
	}
}

// blankLines calls do with the value of each of the blank lines between two offsets.
func blankLines(text string, at, end int, do func(value string, start, end int)) {
	for at < end {
		width := strings.IndexByte(text[at:end], '\n')
		if width < 0 {
			return
		}
		do("\n", at, at+width+1)
		at += width + 1
	}
}
