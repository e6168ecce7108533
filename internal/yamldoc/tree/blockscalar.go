package tree

import (
	"math"
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

// blockScalar reads the literal or folded scalar at pos, inside the collection in column indent,
// and advances to the next line with content.
func (r *reader) blockScalar(indent int) *Node {
	n := r.node(ScalarNode, StringTag, r.pos)
	n.Style = LiteralStyle
	if r.text[r.pos] == '>' {
		n.Style = FoldedStyle
	}
	r.pos++
	chomp, extra := r.blockIndicators()
	if !r.endBlockHeader() {
		return nil
	}
	column := indent + extra
	if extra == 0 {
		column = r.blockColumn(indent)
	}
	start := r.pos
	if !r.skipBlock(column) {
		return nil
	}
	if !r.skim.on {
		kind := literalLines
		if n.Style == FoldedStyle {
			kind = foldedLines
		}
		n.setLines(r.text[start:r.lineStart], lines{kind, chomp, uint16(column)})
	}
	if !r.nextContent() {
		return nil
	}
	return n
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

// endBlockHeader advances from behind the indicators to the next line.
func (r *reader) endBlockHeader() bool {
	r.skipLineComment()
	if r.pos == len(r.text) || r.text[r.pos] != '\n' {
		return false
	}
	r.newLine()
	return true
}

// blockColumn returns the column of the block scalar that begins at pos: that of its first line
// with content; 0 if there is a tab before it.
func (r *reader) blockColumn(indent int) int {
	column, start := indent+1, r.pos
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
	return column
}

// skipBlock advances from the start of the first line of a block scalar in the given column to the
// line behind its last.
func (r *reader) skipBlock(column int) bool {
	if column == 0 || column > math.MaxUint16 {
		return false
	}
	for r.pos < len(r.text) {
		r.pos = min(behindSpaces(r.text, r.pos), r.pos+column)
		if r.pos == len(r.text) {
			break
		}
		if r.text[r.pos] != '\n' && r.pos-r.lineStart < column {
			isTab := r.text[r.pos] == '\t'
			r.pos = r.lineStart
			return !isTab
		}
		width := strings.IndexByte(r.text[r.pos:], '\n')
		if width < 0 {
			return false
		}
		r.pos += width
		r.newLine()
	}
	return true
}

// blockPieces makes the text of a block scalar in pieces.
type blockPieces struct {
	do     func(piece string)
	folded bool
	// lineOpen: the last line with content still lacks its line break.
	lineOpen bool
	// blankLines counts the blank lines since then.
	blankLines int
	// indented: the last line with content began with a space or a tab, which keeps the line breaks
	// on both sides of it.
	indented bool
}

// addLines adds whole lines, less the first column spaces of each.
func (t *blockPieces) addLines(lines string, column int) {
	for lines != "" {
		i := min(behindSpaces(lines, 0), column)
		end := i + strings.IndexByte(lines[i:], '\n')
		if end == i {
			t.blankLines++
		} else {
			t.addContent(lines[i:end])
		}
		lines = lines[end+1:]
	}
}

func (t *blockPieces) addContent(line string) {
	indented := line[0] == ' ' || line[0] == '\t'
	switch {
	case !t.lineOpen:
	case !t.folded || t.indented || indented:
		t.do("\n")
	case t.blankLines == 0:
		t.do(" ")
	}
	t.writeBlankLines()
	t.do(line)
	t.lineOpen, t.indented = true, indented
}

func (t *blockPieces) end(chomp chomping) {
	if chomp != strip && t.lineOpen {
		t.do("\n")
	}
	if chomp == keep {
		t.writeBlankLines()
	}
}

func (t *blockPieces) writeBlankLines() {
	for ; t.blankLines > 0; t.blankLines-- {
		t.do("\n")
	}
}
