package tree

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// singleQuoted reads the single-quoted scalar at pos.
func (r *reader) singleQuoted() *Node {
	text, start, escaped := r.text, r.pos+1, false
	for i := start; i < len(text); i++ {
		switch text[i] {
		case '\n':
			return r.quotedLines(SingleQuotedStyle)
		case '\'':
			if i+1 < len(r.text) && r.text[i+1] == '\'' {
				escaped = true
				i++
				continue
			}
			value := r.text[start:i]
			if escaped {
				value = strings.ReplaceAll(value, "''", "'")
			}
			return r.quotedNode(SingleQuotedStyle, value, i)
		}
	}
	return nil
}

// doubleQuoted reads the double-quoted scalar at pos.
func (r *reader) doubleQuoted() *Node {
	text, start := r.text, r.pos+1
	for i := start; i < len(text); i++ {
		if plainBytes[text[i]]&stopsQuoted == 0 {
			continue
		}
		switch text[i] {
		case '\n':
			return r.quotedLines(DoubleQuotedStyle)
		case '\\':
			return r.escaped(start, i)
		case '"':
			return r.quotedNode(DoubleQuotedStyle, r.text[start:i], i)
		}
	}
	return nil
}

// escaped reads the double-quoted scalar whose content begins at start and has its first escape at
// i.
func (r *reader) escaped(start, i int) *Node {
	b := r.scratch[:0]
	for i < len(r.text) {
		switch r.text[i] {
		case '\n':
			return r.quotedLines(DoubleQuotedStyle)
		case '"':
			b = append(b, r.text[start:i]...)
			return r.quotedNode(DoubleQuotedStyle, r.built(b), i)
		case '\\':
			if strings.HasPrefix(r.text[i+1:], "\n") {
				return r.quotedLines(DoubleQuotedStyle)
			}
			b = append(b, r.text[start:i]...)
			c, width := unescape(r.text[i+1:])
			if width == 0 {
				return nil
			}
			b = utf8.AppendRune(b, c)
			i += 1 + width
			start = i
		default:
			i++
		}
	}
	return nil
}

// unescape returns the character of an escape and the length of the escape without its backslash; 0
// if yaml.v3 does not accept it.
func unescape(s string) (c rune, width int) {
	if s == "" {
		return 0, 0
	}
	switch s[0] {
	case 'x':
		return unescapeHex(s, 2)
	case 'u':
		return unescapeHex(s, 4)
	case 'U':
		return unescapeHex(s, 8)
	}
	if c, ok := escapes[s[0]]; ok {
		return c, 1
	}
	return 0, 0
}

// escapes are those of YAML 1.2.2, section 5.7, that yaml.v3 accepts: also `\'`, but not `\/`.
var escapes = map[byte]rune{
	'0': 0, 'a': '\a', 'b': '\b', 't': '\t', '\t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'e': 0x1b,
	' ': ' ', '"': '"', '\'': '\'', '\\': '\\', 'N': 0x85, '_': 0xa0, 'L': 0x2028, 'P': 0x2029,
}

func unescapeHex(s string, digits int) (c rune, width int) {
	if len(s) <= digits {
		return 0, 0
	}
	v, err := strconv.ParseUint(s[1:1+digits], 16, 32)
	if err != nil || v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		return 0, 0
	}
	return rune(v), 1 + digits
}

// quotedNode returns the node of the quoted scalar that begins at pos and whose closing quote is at
// end.
func (r *reader) quotedNode(style Style, value string, end int) *Node {
	n := r.node(ScalarNode, StringTag, r.pos)
	n.Style, n.text = style, value
	r.pos = end + 1
	return n
}
