package report

import (
	"maps"
	"slices"
	"strconv"

	"github.com/krm-fields/krm-fields/fn/tree"
)

// AppendText appends the result as an element of a block list at an indentation, as the YAML library writes Node. It
// reports false, and appends nothing, where the result is not simple: it has text that is not one line of printable
// ASCII, or a value of more than strings, whole numbers, bools, maps and lists. It is there for the thousands of simple
// results of a large list.
func (r Result) AppendText(text []byte, depth int) ([]byte, bool) {
	w := textWriter{text: text, depth: depth, ok: true}
	w.result(r)
	if !w.ok {
		return w.text[:len(text)], false
	}
	return w.text, true
}

func (w *textWriter) result(r Result) {
	w.dash()
	w.member("message", r.Message)
	w.member("severity", r.Severity)
	if !r.Ref.IsZero() {
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
		w.open("tags")
		var space [8]string
		keys := space[:0]
		for key := range r.Tags {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			w.anyKey(key)
			w.string(r.Tags[key])
		}
		w.close()
	}
}

// textWriter writes block style with an indentation of two. Once ok is false, what it writes is of no use.
type textWriter struct {
	text []byte
	// indent is the number of spaces, beyond depth, before a member.
	depth, indent int
	// inLine is true where the next entry stands behind a dash.
	inLine bool
	ok     bool
}

func (w *textWriter) file(f File) {
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

func (w *textWriter) field(f Field) {
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

// line begins a line, but where the line has begun with a dash.
func (w *textWriter) line() {
	if w.inLine {
		w.inLine = false
		return
	}
	for range w.depth + w.indent {
		w.text = append(w.text, ' ')
	}
}

func (w *textWriter) dash() {
	w.line()
	w.text = append(w.text, "- "...)
	w.indent += 2
	w.inLine = true
}

// key begins a member whose key is one of our own, a word.
func (w *textWriter) key(key string) {
	w.line()
	w.text = append(append(w.text, key...), ':')
}

// anyKey begins a member.
func (w *textWriter) anyKey(key string) {
	w.line()
	w.ok = w.ok && len(key) <= tree.MaxSimpleKey
	w.scalar(key)
	w.text = append(w.text, ':')
}

func (w *textWriter) open(key string) {
	w.key(key)
	w.text = append(w.text, '\n')
	w.indent += 2
}

func (w *textWriter) close() { w.indent -= 2 }

// member writes a member that is left out where it is empty.
func (w *textWriter) member(key, text string) {
	if text != "" {
		w.key(key)
		w.string(text)
	}
}

func (w *textWriter) string(s string) {
	w.text = append(w.text, ' ')
	w.scalar(s)
	w.text = append(w.text, '\n')
}

func (w *textWriter) int(i int) {
	w.text = append(w.text, ' ')
	w.text = strconv.AppendInt(w.text, int64(i), 10)
	w.text = append(w.text, '\n')
}

func (w *textWriter) scalar(s string) {
	var ok bool
	w.text, ok = tree.AppendString(w.text, s)
	w.ok = w.ok && ok
}

// value writes the value of a key, or of a dash.
func (w *textWriter) value(v any) {
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

func (w *textWriter) members(m map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		w.anyKey(key)
		w.value(m[key])
	}
}

func (w *textWriter) elements(list []any) {
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
