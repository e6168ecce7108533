package engine

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// The texts of a request, as the page names them.
const (
	inConfig    = "config"
	inManifests = "manifests"
	inLive      = "live"
	inText      = "text"
)

// fileOf is the file that a text of the page is taken for.
func fileOf(name string) string { return name + ".yaml" }

// Place is a place in a text: a line and a column from 1. Columns count UTF-16 code units, as a
// browser does.
type Place struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Fault is something wrong with one of the texts, on one line of it.
type Fault struct {
	In        string `json:"in"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndColumn int    `json:"endColumn"`
	Message   string `json:"message"`
}

// text is one of the texts of a request.
type text struct {
	name  string
	bytes []byte
	// starts are the offsets of the lines.
	starts  []int
	file    *manifests.File
	objects []*object.Object
}

// last are the texts that the last requests had, by name: most have the same manifests again.
var last = map[string]*text{}

// read parses a text, or takes the last of its name if it is the same. The fault is nil if it is
// valid.
func read(name, content string) (*text, *Fault) {
	if t := last[name]; t != nil && string(t.bytes) == content {
		return t, nil
	}
	t, fault := readWith(name, content, nil)
	if fault == nil {
		last[name] = t
	}
	return t, fault
}

// copies are the objects of a text for a run, which changes them.
func (t *text) copies() []*object.Object {
	copies := make([]*object.Object, len(t.objects))
	for i, o := range t.objects {
		copies[i] = o.Share()
	}
	return copies
}

func newText(name, content string) *text {
	t := &text{name: name, bytes: []byte(content), starts: []int{0}}
	for i, c := range t.bytes {
		if c == '\n' {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// readWith is read for a text in which documents count as objects, too, that have no apiVersion and
// kind.
func readWith(name, content string, isObjectToo func(*tree.Node) bool) (*text, *Fault) {
	t := newText(name, content)
	file, err := manifests.Parse(fileOf(name), t.bytes, isObjectToo)
	if fault, ok := errors.AsType[*manifests.Error](err); ok {
		return t, t.fault(t.lineRange(fault.Line), fault.Reason)
	}
	t.file, t.objects = file, manifests.Objects([]*manifests.File{file})
	return t, nil
}

// span is a part of a text, by the offsets of its bytes.
type span struct{ start, end int }

// fault is a fault at a span, or at its first line if it has several.
func (t *text) fault(at span, message string) *Fault {
	start := t.place(at.start)
	end := min(at.end, t.lineRange(start.Line).end)
	return &Fault{In: t.name, Line: start.Line, Column: start.Column, EndColumn: t.place(max(end, at.start)).Column, Message: message}
}

// lineRange is a line, from 1, without the blanks around what is on it.
func (t *text) lineRange(line int) span {
	line = min(max(line, 1), len(t.starts))
	start, end := t.starts[line-1], len(t.bytes)
	if line < len(t.starts) {
		end = t.starts[line]
	}
	content := bytes.TrimRight(t.bytes[start:end], " \t\r\n")
	return span{start + len(content) - len(bytes.TrimLeft(content, " \t")), start + len(content)}
}

// place is the place of an offset.
func (t *text) place(offset int) Place {
	line := len(t.starts)
	for low, high := 0, len(t.starts); low < high; {
		if middle := (low + high) / 2; t.starts[middle] <= offset {
			line, low = middle+1, middle+1
		} else {
			high = middle
		}
	}
	return Place{Line: line, Column: 1 + utf16Length(t.bytes[t.starts[line-1]:min(offset, len(t.bytes))])}
}

// utf16Length is how many UTF-16 code units a text has.
func utf16Length(text []byte) int {
	length := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if length++; r >= 0x10000 {
			length++
		}
		text = text[size:]
	}
	return length
}

// spanOf is where a field of an object is, which must be as it was read.
func (t *text) spanOf(o *object.Object, field location.Location) (span, bool) {
	start, end, ok := o.Place(field)
	offset, known := t.offsetOf(o)
	return span{offset + start, offset + end}, ok && known
}

// offsetOf is where the text of an object begins.
func (t *text) offsetOf(o *object.Object) (int, bool) {
	line := o.FirstLine
	if line < 1 || line > len(t.starts) || o.Source() == nil {
		return 0, false
	}
	from := t.starts[line-1]
	i := bytes.Index(t.bytes[from:], o.Source())
	return from + i, i >= 0
}

// nearest is where a field of an object is, or else the first line of the nearest place around
// it that is there.
func (t *text) nearest(o *object.Object, field location.Location) span {
	for l := field; ; l = l[:len(l)-1] {
		at, ok := t.spanOf(o, l)
		if ok && len(l) == len(field) {
			return t.behindDash(at)
		}
		if ok {
			at = t.behindDash(at)
			return span{at.start, min(at.end, t.lineRange(t.place(at.start).Line).end)}
		}
		if len(l) == 0 {
			return t.lineRange(o.FirstLine)
		}
	}
}

// behindDash leaves out the dash of an element of a list.
func (t *text) behindDash(at span) span {
	content := t.bytes[at.start:at.end]
	if len(content) > 1 && content[0] == '-' && (content[1] == ' ' || content[1] == '\n') {
		at.start = at.end - len(bytes.TrimLeft(content[1:], " \r\n"))
	}
	return at
}

// inExpression narrows the span of an expression to where a syntax error is in it. The span stays
// where the expression is written in another way than it reads.
func (t *text) inExpression(o *object.Object, field location.Location, at span, err error) span {
	syntax, ok := errors.AsType[*fault.SyntaxError](err)
	if !ok || syntax.Line < 1 {
		return at
	}
	lines := strings.SplitAfter(syntax.Expression, "\n")
	if syntax.Line > len(lines) {
		return at
	}
	number := o.StringLines(field)(len(strings.Join(lines[:syntax.Line-1], "")))
	if number < 1 || number > len(t.starts) {
		return at
	}
	here, content := t.lineRange(number), strings.TrimRight(lines[syntax.Line-1], "\n")
	if len(lines) == 1 {
		here = at
	}
	i := bytes.Index(t.bytes[here.start:here.end], []byte(content))
	if i < 0 || content == "" {
		return at
	}
	whole := span{here.start + i, here.start + i + len(content)}
	before := []rune(content)[:min(syntax.Column-1, utf8.RuneCountInString(content))]
	if len(string(before)) == len(content) { // something is missing at the end
		return whole
	}
	return span{whole.start + len(string(before)), whole.end}
}

// oneConfig says that a text must hold one functionConfig.
func oneConfig(found int) string {
	if found == 0 {
		return "there must be a functionConfig, found none"
	}
	return fmt.Sprintf("there must be one functionConfig, found %d objects", found)
}
