package tree

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Piece is a part of the value of a scalar, and its place in the text: characters that are written
// as they are, or one escape, doubled quote or line break.
type Piece struct {
	Value      string
	Start, End int
}

// Pieces returns the parts of the value of the scalar n, in order, which this package's own reader
// has read from text. Parent is the column, from 0, of the block collection around it.
func Pieces(text string, n *Node, parent int, isJSON bool) (pieces []Piece) {
	add := func(value string, start, end int) { pieces = append(pieces, Piece{value, start, end}) }
	at := ContentStart(text, n)
	switch {
	case n.Style&(LiteralStyle|FoldedStyle) != 0:
		r := reader{text: text, pos: at}
		b, _ := r.blockHeader(parent)
		b.end = n.End()
		b.pieces(text, add)
	case n.Style&(DoubleQuotedStyle|SingleQuotedStyle) != 0:
		quotedPieces(text, at, isJSON, add)
	default:
		plainPieces(text, at, n.End(), add)
	}
	return pieces
}

// ContentStart returns the offset of the content of a node that was read from text, behind its
// anchor and tag.
func ContentStart(text string, n *Node) int {
	if end := PropertiesEnd(text, n); end > n.Start() {
		return SkipBlanks(text, end)
	}
	return n.Start()
}

// PropertiesEnd returns the offset behind the anchor and tag of a node that was read from text. If
// it has none, that is where it starts.
func PropertiesEnd(text string, n *Node) int {
	end := n.Start()
	for at := end; at < len(text) && (text[at] == '&' || text[at] == '!'); at = SkipBlanks(text, end) {
		for end = at; end < len(text) && strings.IndexByte(" \t\n", text[end]) < 0; {
			end++
		}
	}
	return end
}

// SkipBlanks returns the offset behind blanks, line breaks and comments.
func SkipBlanks(text string, at int) int {
	for at < len(text) {
		switch text[at] {
		case ' ', '\t', '\n', '\r':
			at++
		case '#':
			width := strings.IndexByte(text[at:], '\n')
			if width < 0 {
				return len(text)
			}
			at += width
		default:
			return at
		}
	}
	return at
}

// plainPieces calls do with the parts of the value of the plain scalar between two offsets.
func plainPieces(text string, at, end int, do func(value string, start, end int)) {
	for {
		width := strings.IndexByte(text[at:end], '\n')
		if width < 0 {
			do(text[at:end], at, end)
			return
		}
		line := strings.TrimRight(text[at:at+width], blanks)
		do(line, at, at+len(line))
		value, behind := foldedBreaks(text, at+width)
		do(value, at+len(line), behind)
		at = behind
	}
}

// foldedBreaks returns what the line breaks at an offset are in a scalar on several lines (YAML
// 1.2.2, section 6.5), and the offset behind them and the blanks behind each.
func foldedBreaks(text string, at int) (value string, behind int) {
	blank := -1
	for ; at < len(text) && (text[at] == '\n' || isBlank(text[at])); at++ {
		if text[at] == '\n' {
			blank++
		}
	}
	if blank == 0 {
		return " ", at
	}
	return strings.Repeat("\n", blank), at
}

// quotedPieces calls do with the parts of the value of the quoted scalar at an offset, and returns
// the offset behind it; 0 if yaml.v3 may not accept it.
func quotedPieces(text string, at int, isJSON bool, do func(value string, start, end int)) int {
	quote := text[at]
	at++
	for from := at; at < len(text); from = at {
		for at < len(text) && text[at] != quote && text[at] != '\n' && (text[at] != '\\' || quote == '\'') {
			at++
		}
		if at == len(text) {
			return 0
		}
		run, start := text[from:at], at
		var value string
		switch {
		case text[at] == quote:
			if at++; quote == '"' || at == len(text) || text[at] != quote {
				do(run, from, start)
				return at
			}
			value = "'"
			at++
		case text[at] == '\n' || strings.HasPrefix(text[at+1:], "\n"):
			if text[at] == '\n' {
				run = strings.TrimRight(run, " \t")
				value, at = foldedBreaks(text, at)
			} else if value, at = foldedBreaks(text, at+1); value == " " {
				value = ""
			}
			if at == len(text) || text[at-1] == '\n' && isDocumentMarker(text[at:]) {
				return 0
			}
		default:
			var width int
			if value, width = unescape(text[at:], isJSON); width == 0 {
				return 0
			}
			at += width
		}
		do(run, from, from+len(run))
		do(value, max(start, from+len(run)), at)
	}
	return 0
}

// unescape returns the value of the escape at the beginning of s, and its length; 0 if JSON has
// none such, or yaml.v3 does not accept it.
func unescape(s string, isJSON bool) (value string, width int) {
	if len(s) < 2 {
		return "", 0
	}
	var digits int
	switch s[1] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		if c, ok := escapes[s[1]]; ok && (s[1] != '/' || isJSON) {
			return string(c), 2
		}
		return "", 0
	}
	c := hexRune(s[2:], digits)
	switch {
	case utf16.IsSurrogate(c) && isJSON:
		if rest, ok := strings.CutPrefix(s[6:], `\u`); ok {
			if pair := utf16.DecodeRune(c, hexRune(rest, 4)); pair != utf8.RuneError {
				return string(pair), 12
			}
		}
	case !utf8.ValidRune(c):
		return "", 0
	}
	return string(c), 2 + digits
}

// hexRune returns the character with a number; -1 where s does not begin with it.
func hexRune(s string, digits int) rune {
	c, err := strconv.ParseUint(s[:min(digits, len(s))], 16, 32)
	if err != nil || len(s) < digits || c > utf8.MaxRune {
		return -1
	}
	return rune(c)
}

// escapes are those of YAML 1.2.2, section 5.7, that yaml.v3 accepts, and `\/`, which JSON has.
var escapes = map[byte]rune{
	'0': 0, 'a': '\a', 'b': '\b', 't': '\t', '\t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'e': 0x1b,
	' ': ' ', '"': '"', '\'': '\'', '\\': '\\', 'N': 0x85, '_': 0xa0, 'L': 0x2028, 'P': 0x2029, '/': '/',
}

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
