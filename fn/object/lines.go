package object

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// lines finds places in a text by line and column.
type lines struct {
	text   []byte
	starts []int // the offset of each line, and the length of the text
}

func newLines(text []byte) *lines {
	l := &lines{}
	l.read(text)
	return l
}

// read takes another text.
func (l *lines) read(text []byte) {
	l.text = text
	l.starts = append(slices.Grow(l.starts[:0], bytes.Count(text, []byte{'\n'})+2), 0)
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		l.starts = append(l.starts, at)
	}
	if l.starts[len(l.starts)-1] != len(text) {
		l.starts = append(l.starts, len(text))
	}
}

// count is the number of lines.
func (l *lines) count() int { return len(l.starts) - 1 }

// start is the offset of a line, from 1; of the end of the text for the line
// behind the last one.
func (l *lines) start(line int) int {
	return l.starts[min(max(line, 1), len(l.starts))-1]
}

// line is the text of a line, from 1, with its line break.
func (l *lines) line(line int) []byte {
	return l.text[l.start(line):l.start(line+1)]
}

// offset is the place of a line and a column; columns count characters, from 1.
func (l *lines) offset(line, column int) int {
	at, end := l.start(line), l.start(line+1)
	for i := 1; i < column && at < end; i++ {
		if l.text[at] < utf8.RuneSelf {
			at++
			continue
		}
		_, size := utf8.DecodeRune(l.text[at:])
		at += size
	}
	return at
}

// isMidLine tells whether something other than spaces stands before the column
// on the line.
func (l *lines) isMidLine(line, column int) bool {
	return len(bytes.TrimLeft(l.text[l.start(line):l.offset(line, column)], " ")) > 0
}

// indent is the number of spaces a line begins with.
func indent(line []byte) int {
	return len(line) - len(bytes.TrimLeft(line, " "))
}

func isBlank(line []byte) bool {
	return len(bytes.TrimSpace(line)) == 0
}

func isComment(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' {
			return c == '#'
		}
	}
	return false
}

func isDash(line []byte) bool {
	line = bytes.TrimLeft(line, " ")
	return bytes.HasPrefix(line, []byte("-")) && (len(line) == 1 || line[1] == ' ' || line[1] == '\n' || line[1] == '\r')
}

// endOf returns the line behind the last one that belongs to an entry that
// begins on the given line at the given indentation. Where dashes is true, the
// entry is a map's member whose value is a list at the member's own
// indentation. Blank lines and comments that follow the entry are not its own,
// but for comments that are indented deeper than it.
func (l *lines) endOf(line, depth int, dashes bool) int {
	end := line + 1
	for next := line + 1; next <= l.count(); next++ {
		text := l.line(next)
		if isBlank(text) {
			continue
		}
		in := indent(text)
		if in > depth {
			end = next + 1
			continue
		}
		if isComment(text) {
			continue
		}
		if in < depth || !dashes || !isDash(text) {
			break
		}
		end = next + 1
	}
	return end
}

// headOf returns the first line of the comment that stands right above the
// line, at the given indentation; the line itself where there is none.
func (l *lines) headOf(line, depth int) int {
	for line > 1 {
		above := l.line(line - 1)
		if !isComment(above) || indent(above) != depth {
			return line
		}
		line--
	}
	return line
}
