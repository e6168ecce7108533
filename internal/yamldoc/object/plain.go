package object

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// plainWriter writes simple nodes as the YAML library does, but faster: block maps and lists of
// scalars on one line of printable ASCII.
type plainWriter struct {
	style style
	out   []byte
}

// encodePlain writes n in block style; ok is false if n is not simple.
func (s style) encodePlain(n *tree.Node) (text []byte, ok bool) {
	w := plainWriter{style: s}
	if !w.collection(n, 0, false) {
		return nil, false
	}
	return w.out, true
}

// plainEntry writes a member of a map, or, if key is nil, an element of a list, indented by depth;
// ok is false if it is not simple.
func (s style) plainEntry(key, value *tree.Node, depth int) (text []byte, ok bool) {
	w := plainWriter{style: s}
	w.indent(depth)
	if key != nil {
		ok = w.member(key, value, depth)
	} else {
		ok = w.element(value, depth)
	}
	return w.out, ok
}

// collection writes a non-empty map or list, indented by depth. Its first line is not indented
// behind a dash.
func (w *plainWriter) collection(n *tree.Node, depth int, behindDash bool) bool {
	if !isBlockCollection(n) || !isBare(n) || n.Tag != tree.NoTag && n.Tag != tree.MapTag && n.Tag != tree.ListTag {
		return false
	}
	step := 2
	if n.Kind == tree.SequenceNode {
		step = 1
	}
	for i := 0; i+step <= len(n.Content); i += step {
		if i > 0 || !behindDash {
			w.indent(depth)
		}
		if step == 1 && !w.element(n.Content[i], depth) || step == 2 && !w.member(n.Content[i], n.Content[i+1], depth) {
			return false
		}
	}
	return true
}

func (w *plainWriter) indent(depth int) {
	for range depth {
		w.out = append(w.out, ' ')
	}
}

func (w *plainWriter) element(value *tree.Node, depth int) bool {
	w.out = append(w.out, "- "...)
	if isCollection(value) {
		return w.collection(value, depth+2, true)
	}
	return w.scalar(value)
}

func (w *plainWriter) member(key, value *tree.Node, depth int) bool {
	if len(key.Text()) > tree.MaxSimpleKey || !w.text(key) {
		return false
	}
	w.out = append(w.out, ':')
	if !isCollection(value) {
		w.out = append(w.out, ' ')
		return w.scalar(value)
	}
	w.out = append(w.out, '\n')
	if value.Kind == tree.SequenceNode {
		return w.collection(value, depth+w.style.listStep, false)
	}
	return w.collection(value, depth+w.style.step(), false)
}

func (w *plainWriter) scalar(n *tree.Node) bool {
	ok := w.text(n)
	w.out = append(w.out, '\n')
	return ok
}

// text writes a scalar without a line break.
func (w *plainWriter) text(n *tree.Node) bool {
	if n.Kind != tree.ScalarNode || !isBare(n) || n.Style&^(tree.SingleQuotedStyle|tree.DoubleQuotedStyle) != 0 {
		return false
	}
	var ok bool
	w.out, ok = appendScalar(w.out, n)
	return ok
}

// inlinePlain writes a scalar without its comments, in block style or inside a flow collection; ok
// is false if it is not simple.
func inlinePlain(n *tree.Node, inFlow bool) (text []byte, ok bool) {
	if n.Kind != tree.ScalarNode || n.Anchor() != "" || n.Style&^(tree.SingleQuotedStyle|tree.DoubleQuotedStyle) != 0 {
		return nil, false
	}
	if text, ok = appendScalar(nil, n); !ok {
		return nil, false
	}
	isPlain := text[0] != '"' && text[0] != '\''
	if !inFlow || !isPlain || !strings.ContainsAny(n.Text(), ",?[]{}:") {
		return text, true
	}
	return tree.AppendSingleQuoted(nil, n.Text()), tree.Type(n) == tree.String
}

func appendScalar(b []byte, n *tree.Node) ([]byte, bool) {
	plain, ok := tree.AppendString(b, n.Text())
	if !ok {
		return b, false
	}
	isString := tree.Type(n) == tree.String
	switch {
	case isString && (n.Tag != tree.StringTag || n.Style == 0 && plain[len(b)] == '"'):
		return b, false
	case n.Style == tree.DoubleQuotedStyle:
		return append(append(append(b, '"'), n.Text()...), '"'), !strings.ContainsAny(n.Text(), `"\`)
	case n.Style == tree.SingleQuotedStyle:
		return tree.AppendSingleQuoted(b, n.Text()), true
	case isString:
		return plain, true
	}
	return append(b, n.Text()...), true
}

// isBare tells whether n has no comments and no anchor.
func isBare(n *tree.Node) bool {
	return n.Comments() == tree.Comments{} && n.Anchor() == ""
}
