package report

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// AppendItem appends a result as an element of a block list at an indentation. Strings that are not
// one line of printable text are in double quotes.
func AppendItem(text []byte, r Result, depth int) []byte {
	n := r.Node()
	inOneLine(n)
	var item bytes.Buffer
	encoder := yaml.NewEncoder(&item)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	_ = encoder.Encode(tree.ToLibrary(tree.NewList(n))) // a buffer takes all
	for line := range bytes.Lines(item.Bytes()) {
		text = append(append(text, bytes.Repeat([]byte{' '}, depth)...), line...)
	}
	return text
}

// inOneLine puts the strings that the library would write in several lines into double quotes.
func inOneLine(n *tree.Node) {
	if n.Kind == tree.ScalarNode && tree.Type(n) == tree.String {
		if _, isLine := tree.AppendString(nil, n.Text()); !isLine {
			n.Style = tree.DoubleQuotedStyle
		}
	}
	for _, child := range n.Content {
		inOneLine(child)
	}
}
