package tree

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// BlockWriter writes nodes as YAML in block style, in which collections of flow style are on one
// line.
type BlockWriter struct {
	Text []byte
	// MapStep is how much deeper than its key a map is indented, ListStep a list.
	MapStep, ListStep int
	// Quotes puts strings on several lines in double quotes, too.
	Quotes bool
}

// Entry writes a member of a map, or, if key is nil, an element of a list, indented by depth.
func (w *BlockWriter) Entry(key, value *Node, depth int) {
	if key != nil {
		w.commentAbove(key, depth)
	} else {
		w.commentAbove(value, depth)
		if isBlock(value) && value.Kind == MappingNode {
			w.commentAbove(value.Content[0], depth) // which must not get behind the dash
		}
	}
	w.indent(depth)
	w.entry(key, value, depth)
}

// Document writes the value of a document.
func (w *BlockWriter) Document(n *Node) {
	w.commentAbove(n, 0)
	if isBlock(n) && !w.properties(n) {
		w.collection(n, 0, false)
		return
	}
	if isBlock(n) {
		w.Text = append(w.Text, '\n')
		w.collection(n, 0, false)
		return
	}
	w.value(n, 0)
}

// isBlock tells whether a node is written on lines of its own.
func isBlock(n *Node) bool {
	return (n.Kind == MappingNode || n.Kind == SequenceNode) && n.Style&FlowStyle == 0 && len(n.Content) > 0
}

// collection writes a map or a list that is not empty, indented by depth. Its first line is not
// indented behind a dash.
func (w *BlockWriter) collection(n *Node, depth int, behindDash bool) {
	step := 1
	if n.Kind == MappingNode {
		step = 2
	}
	for i := 0; i+step <= len(n.Content); i += step {
		var key *Node
		if step == 2 {
			key = n.Content[i]
		}
		if i == 0 && behindDash {
			w.entry(key, n.Content[i+step-1], depth)
		} else {
			w.Entry(key, n.Content[i+step-1], depth)
		}
	}
}

func (w *BlockWriter) indent(depth int) {
	for range depth {
		w.Text = append(w.Text, ' ')
	}
}

// commentAbove writes the comment of a node on lines of its own.
func (w *BlockWriter) commentAbove(n *Node, depth int) {
	for line := range strings.Lines(n.Comment()) {
		w.indent(depth)
		w.Text = append(append(w.Text, strings.TrimRight(line, "\n")...), '\n')
	}
}

func (w *BlockWriter) entry(key, value *Node, depth int) {
	inner := depth + w.MapStep
	switch {
	case key == nil:
		w.Text = append(w.Text, '-')
		inner = depth + len("- ")
	case len(key.text) > maxSimpleKey:
		w.Text = append(w.Text, "? "...)
		w.inline(key, false)
		w.Text = append(w.Text, '\n')
		w.indent(depth)
		w.Text = append(w.Text, ':')
	default:
		w.inline(key, false)
		if key.Kind == AliasNode {
			w.Text = append(w.Text, ' ')
		}
		w.Text = append(w.Text, ':')
	}
	if !isBlock(value) {
		w.Text = append(w.Text, ' ')
		w.value(value, inner)
		return
	}
	w.Text = append(w.Text, ' ')
	if hasProperties := w.properties(value); key == nil && !hasProperties {
		w.collection(value, inner, true)
		return
	}
	w.Text[len(w.Text)-1] = '\n'
	if key != nil && value.Kind == SequenceNode {
		inner = depth + w.ListStep
	}
	w.collection(value, inner, false)
}

// value writes a value that begins on the line of its key or dash, and the line break. Lines below
// are indented by depth.
func (w *BlockWriter) value(n *Node, depth int) {
	if n.Kind == ScalarNode && n.Style&(DoubleQuotedStyle|SingleQuotedStyle) == 0 && !w.Quotes && IsBlockText(n) {
		w.properties(n)
		w.block(n, depth)
		return
	}
	if n.Kind == ScalarNode && n.Tag == NullTag && n.text == "" && n.Anchor() == "" && n.Style == 0 {
		w.Text = w.Text[:len(w.Text)-1] // it is left out, with the blank before it
	} else {
		w.inline(n, false)
	}
	w.Text = append(w.Text, '\n')
}

// IsBlockText tells whether a scalar without quotes is written as a block scalar: it is one, or has
// several lines, and no character and no blank of it is invisible.
func IsBlockText(n *Node) bool {
	text := n.text
	if text == "" || n.Style&(LiteralStyle|FoldedStyle) == 0 && !strings.Contains(text, "\n") {
		return false
	}
	if strings.ContainsAny(text[:1], " \t\n") || strings.Contains(text, " \n") || strings.HasSuffix(text, " ") {
		return false
	}
	for _, r := range text {
		if r != '\n' && r != '\t' && !isShown(r) {
			return false
		}
	}
	return true
}

// block writes a string as a block scalar.
func (w *BlockWriter) block(n *Node, depth int) {
	text, indicator := strings.TrimRight(n.text, "\n"), byte('|')
	if n.Style&FoldedStyle != 0 && !strings.Contains(text, "\n ") && !strings.Contains(text, "\n\t") {
		indicator = '>'
	}
	w.Text = append(w.Text, indicator)
	breaks := n.text[len(text):]
	switch len(breaks) {
	case 0:
		w.Text = append(w.Text, '-')
	case 1:
	default:
		w.Text = append(w.Text, '+')
	}
	w.Text = append(w.Text, '\n')
	wasBlank := true
	for line := range strings.SplitSeq(text, "\n") {
		if indicator == '>' && !wasBlank {
			w.Text = append(w.Text, '\n')
		}
		if wasBlank = line == ""; !wasBlank {
			w.indent(depth)
		}
		w.Text = append(append(w.Text, line...), '\n')
	}
	for range len(breaks) - 1 {
		w.Text = append(w.Text, '\n')
	}
}

// properties writes the anchor and the tag of a node, each with a blank behind it. It tells whether
// there is any.
func (w *BlockWriter) properties(n *Node) bool {
	before := len(w.Text)
	if name := n.Anchor(); name != "" {
		w.Text = append(append(append(w.Text, '&'), name...), ' ')
	}
	switch tag := n.TagName(); {
	case n.Style&TaggedStyle == 0 && n.Tag != BinaryTag:
	case strings.HasPrefix(tag, "!"):
		w.Text = append(append(w.Text, tag...), ' ')
	default:
		w.Text = append(append(append(w.Text, "!<"...), tag...), "> "...)
	}
	return len(w.Text) > before
}

// AppendInline appends a node on one line, as it is written in block style or within a flow
// collection.
func AppendInline(b []byte, n *Node, inFlow bool) []byte {
	w := BlockWriter{Text: b}
	w.inline(n, inFlow)
	return w.Text
}

// inline writes a node on one line.
func (w *BlockWriter) inline(n *Node, inFlow bool) {
	if n.Kind == AliasNode {
		w.Text = append(append(w.Text, '*'), n.text...)
		return
	}
	w.properties(n)
	switch n.Kind {
	case MappingNode:
		w.Text = append(w.Text, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				w.Text = append(w.Text, ", "...)
			}
			w.inline(n.Content[i], true)
			w.Text = append(w.Text, ": "...)
			w.inline(n.Content[i+1], true)
		}
		w.Text = append(w.Text, '}')
	case SequenceNode:
		w.Text = append(w.Text, '[')
		for i, element := range n.Content {
			if i > 0 {
				w.Text = append(w.Text, ", "...)
			}
			w.inline(element, true)
		}
		w.Text = append(w.Text, ']')
	default:
		w.scalar(n, inFlow)
	}
}

// scalar writes a scalar on one line, without its tag.
func (w *BlockWriter) scalar(n *Node, inFlow bool) {
	isPlain := n.Style&quoted == 0
	switch text := n.text; {
	case w.Quotes && text != "" && strings.IndexByte("-?:", text[0]) >= 0 && Type(n) == String:
		w.Text = strconv.AppendQuote(w.Text, text)
	case n.Tag == MergeTag && isPlain, Type(n) != String && n.Style&TaggedStyle == 0:
		if text == "" {
			text = "null"
		}
		w.Text = append(w.Text, text...)
	case n.Style&DoubleQuotedStyle != 0:
		w.Text = strconv.AppendQuote(w.Text, text)
	case n.Style&SingleQuotedStyle != 0 && isLine(text):
		w.Text = appendSingleQuoted(w.Text, text)
	case isPlain && isLine(text) && isPlainLine(text) && (!inFlow || !strings.ContainsAny(text, inFlowOnly)) &&
		(n.Style&TaggedStyle != 0 || text != "<<" && (plainTag(text) == StringTag || plainTag(text) == n.Tag)):
		w.Text = append(w.Text, text...) // as it was, for example y or .inf
	default:
		w.Text = appendText(w.Text, text, inFlow)
	}
}

// maxSimpleKey is the length, in bytes, of the longest key that is written without a question mark.
const maxSimpleKey = 128

// AppendString appends the string s as it is written in block style on one line: plain if it can
// be.
func AppendString(b []byte, s string) []byte { return appendText(b, s, false) }

func appendText(b []byte, s string, inFlow bool) []byte {
	switch {
	case s == "" || !isLine(s) || mustQuote(s):
		return strconv.AppendQuote(b, s)
	case !isPlainLine(s), inFlow && strings.ContainsAny(s, inFlowOnly):
		return appendSingleQuoted(b, s)
	}
	return append(b, s...)
}

// inFlowOnly are the characters that text without quotes must not have in flow collections.
const inFlowOnly = ",?[]{}:"

// appendSingleQuoted appends s, a line of text, in single quotes.
func appendSingleQuoted(b []byte, s string) []byte {
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

// isLine tells whether s is a line of characters that are written as they are.
func isLine(s string) bool {
	for _, r := range s {
		if !isShown(r) {
			return false
		}
	}
	return true
}

// isShown tells whether a character is written as it is in a line.
func isShown(r rune) bool {
	return r >= ' ' && (r <= '~' || r >= 0xA0) && r <= utf8.RuneError && r != '\u2028' && r != '\u2029' && r != '\ufeff'
}

// isPlainLine tells whether s, a line, needs no quotes in block style.
func isPlainLine(s string) bool {
	if s == "" || plainBytes[s[0]]&cannotStart != 0 || strings.HasPrefix(s, "...") || strings.HasPrefix(s, "---") ||
		strings.IndexByte("-?:", s[0]) >= 0 && (len(s) == 1 || s[1] == ' ') {
		return false
	}
	last := s[len(s)-1]
	return last != ' ' && last != ':' && !strings.Contains(s, ": ") && !strings.Contains(s, " #")
}
