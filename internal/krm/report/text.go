package report

import (
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TextWriter writes results as the elements of a block list, as the YAML library writes Node, but
// faster: a large list has thousands of simple results.
type TextWriter struct {
	text []byte
	// indent is the number of spaces, beyond depth, before a member.
	depth, indent int
	// inLine is true if the next entry follows a dash on its line.
	inLine bool
	// ok is false once the result has turned out not to be simple; the text since its start is then
	// invalid.
	ok bool
	// tags are those written at tagsStart to tagsEnd of the text: the next result often has the
	// same.
	tags               uintptr
	tagsStart, tagsEnd int
}

// NewTextWriter returns a writer at an indentation, with a capacity in bytes.
func NewTextWriter(depth, size int) *TextWriter {
	return &TextWriter{text: make([]byte, 0, size), depth: depth}
}

// Reset removes the text, and keeps its memory for the next one.
func (w *TextWriter) Reset() { w.text, w.tags = w.text[:0], 0 }

// Text returns the text so far.
func (w *TextWriter) Text() []byte { return w.text }

// WriteText writes text as it is.
func (w *TextWriter) WriteText(text []byte) { w.text = append(w.text, text...) }

// Write writes a result. It returns false, and writes nothing, if the result is not simple: it has
// text that is not one line of printable ASCII, or a value of other types than strings, whole
// numbers, bools, maps and lists.
func (w *TextWriter) Write(r Result) bool {
	length := len(w.text)
	w.indent, w.inLine, w.ok = 0, false, true
	w.result(r)
	if !w.ok {
		w.text, w.tags = w.text[:length], 0
	}
	return w.ok
}

func (w *TextWriter) result(r Result) {
	w.dash()
	w.member("message", r.hostMessage())
	w.member("severity", r.Severity)
	if r.Ref.isWhole() {
		w.open("resourceRef")
		w.member("apiVersion", r.Ref.APIVersion)
		w.member("kind", r.Ref.Kind)
		w.member("namespace", r.Ref.Namespace)
		w.member("name", r.Ref.Name)
		w.close()
	}
	w.file(r.File)
	w.field(r.Field)
	if len(r.Tags) > 0 {
		w.writeTags(r.Tags)
	}
}

// writeTags writes tags, or copies their last text.
func (w *TextWriter) writeTags(tags map[string]string) {
	same := reflect.ValueOf(tags).Pointer()
	if same == w.tags {
		w.text = append(w.text, w.text[w.tagsStart:w.tagsEnd]...)
		return
	}
	w.tags, w.tagsStart = same, len(w.text)
	w.open("tags")
	var space [8]string
	keys := slices.AppendSeq(space[:0], maps.Keys(tags))
	slices.Sort(keys)
	for _, key := range keys {
		w.anyKey(key)
		w.string(tags[key])
	}
	w.close()
	w.tagsEnd = len(w.text)
}

func (w *TextWriter) file(f File) {
	if f.Path == "" {
		return
	}
	w.open("file")
	w.member("path", f.Path)
	if f.HasIndex {
		w.key("index")
		w.int(f.Index)
	}
	w.close()
}

func (w *TextWriter) field(f Field) {
	if f.Path == "" && !f.HasCurrent {
		return
	}
	w.open("field")
	w.member("path", f.Path)
	if f.HasCurrent {
		w.key("currentValue")
		w.value(f.Current)
	}
	w.close()
}

// line begins a line, unless a dash has begun it.
func (w *TextWriter) line() {
	if w.inLine {
		w.inLine = false
		return
	}
	for range w.depth + w.indent {
		w.text = append(w.text, ' ')
	}
}

func (w *TextWriter) dash() {
	w.line()
	w.text = append(w.text, "- "...)
	w.indent += 2
	w.inLine = true
}

// key begins a member whose key is a constant word.
func (w *TextWriter) key(key string) {
	w.line()
	w.text = append(append(w.text, key...), ':')
}

// anyKey begins a member.
func (w *TextWriter) anyKey(key string) {
	w.line()
	w.ok = w.ok && len(key) <= tree.MaxSimpleKey
	w.scalar(key)
	w.text = append(w.text, ':')
}

func (w *TextWriter) open(key string) {
	w.key(key)
	w.text = append(w.text, '\n')
	w.indent += 2
}

func (w *TextWriter) close() { w.indent -= 2 }

// member writes a member, unless it is empty.
func (w *TextWriter) member(key, text string) {
	if text != "" {
		w.key(key)
		w.string(text)
	}
}

func (w *TextWriter) string(s string) {
	w.text = append(w.text, ' ')
	w.scalar(s)
	w.text = append(w.text, '\n')
}

func (w *TextWriter) int(i int) {
	w.text = append(w.text, ' ')
	w.text = strconv.AppendInt(w.text, int64(i), 10)
	w.text = append(w.text, '\n')
}

func (w *TextWriter) scalar(s string) {
	var ok bool
	w.text, ok = tree.AppendString(w.text, s)
	w.ok = w.ok && ok
}

// value writes the value of a key, or of a dash.
func (w *TextWriter) value(v any) {
	switch v := v.(type) {
	case string:
		w.string(v)
	case int:
		w.int(v)
	case bool:
		w.text = append(w.text, ' ')
		w.text = strconv.AppendBool(w.text, v)
		w.text = append(w.text, '\n')
	case map[string]any:
		w.ok = w.ok && len(v) > 0
		w.text = append(w.text, '\n')
		w.indent += 2
		w.members(v)
		w.indent -= 2
	case []any:
		w.ok = w.ok && len(v) > 0
		w.text = append(w.text, '\n')
		w.elements(v)
	default:
		w.ok = false
	}
}

func (w *TextWriter) members(m map[string]any) {
	var space [16]string
	keys := slices.AppendSeq(space[:0], maps.Keys(m))
	slices.Sort(keys)
	for _, key := range keys {
		w.anyKey(key)
		w.value(m[key])
	}
}

func (w *TextWriter) elements(list []any) {
	for _, element := range list {
		switch element := element.(type) {
		case map[string]any:
			w.ok = w.ok && len(element) > 0
			w.dash()
			w.members(element)
			w.indent -= 2
		case []any:
			w.ok = w.ok && len(element) > 0
			w.dash()
			w.elements(element)
			w.indent -= 2
		default:
			w.line()
			w.text = append(w.text, '-')
			w.value(element)
		}
	}
}
