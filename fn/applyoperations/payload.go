package applyoperations

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/livevalue"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// structure returns the data of a payload, which is a structure or a string of JSON or YAML. The
// error is a *tree.SyntaxError.
func structure(n *tree.Node) (*tree.Node, error) {
	if tree.Type(n) != tree.String {
		return n, nil
	}
	text := []byte(n.Text())
	if looksLikeJSON(n.Text()) {
		if n, err := tree.ParseJSON(text); err == nil {
			return n, nil
		}
	}
	return tree.Parse(text)
}

func looksLikeJSON(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

// plainCopy returns a copy of n for use in an object: without comments, and where n is in flow
// style, as JSON is, in block style with quotes only where they are needed.
func plainCopy(n *tree.Node) *tree.Node {
	if n == nil {
		return nil
	}
	return livevalue.Plain(n, tree.Deref(n).Style&tree.FlowStyle != 0)
}
