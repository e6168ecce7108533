package report

import "github.com/krm-fields/krm-fields/internal/yamldoc/tree"

// AppendItem appends a result as an element of a block list at an indentation. Strings that are not
// one line of printable text are in double quotes.
func AppendItem(text []byte, r Result, depth int) []byte {
	w := tree.BlockWriter{Text: text, MapStep: 2, Quotes: true}
	w.Entry(nil, r.Node(), depth)
	return w.Text
}
