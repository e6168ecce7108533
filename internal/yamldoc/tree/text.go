package tree

import (
	"strings"
	"sync"
)

// lines says how the source of a scalar on several lines makes its text. The zero lines are those
// of a scalar whose text is known.
type lines struct {
	kind     lineKind
	chomping chomping
	// column is that of the text of a block scalar, from 0.
	column uint16
}

type lineKind uint8

const (
	noLines lineKind = iota
	// plainLines: a plain scalar, from its first to its last character, without comments.
	plainLines
	// literalLines and foldedLines: the lines below the `|` or `>`, with their line breaks.
	literalLines
	foldedLines
)

// maxRejoined is the size of the longest source, in bytes, of which the text is put together at
// each call; longer text is cached.
const maxRejoined = 4096

// joinedText keeps the text of a long scalar once it has been asked for.
type joinedText struct {
	once sync.Once
	text string
}

// setLines makes n a scalar with that source.
func (n *Node) setLines(source string, l lines) {
	n.text, n.lines = source, l
	if len(source) > maxRejoined {
		n.change(func(e *extra) { e.joined = &joinedText{} })
	}
}

// Known returns the text of a scalar; false if Text puts it together from several lines.
func (n *Node) Known() (text string, ok bool) { return n.text, n.lines.kind == noLines }

// Text returns the text of a scalar, unescaped, or the name of an alias. That of a scalar on
// several lines is put together when it is asked for, which most are not.
func (n *Node) Text() string {
	if n.lines.kind == noLines {
		return n.text
	}
	if n.extra == nil || n.extra.joined == nil {
		return n.join()
	}
	j := n.extra.joined
	j.once.Do(func() { j.text = n.join() })
	return j.text
}

// keyText is Text for a key, which has no lines: the reader takes keys on one line, and no aliases
// as keys.
func keyText(key *Node) string { return Deref(key).text }

// SetText sets the text of a scalar.
func (n *Node) SetText(text string) { n.text, n.lines = text, lines{} }

// join puts together the text of a scalar that has lines.
func (n *Node) join() string {
	size := 0
	n.Pieces(func(piece string) { size += len(piece) })
	var text strings.Builder
	text.Grow(size)
	n.Pieces(func(piece string) { text.WriteString(piece) })
	return text.String()
}

// Pieces calls do with the parts of the result of Text, one after the other.
func (n *Node) Pieces(do func(piece string)) {
	switch l := n.lines; l.kind {
	case noLines:
		do(n.text)
	case plainLines:
		plainPieces(n.text, do)
	default:
		b := blockPieces{do: do, folded: l.kind == foldedLines}
		b.addLines(n.text, int(l.column))
		b.end(l.chomping)
	}
}

// plainPieces is Pieces for a plain scalar.
func plainPieces(source string, do func(string)) {
	line, rest, more := strings.Cut(source, "\n")
	do(strings.TrimRight(line, " "))
	for blank := 0; more; {
		line, rest, more = strings.Cut(rest, "\n")
		if line = strings.Trim(line, " "); line == "" {
			blank++
			continue
		}
		do(foldedBreak(blank))
		do(line)
		blank = 0
	}
}

// foldedBreak returns what a line break, and the blank lines behind it, are in a scalar on several
// lines (YAML 1.2.2, section 6.5).
func foldedBreak(blank int) string {
	if blank == 0 {
		return " "
	}
	return strings.Repeat("\n", blank)
}
