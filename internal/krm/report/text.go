package report

import (
	"strconv"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// AppendItem appends a result as an element of a block list at an indentation.
func AppendItem(text []byte, r Result, depth int) []byte {
	w := itemWriter{text}
	w.indent(depth)
	w.element(r.Node(), depth)
	return w.text
}

// itemWriter writes nodes of plain data as the YAML library does. Strings that are not one line of
// printable text are in double quotes.
type itemWriter struct{ text []byte }

func (w *itemWriter) indent(depth int) {
	for range depth {
		w.text = append(w.text, ' ')
	}
}

// element writes an element of a list, whose dash is indented by depth.
func (w *itemWriter) element(n *tree.Node, depth int) {
	w.text = append(w.text, '-', ' ')
	if len(n.Content) > 0 {
		w.collection(n, depth+2)
		return
	}
	w.scalar(n)
	w.text = append(w.text, '\n')
}

// collection writes a map or list, which is not empty, from its first line, which is indented
// already.
func (w *itemWriter) collection(n *tree.Node, depth int) {
	if n.Kind == tree.SequenceNode {
		for i, element := range n.Content {
			if i > 0 {
				w.indent(depth)
			}
			w.element(element, depth)
		}
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if i > 0 {
			w.indent(depth)
		}
		w.member(n.Content[i], n.Content[i+1], depth)
	}
}

func (w *itemWriter) member(key, value *tree.Node, depth int) {
	if len(key.Text()) > tree.MaxSimpleKey {
		w.text = append(w.text, "? "...)
		w.scalar(key)
		w.text = append(w.text, '\n')
		w.indent(depth)
	} else {
		w.scalar(key)
	}
	w.text = append(w.text, ':')
	if len(value.Content) == 0 {
		w.text = append(w.text, ' ')
		w.scalar(value)
		w.text = append(w.text, '\n')
		return
	}
	if value.Kind == tree.MappingNode {
		depth += 2
	}
	w.text = append(w.text, '\n')
	w.indent(depth)
	w.collection(value, depth)
}

// scalar writes a scalar, or an empty map or list, without a line break.
func (w *itemWriter) scalar(n *tree.Node) {
	switch {
	case n.Kind == tree.MappingNode:
		w.text = append(w.text, "{}"...)
	case n.Kind == tree.SequenceNode:
		w.text = append(w.text, "[]"...)
	case tree.Type(n) != tree.String:
		w.text = append(w.text, n.Text()...)
	default:
		text, ok := tree.AppendString(w.text, n.Text())
		if !ok {
			text = strconv.AppendQuote(w.text, n.Text())
		}
		w.text = text
	}
}
