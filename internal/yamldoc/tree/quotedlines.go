package tree

import (
	"strings"
	"unicode/utf8"
)

// quotedLines reads the quoted scalar at pos, which has several lines. Each must be deeper than the
// block around it, as YAML wants and yaml.v3 does not.
func (r *reader) quotedLines(style Style) *Node {
	n := r.node(ScalarNode, StringTag, r.pos)
	n.Style = style
	l := quotedLine{text: r.text, quote: r.text[r.pos], at: r.pos + 1, value: r.scratch[:0]}
	line, lineStart := r.line, r.lineStart
	for l.read(); l.end == folded || l.end == joined; l.read() {
		blank := -1
		for ; l.at < len(r.text) && r.text[l.at] == '\n'; blank++ {
			l.at++
			line, lineStart = line+1, l.at
			l.skipSpaces()
		}
		if l.at == len(r.text) || r.text[l.at] == '\t' || l.at-lineStart <= r.parent {
			return nil
		}
		if l.end == folded || blank > 0 {
			l.value = append(l.value, foldedBreak(blank)...)
		}
	}
	if l.end != closed {
		return nil
	}
	if !r.skim.on {
		n.text = r.built(l.value)
	}
	r.pos, r.line, r.lineStart = l.at, line, lineStart
	return n
}

// lineEnd is how a line of a quoted scalar ends.
type lineEnd int

const (
	invalid lineEnd = iota
	closed          // by the quote
	folded          // by a line break
	joined          // by a line break behind a backslash
)

// quotedLine reads a quoted scalar line by line.
type quotedLine struct {
	text  string
	quote byte
	at    int // the offset of the next byte
	end   lineEnd
	value []byte
}

// read reads the rest of a line.
func (l *quotedLine) read() {
	start := l.at
	for ; l.at < len(l.text); l.at++ {
		switch c := l.text[l.at]; {
		case c == '\n':
			l.value = append(l.value, strings.TrimRight(l.text[start:l.at], " \t")...)
			l.end = folded
			return
		case c == l.quote:
			l.value = append(l.value, l.text[start:l.at]...)
			l.at++
			if c == '"' || !strings.HasPrefix(l.text[l.at:], "'") {
				l.end = closed
				return
			}
			start = l.at // the second one of two quotes is a character
		case c == '\\' && l.quote == '"':
			l.value = append(l.value, l.text[start:l.at]...)
			if !l.unescape() {
				return
			}
			start = l.at + 1
		}
	}
	l.end = invalid
}

// unescape reads the escape at the offset, and stops at its last byte. It returns false if the line
// ends there.
func (l *quotedLine) unescape() bool {
	if strings.HasPrefix(l.text[l.at+1:], "\n") {
		l.at++
		l.end = joined
		return false
	}
	c, width := unescape(l.text[l.at+1:])
	if width == 0 {
		l.end = invalid
		return false
	}
	l.value = utf8.AppendRune(l.value, c)
	l.at += width
	return true
}

func (l *quotedLine) skipSpaces() {
	for l.at < len(l.text) && l.text[l.at] == ' ' {
		l.at++
	}
}
