package object

import (
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Items returns n objects: the text of each is one element of a block sequence, its dash and
// indentation included. It is parsed on demand; Err tells whether it is valid.
func Items(n int, text func(i int) []byte) []*Object { return items(n, text, listItem, 0) }

// ParseDocument parses the text of one YAML document. The root is nil if the document has no value.
// The error is a *tree.SyntaxError.
func ParseDocument(text []byte) (*Object, error) { return parsed(text, document) }

func parsed(text []byte, format format) (*Object, error) {
	o := &Object{text: text, format: format}
	if o.load(); o.err != nil {
		return nil, o.err
	}
	return o, nil
}

// JSONItems returns n objects: the text of each is one element of the items of a JSON list. It is
// parsed on demand.
func JSONItems(n int, text func(i int) []byte) []*Object { return items(n, text, jsonText, JSONDepth) }

func items(n int, text func(i int) []byte, format format, depth uint8) []*Object {
	objects, items := make([]Object, n), make([]*Object, n)
	for i := range objects {
		objects[i] = Object{text: text(i), format: format, jsonDepth: depth}
		items[i] = &objects[i]
	}
	return items
}

// ParseJSON parses the text of a document in JSON. The error is a *tree.SyntaxError.
func ParseJSON(text []byte) (*Object, error) { return parsed(text, jsonText) }

// JSON returns an object with root as its data, which is written as JSON on one line.
func JSON(root *tree.Node) *Object {
	return &Object{format: jsonText, loaded: true, original: root, root: root}
}

// NewDocument returns a new object with the data of root, written as a YAML document.
func NewDocument(root *tree.Node) *Object {
	return &Object{loaded: true, root: root, format: document}
}

// NewLike returns a new object with the data of root, written in the format of model, or as an item
// of a YAML list if model is nil.
func NewLike(model *Object, root *tree.Node) *Object {
	o := &Object{loaded: true, root: root}
	if model != nil {
		o.format = model.format
		o.newDepth = model.depth()
		o.like = model.base()
	}
	return o
}
