package object

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/tree"
)

// plainWriter writes simple nodes as the YAML library does, only faster: block
// maps and lists of scalars that stand on one line of printable ASCII.
type plainWriter struct {
	style style
	out   bytes.Buffer
}

// encodePlain writes n in block style with an indentation of two; ok is false
// where n is not simple.
func (s style) encodePlain(n *yaml.Node) (text []byte, ok bool) {
	w := plainWriter{style: s}
	if !w.collection(n, 0, false) {
		return nil, false
	}
	return w.out.Bytes(), true
}

// collection writes a map or a list that is not empty, indented by depth. Its
// first line is not indented where it stands behind a dash.
func (w *plainWriter) collection(n *yaml.Node, depth int, behindDash bool) bool {
	if !isBlockCollection(n) || !isBare(n) || n.Tag != "" && n.Tag != "!!map" && n.Tag != "!!seq" {
		return false
	}
	step := 2
	if n.Kind == yaml.SequenceNode {
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
		w.out.WriteByte(' ')
	}
}

func (w *plainWriter) element(value *yaml.Node, depth int) bool {
	w.out.WriteString("- ")
	if isCollection(value) {
		return w.collection(value, depth+2, true)
	}
	return w.scalar(value)
}

func (w *plainWriter) member(key, value *yaml.Node, depth int) bool {
	if !w.text(key) {
		return false
	}
	w.out.WriteByte(':')
	if !isCollection(value) {
		w.out.WriteByte(' ')
		return w.scalar(value)
	}
	w.out.WriteByte('\n')
	if value.Kind == yaml.SequenceNode && !w.style.wide {
		return w.collection(value, depth, false)
	}
	return w.collection(value, depth+2, false)
}

func (w *plainWriter) scalar(n *yaml.Node) bool {
	ok := w.text(n)
	w.out.WriteByte('\n')
	return ok
}

// text writes a scalar without a line break.
func (w *plainWriter) text(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || !isBare(n) || !isPrintable(n.Value) || n.Value == "" || len(n.Value) > 1000 ||
		strings.IndexByte("-?:", n.Value[0]) >= 0 {
		return false
	}
	isString := tree.Type(n) == tree.String
	switch {
	case isString && n.Tag != "!!str" || n.Style&^(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		return false
	case n.Style == yaml.DoubleQuotedStyle:
		return w.doubleQuoted(n.Value)
	case n.Style == yaml.SingleQuotedStyle || isString && !canBePlain(n.Value):
		w.out.WriteString("'" + strings.ReplaceAll(n.Value, "'", "''") + "'")
	case isString && strings.Count(n.Value, "-") == 2:
		return false // it may be a date
	case isString && tree.Type(&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}) != tree.String:
		return w.doubleQuoted(n.Value)
	default:
		w.out.WriteString(n.Value)
	}
	return true
}

func (w *plainWriter) doubleQuoted(s string) bool {
	if strings.ContainsAny(s, `"\`) {
		return false
	}
	w.out.WriteString(`"` + s + `"`)
	return true
}

// isBare tells whether n has no comments and no anchor.
func isBare(n *yaml.Node) bool {
	return n.HeadComment == "" && n.LineComment == "" && n.FootComment == "" && n.Anchor == ""
}

func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// canBePlain tells whether a line of printable ASCII can stand without quotes in
// block style.
func canBePlain(s string) bool {
	if strings.IndexByte("-?:,[]{}#&*!|>'\"%@` ", s[0]) >= 0 || s[len(s)-1] == ' ' || s[len(s)-1] == ':' {
		return false
	}
	return !strings.Contains(s, ": ") && !strings.Contains(s, " #") && !strings.HasPrefix(s, "...")
}
