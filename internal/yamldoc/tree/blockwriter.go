package tree

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// BlockWriter writes simple nodes in block style as the YAML library does, but faster: maps and
// lists of scalars on one line of printable text. Its methods return false for other nodes.
type BlockWriter struct {
	Text []byte
	// MapStep is how much deeper than its key a map is indented, ListStep a list.
	MapStep, ListStep int
	// Quotes puts any other string in double quotes, so that all plain data can be written.
	Quotes bool
}

// Entry writes a member of a map, or, if key is nil, an element of a list, indented by depth.
func (w *BlockWriter) Entry(key, value *Node, depth int) bool {
	w.indent(depth)
	return w.entry(key, value, depth)
}

// Collection writes a non-empty map or list, indented by depth. Its first line is not indented
// behind a dash.
func (w *BlockWriter) Collection(n *Node, depth int, behindDash bool) bool {
	if len(n.Content) == 0 || n.Style&FlowStyle != 0 || !n.isBare() || n.Tag != NoTag && n.Tag != MapTag && n.Tag != ListTag {
		return false
	}
	for i := 0; i < len(n.Content); i++ {
		if i > 0 || !behindDash {
			w.indent(depth)
		}
		var key *Node
		if n.Kind == MappingNode {
			key = n.Content[i]
			i++
		}
		if !w.entry(key, n.Content[i], depth) {
			return false
		}
	}
	return true
}

func (w *BlockWriter) indent(depth int) {
	for range depth {
		w.Text = append(w.Text, ' ')
	}
}

func (w *BlockWriter) entry(key, value *Node, depth int) bool {
	switch {
	case key == nil:
		w.Text = append(w.Text, '-')
	case len(key.text) > MaxSimpleKey && !w.Quotes:
		return false
	case len(key.text) > MaxSimpleKey:
		w.Text = append(w.Text, "? "...)
		if !w.scalar(key) {
			return false
		}
		w.Text = append(w.Text, '\n')
		w.indent(depth)
		w.Text = append(w.Text, ':')
	default:
		if !w.scalar(key) {
			return false
		}
		w.Text = append(w.Text, ':')
	}
	switch {
	case len(value.Content) == 0:
		w.Text = append(w.Text, ' ')
		ok := w.scalar(value)
		w.Text = append(w.Text, '\n')
		return ok
	case key == nil:
		w.Text = append(w.Text, ' ')
		return w.Collection(value, depth+2, true)
	}
	w.Text = append(w.Text, '\n')
	if value.Kind == SequenceNode {
		return w.Collection(value, depth+w.ListStep, false)
	}
	return w.Collection(value, depth+w.MapStep, false)
}

// scalar writes a scalar, or an empty map or list, without a line break.
func (w *BlockWriter) scalar(n *Node) bool {
	text, ok := AppendScalar(w.Text, n)
	switch {
	case !n.isBare():
		return false
	case n.Kind == MappingNode:
		text, ok = append(w.Text, "{}"...), true
	case n.Kind == SequenceNode:
		text, ok = append(w.Text, "[]"...), true
	case ok || !w.Quotes:
	case Type(n) == String:
		text, ok = strconv.AppendQuote(w.Text, n.text), true
	default:
		text, ok = append(w.Text, n.text...), true
	}
	w.Text = text
	return ok
}

// isBare tells whether n has no comments and no anchor.
func (n *Node) isBare() bool { return n.Comments() == Comments{} && n.Anchor() == "" }

// AppendScalar appends a scalar as it is written in block style. It returns false if it is not
// simple.
func AppendScalar(b []byte, n *Node) ([]byte, bool) {
	plain, ok := AppendString(b, n.text)
	isString := Type(n) == String
	switch {
	case !ok, n.Kind != ScalarNode, n.Style&^(SingleQuotedStyle|DoubleQuotedStyle) != 0,
		isString && (n.Tag != StringTag || n.Style == 0 && plain[len(b)] == '"'):
		return b, false
	case n.Style == DoubleQuotedStyle:
		return append(append(append(b, '"'), n.text...), '"'), !strings.ContainsAny(n.text, `"\`)
	case n.Style == SingleQuotedStyle:
		return AppendSingleQuoted(b, n.text), true
	case isString:
		return plain, true
	}
	return append(b, n.text...), true
}

// MaxSimpleKey is the length, in bytes, of the longest key that the YAML library writes without a
// question mark.
const MaxSimpleKey = 128

// AppendString appends the string s as the YAML library writes the node of NewString in block
// style. It returns false if s is not simple, for example not one line. It is some thirty times as
// fast as the library.
func AppendString(b []byte, s string) ([]byte, bool) {
	if s == "" || s[0] == '-' || s[0] == '?' || s[0] == ':' {
		return b, false
	}
	isPrintable, isPlain := scanLine(s)
	if !isPrintable {
		return b, false
	}
	if mustQuote(s) {
		return append(append(append(b, '"'), s...), '"'), !strings.ContainsAny(s, `"\`)
	}
	if !isPlain {
		return AppendSingleQuoted(b, s), true
	}
	return append(b, s...), true
}

// AppendSingleQuoted appends s, a line of text, in single quotes.
func AppendSingleQuoted(b []byte, s string) []byte {
	b = append(b, '\'')
	for {
		before, behind, found := strings.Cut(s, "'")
		b = append(b, before...)
		if !found {
			return append(b, '\'')
		}
		b = append(b, "''"...)
		s = behind
	}
}

// scanLine tells whether s, which is not empty, is a line of characters that the library prints as
// they are, and whether it then needs no quotes in block style.
func scanLine(s string) (isPrintable, isPlain bool) {
	isPlain = s[0] != '-' && plainBytes[s[0]]&cannotStart == 0 && !strings.HasPrefix(s, "...")
	for _, r := range s {
		if r < ' ' || r > '~' && r < 0xA0 || r >= utf8.RuneError || r == '\u2028' || r == '\u2029' || r == '\ufeff' {
			return false, false
		}
	}
	last := s[len(s)-1]
	return true, isPlain && last != ' ' && last != ':' && !strings.Contains(s, ": ") && !strings.Contains(s, " #")
}
