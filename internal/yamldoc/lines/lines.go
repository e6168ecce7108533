// Package lines answers questions about YAML text by its lines, without parsing it.
package lines

import (
	"bytes"
	"iter"
	"strings"

	"github.com/krm-fields/krm-fields/internal/words"
)

// ByteOrderMark is how some editors and shells of Windows begin a file. It belongs to no document.
const ByteOrderMark = "\ufeff"

// LooksLikeJSON tells whether a text begins as a map or a list in JSON does.
func LooksLikeJSON(text string) bool {
	text = strings.TrimLeft(text, blanks+ByteOrderMark)
	return text != "" && (text[0] == '{' || text[0] == '[')
}

// At returns the line that begins at an offset, with its line break.
func At(text []byte, offset int) []byte {
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		return text[offset : offset+i+1]
	}
	return text[offset:]
}

// BrokenLike returns LF text with the line breaks of the first line of another text, LF or CRLF.
func BrokenLike(other, text []byte) []byte {
	if i := bytes.IndexByte(other, '\n'); i < 1 || other[i-1] != '\r' {
		return text
	}
	return bytes.ReplaceAll(text, []byte{'\n'}, []byte("\r\n"))
}

// WithoutCR returns text with LF in place of each CRLF; itself if it has none.
func WithoutCR(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte{'\n'})
}

// Indent is the number of spaces that a line begins with.
func Indent(line []byte) int {
	in := 0
	for in < len(line) && line[in] == ' ' {
		in++
	}
	return in
}

// IsDeeper tells whether a line begins with more spaces than depth.
func IsDeeper(line []byte, depth int) bool {
	return len(line) > depth && Indent(line[:depth+1]) > depth
}

// IsBlank tells whether a line has nothing but blanks.
func IsBlank(line []byte) bool { return len(bytes.TrimLeft(line, blanks)) == 0 }

// IsBlankOrComment tells whether a line has no content.
func IsBlankOrComment(line []byte) bool {
	line = bytes.TrimLeft(line, blanks)
	return len(line) == 0 || line[0] == '#'
}

// IsItemsKey tells whether a line is the key `items`, quoted or not, without a value.
func IsItemsKey(line []byte) bool {
	key, rest, ok := bytes.Cut(line, []byte{':'})
	return ok && string(bytes.Trim(key, `"'`)) == "items" && IsBlankOrComment(rest)
}

const blanks = " \t\r\n"

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// IsDash tells whether a line begins an element of a block list.
func IsDash(line []byte) bool {
	line = line[Indent(line):]
	return len(line) > 0 && line[0] == '-' && (len(line) == 1 || isBlank(line[1]))
}

// IsMarker tells whether a line begins with a marker of YAML documents: `---` or `...`.
func IsMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || isBlank(rest[0]))
}

// HasContent tells whether a text has more than blank lines, comments, directives and the marker
// `...`.
func HasContent(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && line[0] != '%' && !bytes.Equal(line, []byte("...")) {
			return true
		}
	}
	return false
}

// Document is one document of a text. The first may have no marker.
type Document struct {
	// Marker is the line `---` before it; without its end if the document begins on that line.
	Marker, Text []byte
	// Line counts the lines before the text, and Start is the offset of the marker.
	Line, Start int
}

// Documents cuts a text at the markers `---`. A marker ends a document wherever a line begins with
// it, also in a block scalar.
func Documents(text []byte) iter.Seq[Document] {
	return func(yield func(Document) bool) {
		var d Document
		start, at, line := 0, 0, 0 // start is that of the document's text
		for l := range bytes.Lines(text) {
			if IsMarker(l, "---") {
				if d.Text = text[start:at:at]; !yield(d) {
					return
				}
				d = Document{Marker: l, Line: line + 1, Start: at}
				if !IsBlankOrComment(l[len("---"):]) {
					d.Marker, d.Line = l[:len("---")], line
				}
				start = at + len(d.Marker)
			}
			at += len(l)
			line++
		}
		d.Text = text[start:]
		yield(d)
	}
}

// DocumentEnd is the offset of the line `...` that ends a document, or of the end of the text.
func DocumentEnd(text []byte) int {
	at := 0
	for line := range bytes.Lines(text) {
		if IsMarker(line, "...") {
			return at
		}
		at += len(line)
	}
	return len(text)
}

// Starts returns the offset of each line, and the length of the text. Lines end as in YAML 1.1,
// whose lines nodes count.
func Starts(text []byte) []int {
	starts := []int{0}
	for _, at := range breaks().FindAllIndex(text, -1) {
		starts = append(starts, at[1])
	}
	if starts[len(starts)-1] != len(text) {
		starts = append(starts, len(text))
	}
	return starts
}

var breaks = words.Pattern("\r\n|[\n\r\u0085\u2028\u2029]")
