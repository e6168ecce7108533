package object

import (
	"bytes"
	"slices"
	"unicode/utf8"

	yamllines "github.com/krm-fields/krm-fields/internal/yamldoc/lines"
)

// lines finds places in a text by line and column.
type lines struct {
	text   []byte
	ascii  bool  // whether the text is known to be ASCII
	starts []int // the offset of each line, and the length of the text
}

func newLines(text []byte) *lines {
	l := &lines{}
	l.read(text, hasRareBreaks(text))
	return l
}

// read sets another text, which may have line breaks other than LF and CRLF.
func (l *lines) read(text []byte, rare bool) {
	l.text, l.ascii = text, false
	l.starts = append(slices.Grow(l.starts[:0], bytes.Count(text, []byte{'\n'})+2), 0)
	if rare {
		l.starts = yamllines.Starts(text)
		return
	}
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

// hasRareBreaks tells whether text has line breaks other than LF and CRLF.
func hasRareBreaks(text []byte) bool {
	for _, separator := range yamllines.RareBreaks {
		if bytes.Contains(text, separator) {
			return true
		}
	}
	returns := bytes.Count(text, []byte{'\r'})
	return returns > 0 && returns != bytes.Count(text, []byte("\r\n"))
}

// count is the number of lines.
func (l *lines) count() int { return len(l.starts) - 1 }

// start returns the offset of a line, from 1; of the end of the text for the line behind the last
// one.
func (l *lines) start(line int) int {
	return l.starts[min(max(line, 1), len(l.starts))-1]
}

// line is the text of a line, from 1, with its line break.
func (l *lines) line(line int) []byte {
	return l.text[l.start(line):l.start(line+1)]
}

// lineAt is the line of an offset, from 1.
func (l *lines) lineAt(offset int) int {
	line, _ := slices.BinarySearch(l.starts, offset+1)
	return min(line, l.count())
}

// offset returns the offset of a line and a column; columns count characters, from 1.
func (l *lines) offset(line, column int) int {
	at, end := l.start(line), l.start(line+1)
	if l.ascii {
		return min(at+max(column, 1)-1, end)
	}
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

// isMidLine tells whether there is other text than spaces before the column on the line.
func (l *lines) isMidLine(line, column int) bool {
	for _, c := range l.text[l.start(line):l.offset(line, column)] {
		if c != ' ' {
			return true
		}
	}
	return false
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
	return bytes.HasPrefix(line, []byte("-")) && (len(line) == 1 || isSpace(line[1]))
}

// endOf returns the line behind the last one of an entry that has the given line and indentation.
// Where dashes is true, the entry is a map's member whose value is a list at the member's own
// indentation. Blank lines and comments behind the entry belong to it only if the comments are
// indented deeper than it.
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

// headOf returns the first line of the comment right above the line, at the given indentation; the
// line itself if there is none.
func (l *lines) headOf(line, depth int) int {
	for line > 1 {
		above := l.line(line - 1)
		if len(above) > depth && above[depth] != '#' && above[depth] != '\t' {
			return line // which most lines show at once
		}
		if !isComment(above) || indent(above) != depth {
			return line
		}
		line--
	}
	return line
}
