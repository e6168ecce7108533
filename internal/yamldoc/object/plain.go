package object

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// encodePlain writes n in block style, faster than the YAML library; ok is false if n is not
// simple.
func (s style) encodePlain(n *tree.Node) (text []byte, ok bool) {
	w := tree.BlockWriter{MapStep: s.mapStep, ListStep: s.listStep}
	ok = isCollection(n) && w.Collection(n, 0, false)
	return w.Text, ok
}

// inlinePlain writes a scalar without its comments, in block style or inside a flow collection; ok
// is false if it is not simple.
func inlinePlain(n *tree.Node, inFlow bool) (text []byte, ok bool) {
	if n.Anchor() != "" {
		return nil, false
	}
	if text, ok = tree.AppendScalar(nil, n); !ok {
		return nil, false
	}
	isPlain := text[0] != '"' && text[0] != '\''
	if !inFlow || !isPlain || !strings.ContainsAny(n.Text(), ",?[]{}:") {
		return text, true
	}
	return tree.AppendSingleQuoted(nil, n.Text()), tree.Type(n) == tree.String
}
