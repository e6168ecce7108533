package resourcelist

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// jsonLayout is the layout of new text in a list.
type jsonLayout struct {
	// pretty is true if the text has line breaks.
	pretty bool
	// lineBreak is that of the text.
	lineBreak string
	// indentation is that of the members of the list, and how much deeper each level is indented.
	indentation string
}

const (
	// usualIndentation is that of a list that shows none.
	usualIndentation = "  "
	// deepestUnit is the longest indentation that counts as that of one level.
	deepestUnit = 8
	// deepestItem is the longest indentation of an item that is kept: each line of it has it.
	deepestItem = 64
)

// jsonLayoutOf detects the layout of a text whose first member is at an offset.
func jsonLayoutOf(text []byte, first int) jsonLayout {
	l := jsonLayout{lineBreak: "\n", indentation: usualIndentation}
	i := bytes.IndexByte(bytes.TrimSpace(text), '\n')
	if i < 0 {
		return l
	}
	l.pretty = true
	if i = bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		l.lineBreak = "\r\n"
	}
	before := text[:min(first, len(text))]
	blanks := before[bytes.LastIndexByte(before, '\n')+1:]
	if len(blanks) > 0 && len(blanks) <= deepestUnit && len(blanks) < len(before) && len(bytes.Trim(blanks, " \t")) == 0 {
		l.indentation = string(blanks)
	}
	return l
}

// write writes a value, which is on one line, in several lines, all but the first of them with an
// indentation.
func (l *jsonLayout) write(out *bytes.Buffer, text []byte, indentation string) error {
	if !l.pretty {
		out.Write(text)
		return nil
	}
	start := out.Len()
	if err := json.Indent(out, text, indentation, l.indentation); err != nil {
		return err
	}
	if l.lineBreak != "\n" {
		lines := bytes.ReplaceAll(out.Bytes()[start:], []byte{'\n'}, []byte(l.lineBreak))
		out.Truncate(start)
		out.Write(lines)
	}
	return nil
}

// layouts are buffers for text whose size is not known yet.
var layouts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// lines returns the output of write.
func (l *jsonLayout) lines(text []byte, indentation string) ([]byte, error) {
	if !l.pretty {
		return text, nil
	}
	out := layouts.Get().(*bytes.Buffer)
	defer layouts.Put(out)
	out.Reset()
	if err := l.write(out, text, indentation); err != nil {
		return nil, err
	}
	return bytes.Clone(out.Bytes()), nil
}

// indent begins a line with an indentation, if the text has lines.
func (l *jsonLayout) indent(indentation string) string {
	if !l.pretty {
		return ""
	}
	return l.lineBreak + indentation
}

// newMember returns the text between another member and the value of a new one.
func (l *jsonLayout) newMember(key string) string {
	text := "," + l.indent(l.indentation) + `"` + key + `":`
	if l.pretty {
		text += " "
	}
	return text
}

// arrayFrame is the text before, between and behind the elements of an array.
type arrayFrame struct {
	opening, separator, closing []byte
	// indentation is that of new elements.
	indentation string
}

// frame returns the frame of an array. If it has elements, it is theirs, and the text before the
// last of them also comes before a new one.
func (j *jsonList) frame(a jsonArray) arrayFrame {
	n := len(a.elements)
	if n == 0 {
		deeper := strings.Repeat(j.layout.indentation, 2)
		line := j.layout.indent(deeper)
		return arrayFrame{
			opening: []byte("[" + line), separator: []byte("," + line),
			closing: []byte(j.layout.indent(j.layout.indentation) + "]"), indentation: deeper,
		}
	}
	last := a.elements[n-1]
	before := j.text[a.start+1 : last.start]
	if n > 1 {
		before = j.text[a.elements[n-2].end:last.start]
		before = before[bytes.IndexByte(before, ',')+1:]
	}
	line := bytes.LastIndexByte(j.text[:last.start], '\n') + 1
	return arrayFrame{
		opening: j.text[a.start:a.elements[0].start], separator: slices.Concat([]byte{','}, before),
		closing: j.text[last.end:a.end], indentation: indentationOf(j.text[line:]),
	}
}

// indentations returns for each element the indentation of the line on which it begins.
func (j *jsonList) indentations(a jsonArray) []string {
	indentations := make([]string, len(a.elements))
	at, indentation := 0, indentationOf(j.text)
	for i, e := range a.elements {
		if line := bytes.LastIndexByte(j.text[at:e.start], '\n'); line >= 0 {
			indentation = indentationOf(j.text[at+line+1:])
		}
		at = e.start
		indentations[i] = indentation
	}
	return indentations
}

// indentationOf returns the blanks at the beginning of the text.
func indentationOf(text []byte) string {
	text = text[:min(len(text), deepestItem)]
	return string(text[:len(text)-len(bytes.TrimLeft(text, " \t"))])
}
