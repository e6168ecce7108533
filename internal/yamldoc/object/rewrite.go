package object

import (
	"bytes"
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// rewrite writes the value of an entry from its data. The key keeps its line comment; comments
// inside the old value are lost.
func (s *splicer) rewrite(e entry, value *tree.Node) {
	end := s.end(e)
	if e.key == nil {
		s.rewriteWhole(e, value, end)
		return
	}
	colon, ok := s.afterKey(e)
	if !ok {
		s.rewriteWhole(e, value, end)
		return
	}
	text, err := s.style.entryText(tree.NewScalar(tree.NoTag, "k"), value, e.depth())
	if err != nil {
		s.giveUp()
		return
	}
	behind := text[e.depth()+len("k:"):]
	if next := s.start(s.lineAt(colon) + 1); behind[0] == '\n' && s.isKeyLine(colon) && next < end {
		below := behind[1:]
		if !isBreak(s.text[end-1]) {
			below = bytes.TrimSuffix(below, []byte{'\n'})
		}
		s.replace(next, end, below)
		return
	}
	s.replace(colon, end, s.withLineComment(behind, s.commentBehind(e, colon), end))
}

// isKeyLine tells whether only a comment follows a colon on its line.
func (s *splicer) isKeyLine(colon int) bool {
	rest := bytes.TrimLeft(s.text[colon:s.lineEnd(colon)], " \t")
	return len(rest) == 0 || rest[0] == '#'
}

// rewriteWhole is rewrite for an element of a list, and for a member whose key is not before a
// colon.
func (s *splicer) rewriteWhole(e entry, value *tree.Node, end int) {
	text, err := s.style.entryText(e.key, value, e.depth())
	if err != nil {
		s.giveUp()
		return
	}
	start := s.offset(e.line, e.column)
	s.replace(start, end, s.withLineComment(text[e.depth():], s.commentBehind(e, start+1), end))
}

// withLineComment returns text, which replaces what ends at an offset, with a comment on its first
// line.
func (s *splicer) withLineComment(text, comment []byte, end int) []byte {
	if end > 0 && !isBreak(s.text[end-1]) {
		text = bytes.TrimSuffix(text, []byte{'\n'})
	}
	if len(comment) == 0 {
		return text
	}
	first, rest, hasMore := bytes.Cut(text, []byte{'\n'})
	out := append(append(bytes.Clone(first), ' '), comment...)
	if hasMore {
		out = append(append(out, '\n'), rest...)
	}
	return out
}

// commentBehind returns the comment on the line of an entry whose key and colon, or dash, end at an
// offset: behind them, or behind a value that ends on the line.
func (s *splicer) commentBehind(e entry, at int) []byte {
	rest := bytes.TrimLeft(s.text[at:s.lineEnd(at)], " \t")
	if !isCollection(e.value) || e.value.Style&tree.FlowStyle != 0 {
		if end, ok := s.valueEnd(e.value); ok && s.lineAt(end) == e.line {
			rest = bytes.TrimLeft(s.text[end:s.lineEnd(end)], " \t")
		}
	}
	if e.value.Style&(tree.LiteralStyle|tree.FoldedStyle) != 0 {
		rest = rest[max(bytes.Index(rest, []byte(" #"))+1, 0):]
	}
	if len(rest) == 0 || rest[0] != '#' {
		return nil
	}
	return bytes.TrimRight(rest, " \t")
}

// valueEnd returns the offset behind a value that has an end of its own.
func (s *splicer) valueEnd(n *tree.Node) (int, bool) {
	if n.Line() == 0 || n.Kind == tree.ScalarNode && n.Text() == "" && n.Style == 0 {
		return 0, false
	}
	return s.nodeEnd(s.offset(n.Line(), n.Column()), n)
}

func isBreak(c byte) bool { return c == '\n' || c == '\r' }

// Closed returns YAML text that keeps its data if a line break and more text follow it: else a
// block scalar at its end would gain the line break.
func Closed(text []byte) []byte {
	if len(text) == 0 || isBreak(text[len(text)-1]) {
		return text
	}
	root, err := tree.Parse(text)
	if err != nil || root == nil {
		return text
	}
	s := splicer{lines: *newLines(text)}
	s.closeBlockScalar(root)
	return bytes.Join(s.pieces(), nil)
}

// closeBlockScalar adds `-` to the header of a block scalar that ends a text without a line break,
// so that a line break behind it does not change its value.
func (s *splicer) closeBlockScalar(n *tree.Node) {
	n = lastOf(n)
	if n.Style&(tree.LiteralStyle|tree.FoldedStyle) == 0 || n.Line() == 0 {
		return
	}
	at := s.skipProperties(s.offset(n.Line(), n.Column())) + 1
	end := at
	for end < len(s.text) && bytes.IndexByte([]byte("+-0123456789"), s.text[end]) >= 0 {
		end++
	}
	digits := bytes.Trim(s.text[at:end], "+-")
	s.replace(at, end, append([]byte{'-'}, digits...))
}

// keepsBreaks tells whether n is a block scalar that contains all line breaks behind it.
func (s *splicer) keepsBreaks(n *tree.Node) bool {
	if n.Style&(tree.LiteralStyle|tree.FoldedStyle) == 0 || n.Line() == 0 || s.json {
		return false
	}
	return s.chomping(n) == '+'
}

// chomping returns the chomping indicator of a block scalar; 0 for none.
func (s *splicer) chomping(n *tree.Node) byte {
	at := s.skipProperties(s.offset(n.Line(), n.Column())) + 1
	header := s.text[min(at, len(s.text)):min(at+2, len(s.text))]
	if i := bytes.IndexAny(header, "+-"); i >= 0 {
		return header[i]
	}
	return 0
}

// mayKeepBreaks tells whether a block scalar of the object keeps the line breaks behind it.
func (s *splicer) mayKeepBreaks() bool {
	if !s.keepsKnown {
		s.keeps = bytes.IndexByte(s.text, '+') >= 0 && s.hasKept(s.object.original)
		s.keepsKnown = true
	}
	return s.keeps
}

// hasKept tells whether a scalar in n keeps its line breaks.
func (s *splicer) hasKept(n *tree.Node) bool {
	return s.keepsBreaks(n) || slices.ContainsFunc(n.Content, s.hasKept)
}

// behindBlanks returns the offset behind the blank lines from the offset of a line on.
func (s *splicer) behindBlanks(at int) int {
	for at < len(s.text) && isBlank(s.text[at:s.lineEnd(at)]) {
		at = s.start(s.lineAt(at) + 1)
	}
	return at
}
