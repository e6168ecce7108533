package object

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// stringMap maps the bytes of a string to their places in the text.
type stringMap struct {
	s     *splicer
	value string
	style tree.Style
	// at has the offset in the text of each byte of the value, and of the end of the value. For a
	// byte of an escape or a line break it is the beginning of that.
	at []int
	// indent is the indentation of a block scalar, header the offset of its indicator | or >.
	indent, header int
}

// mapString returns the map of a scalar that begins at an offset. It returns false if the text is
// not that of the node.
func (s *splicer) mapString(start int, n *tree.Node) (*stringMap, bool) {
	start = s.skipProperties(start)
	m := &stringMap{s: s, value: n.Text(), style: n.Style, header: start}
	m.at = make([]int, 0, len(m.value)+1)
	switch {
	case n.Kind != tree.ScalarNode || start >= len(s.text):
		return nil, false
	case n.Style&(tree.LiteralStyle|tree.FoldedStyle) != 0:
		return m, m.mapBlock()
	case s.text[start] == '"' || s.text[start] == '\'':
		m.style = tree.DoubleQuotedStyle
		if s.text[start] == '\'' {
			m.style = tree.SingleQuotedStyle
		}
		return m, m.mapFlow(start + 1)
	}
	m.style = 0
	return m, m.mapFlow(start)
}

func (m *stringMap) isBlock() bool { return m.style&(tree.LiteralStyle|tree.FoldedStyle) != 0 }

// mapFlow maps a plain or quoted scalar whose content begins at an offset.
func (m *stringMap) mapFlow(at int) bool {
	text := m.s.text
	for len(m.at) < len(m.value) {
		if at >= len(text) {
			return false
		}
		from := at
		var decoded string
		switch c := text[at]; {
		case m.breaksAt(at):
			decoded, at = m.fold(at)
		case c == '\\' && m.style == tree.DoubleQuotedStyle:
			var length int
			if decoded, length = unescape(text[at:]); length == 0 {
				return false
			}
			at += length
		case c == '\'' && m.style == tree.SingleQuotedStyle:
			decoded, at = "'", at+2
		default:
			decoded, at = string(text[at:at+1]), at+1
		}
		if !strings.HasPrefix(m.value[len(m.at):], decoded) {
			return false
		}
		for range len(decoded) {
			m.at = append(m.at, from)
		}
	}
	m.at = append(m.at, at)
	return len(m.at) == len(m.value)+1
}

// breaksAt tells whether blanks at an offset, if any, end in a line break.
func (m *stringMap) breaksAt(at int) bool {
	if !isSpace(m.s.text[at]) || m.s.json {
		return false
	}
	rest := bytes.TrimLeft(m.s.text[at:], " \t")
	return len(rest) > 0 && isBreak(rest[0])
}

// fold returns the value of the line breaks at an offset, and the offset behind them and the blanks
// around them.
func (m *stringMap) fold(at int) (string, int) {
	breaks := 0
	for at < len(m.s.text) && isSpace(m.s.text[at]) {
		if m.s.text[at] == '\n' {
			breaks++
		}
		at++
	}
	if breaks == 1 {
		return " ", at
	}
	return strings.Repeat("\n", breaks-1), at
}

// unescape returns the value of the escape at the beginning of text, and its length; 0 for none.
// Escapes are those of YAML, and of JSON.
func unescape(text []byte) (string, int) {
	if len(text) < 2 {
		return "", 0
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 {
		if text[1] == '\n' || bytes.HasPrefix(text[1:], []byte("\r\n")) {
			return "", len(text) - len(bytes.TrimLeft(text[1:], " \t\r\n"))
		}
		if c, ok := letterEscapes[text[1]]; ok {
			return string(c), 2
		}
		return "", 0
	}
	c, ok := hexRune(text[2:], digits)
	if !ok {
		return "", 0
	}
	length := 2 + digits
	if rest := text[length:]; utf16.IsSurrogate(c) && bytes.HasPrefix(rest, []byte(`\u`)) {
		low, _ := hexRune(rest[2:], 4)
		if c := utf16.DecodeRune(c, low); c != utf8.RuneError {
			return string(c), length + 6
		}
	}
	return string(c), length
}

func hexRune(text []byte, digits int) (rune, bool) {
	c, err := strconv.ParseUint(string(text[:min(digits, len(text))]), 16, 32)
	return rune(c), err == nil && len(text) >= digits
}

// letterEscapes are the escapes of YAML and JSON with one letter.
var letterEscapes = map[byte]rune{
	'0': 0, 'a': '\a', 'b': '\b', 't': '\t', '\t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'e': 0x1b,
	' ': ' ', '"': '"', '/': '/', '\\': '\\', 'N': 0x85, '_': 0xa0, 'L': 0x2028, 'P': 0x2029, '\'': '\'',
}

// mapBlock maps a block scalar: each line of the value, or a part of it that was folded, is a line
// of the text without its indentation.
func (m *stringMap) mapBlock() bool {
	line := m.s.lineAt(m.header)
	for len(m.at) < len(m.value) {
		if line++; line > m.s.count() {
			return false
		}
		start := m.s.start(line)
		content := bytes.TrimRight(m.s.line(line), "\r\n")
		if m.isEmpty(content) {
			m.mapBreak(start)
			continue
		}
		if m.indent == 0 && !m.findIndent(content) {
			return false
		}
		if len(content) < m.indent || !strings.HasPrefix(m.value[len(m.at):], string(content[m.indent:])) {
			return false
		}
		for i := m.indent; i < len(content); i++ {
			m.at = append(m.at, start+i)
		}
		m.mapEnd(start+len(content), line)
	}
	m.at = append(m.at, m.behindLast(line))
	return len(m.at) == len(m.value)+1
}

// isEmpty tells whether a line of a block scalar, without its break, has nothing but indentation.
func (m *stringMap) isEmpty(content []byte) bool {
	return len(bytes.TrimLeft(content, " ")) == 0 && (m.indent == 0 || len(content) <= m.indent)
}

// findIndent sets the indentation from the first line that is not blank.
func (m *stringMap) findIndent(content []byte) bool {
	rest := m.value[len(m.at):]
	first, _, _ := strings.Cut(rest, "\n")
	i := bytes.LastIndex(content, []byte(first))
	if m.style&tree.FoldedStyle != 0 { // where a line may continue on the next one
		i = indent(content) - indent([]byte(rest))
	}
	m.indent = i
	return i > 0 && indent(content) >= i
}

// mapBreak maps the line break of a blank line.
func (m *stringMap) mapBreak(at int) {
	if len(m.at) < len(m.value) && m.value[len(m.at)] == '\n' {
		m.at = append(m.at, at)
	}
}

// mapEnd maps the end of a line with content: a line break, the blank of a folded one, or nothing
// before a blank line in a folded scalar.
func (m *stringMap) mapEnd(at, line int) {
	if len(m.at) >= len(m.value) {
		return
	}
	switch m.value[len(m.at)] {
	case ' ':
		m.at = append(m.at, at)
	case '\n':
		if m.style&tree.FoldedStyle == 0 || !m.foldsAway(line) {
			m.at = append(m.at, at)
		}
	}
}

// foldsAway tells whether the break behind a line of a folded scalar has no value, since blank
// lines follow and neither line around them is indented deeper.
func (m *stringMap) foldsAway(line int) bool {
	blanks := 0
	for line+1+blanks <= m.s.count() && m.isEmpty(bytes.TrimRight(m.s.line(line+1+blanks), "\r\n")) {
		blanks++
	}
	rest := m.value[len(m.at):]
	breaks := len(rest) - len(strings.TrimLeft(rest, "\n"))
	return blanks > 0 && breaks == blanks
}

// behindLast returns the offset behind the value, whose last line is given.
func (m *stringMap) behindLast(line int) int {
	if strings.HasSuffix(m.value, "\n") {
		return m.s.start(line + 1)
	}
	if len(m.at) > 0 {
		return m.at[len(m.at)-1] + 1
	}
	return m.s.start(line + 1)
}

// splices converts splices of the value, which make it now, to splices of the text. The string is
// in a collection that is indented by parent.
func (m *stringMap) splices(edits []Splice, now string, parent int) ([]splice, bool) {
	var out []splice
	for _, e := range edits {
		var p splice
		var ok bool
		if m.isBlock() {
			p, ok = m.blockSplice(e)
		} else {
			p.start, p.end = m.at[e.Start], m.at[e.End]
			p.text, ok = m.quoted(e.Text)
		}
		if !ok {
			return nil, false
		}
		out = append(out, p)
	}
	if m.isBlock() {
		header, ok := m.indicate(now, parent)
		if !ok {
			return nil, false
		}
		out = append(header, out...)
	}
	for i := range out {
		if m.s.crlf {
			out[i].text = bytes.ReplaceAll(out[i].text, []byte{'\n'}, []byte("\r\n"))
		}
	}
	return joined(out), true
}

// quoted returns a part of the value as written in a plain or quoted scalar.
func (m *stringMap) quoted(part string) ([]byte, bool) {
	switch m.style {
	case tree.DoubleQuotedStyle:
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(part); err != nil {
			return nil, false
		}
		return bytes.Trim(bytes.TrimSpace(b.Bytes())[1:b.Len()-2], "\n"), true
	case tree.SingleQuotedStyle:
		return []byte(strings.ReplaceAll(part, "'", "''")), !strings.Contains(part, "\n")
	}
	return []byte(part), !strings.Contains(part, "\n")
}

// isLineStart tells whether a line of the value begins at an offset of it.
func (m *stringMap) isLineStart(i int) bool { return i == 0 || m.value[i-1] == '\n' }

// lineStart returns the offset in the text of the line of the block scalar that begins at an offset
// of the value, its indentation included.
func (m *stringMap) lineStart(i int) int {
	return m.s.start(m.s.lineAt(max(m.at[i], 0)))
}

// blockSplice returns the splice of a block scalar for one of its value.
func (m *stringMap) blockSplice(e Splice) (splice, bool) {
	if m.style&tree.FoldedStyle != 0 && strings.Contains(e.Text, "\n") {
		return splice{}, false // lines of a folded scalar are joined
	}
	p := splice{start: m.at[e.Start], end: m.at[e.End]}
	if e.End > e.Start && e.End < len(m.value) && m.value[e.End] == '\n' && m.value[e.End-1] != '\n' && m.value[e.End-1] != ' ' {
		p.end = m.at[e.End-1] + 1 // before the break of the line, which in a folded scalar may be none of the value
	}
	begins := m.isLineStart(e.Start)
	if begins {
		p.start = m.lineStart(e.Start)
	}
	wholeLines := m.isLineStart(e.End) && (begins && e.Text == "" || strings.HasSuffix(e.Text, "\n"))
	switch {
	case wholeLines:
		p.end = m.lineStart(e.End)
	case begins && e.Text == "" && e.End == len(m.value) && e.End > e.Start: // the last line, whose break is no part of the value
		p.end = m.s.start(m.s.lineAt(m.at[e.End-1]) + 1)
	}
	pad := strings.Repeat(" ", m.indent)
	for line := range strings.Lines(e.Text) {
		if begins && line != "\n" {
			p.text = append(p.text, pad...)
		}
		p.text = append(p.text, line...)
		begins = strings.HasSuffix(line, "\n")
	}
	if begins && !wholeLines && e.End < len(m.value) && m.value[e.End] != '\n' {
		p.text = append(p.text, pad...)
	}
	return p, p.start <= p.end
}

// indicate returns the splice that gives a block scalar an indentation indicator, if it has none
// and its new first line begins with a blank.
func (m *stringMap) indicate(now string, parent int) ([]splice, bool) {
	first := strings.TrimLeft(now, "\n")
	if first == "" {
		return nil, false
	}
	header := m.s.text[m.header+1 : m.s.lineEnd(m.header)]
	if bytes.ContainsAny(header[:min(2, len(header))], "123456789") || first[0] != ' ' {
		return nil, true
	}
	step := m.indent - parent
	if step < 1 || step > 9 {
		return nil, false
	}
	return []splice{{start: m.header + 1, end: m.header + 1, text: []byte{byte('0' + step)}}}, true
}
