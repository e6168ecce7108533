// Package object holds one item of a list: its text as it came in, its data, and the edits made on
// it.
//
// Edits are made on the data. The text is made from them at the end: as splices of the text that
// came in, proved by parsing the outcome, or, where that can't be, from the tree. So comments,
// order and quoting of what stays are kept, and an object that no edit has changed keeps its bytes.
package object

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Object is one item. It is used by one goroutine at a time.
type Object struct {
	// text is the object as it came in; nil where it was created, or has no lines of its own.
	text []byte
	// settled is the text with the edits made up to the last call of Settle, in pieces: those that
	// no edit has touched are parts of text.
	settled [][]byte
	format  format
	// jsonDepth is how many objects and arrays the text stands in, which is JSON.
	jsonDepth int
	// loaded tells whether original and root are there. Where they are not, they are parsed from
	// the text when they are asked for.
	loaded bool
	// memory has the nodes that were parsed from the text, until drop.
	memory *tree.Memory
	// parsed tells whether the text has been parsed before, and err what came of it.
	parsed bool
	err    error
	// original is the root as it was parsed; nil for an object that was created.
	original *yaml.Node
	root     *yaml.Node
	// origins says for each node that an edit copied which node it was. A node that is not in it is
	// either one of the original's or new.
	origins map[*yaml.Node]*yaml.Node
	// places are the positions in lists, and members those of large maps, as far as they were asked
	// for since the last edit.
	places  map[*yaml.Node]indices
	members map[*yaml.Node]*tree.Members
	// strings are the strings that were edited in their places.
	strings map[*yaml.Node]stringEdit
	// comments are the line comments to set; knownComments those to take off other lines.
	comments      []LineComment
	knownComments []string
	// detached is true where the text can't be parsed alone, because it names anchors of other
	// items.
	detached bool
	// newDepth is the indentation of an item that was created.
	newDepth int
	file     report.File
	// firstLine is the line of the file at which the text begins; 0 for unknown.
	firstLine int
	// inPackage is the path of the file within the package.
	inPackage string
	live      bool
	// schema is true for a definition that is not one of the objects to work on.
	schema bool
	// assumed is the namespace of an object that names none, for pairing.
	assumed string
	// lead are the comments of the documents without a value right before the object's.
	lead []byte
	// reformatted says why the text was written anew as a whole; "" where it was not.
	reformatted string
	// isObject is what IsObject tells, once known is true.
	isObject, known bool
}

// format says how the text of an object is written.
type format int

const (
	listItem format = iota // YAML, one element of a block sequence, "- " and indentation included
	document               // YAML, a document of its own
	jsonText               // JSON
)

// Root is the object's data with all edits made so far. It must not be changed. Where the text
// can't be parsed, it is an empty map, see Err.
func (o *Object) Root() *yaml.Node {
	o.load()
	return o.root
}

// Original is the object's data as it came in, or as it was at the last call of Settle; nil where
// it was created.
func (o *Object) Original() *yaml.Node {
	o.load()
	return o.original
}

// Err parses the text where that has not been done, without keeping the data, and returns the
// *tree.SyntaxError that this gave, with a line of the text.
func (o *Object) Err() error {
	if !o.parsed && !o.loaded {
		o.load()
		o.drop()
	}
	return o.err
}

// IsObject tells whether the data that came in is a Kubernetes object: a map with apiVersion and
// kind.
func (o *Object) IsObject() bool {
	if !o.known {
		root := o.Root()
		o.isObject = tree.IsMap(root) && IsName(tree.Get(root, "apiVersion")) && IsName(tree.Get(root, "kind"))
		o.known = true
	}
	return o.isObject
}

// IsName tells whether n is a string that is not empty.
func IsName(n *yaml.Node) bool {
	return tree.Type(n) == tree.String && n.Value != ""
}

// IsDocument tells whether the text of the object is a document of its own.
func (o *Object) IsDocument() bool { return o.format != listItem }

// IsJSON tells whether the text of the object is JSON.
func (o *Object) IsJSON() bool { return o.format == jsonText }

// Source is the text as it came in; nil where the object was created, or has no lines of its own.
func (o *Object) Source() []byte { return o.text }

// Mentions tells whether the words, which are ASCII, may stand in the object: it is false only
// where they certainly do not. It does not parse the text.
func (o *Object) Mentions(words string) bool {
	if o.text == nil || o.detached || bytes.Contains(o.text, []byte(words)) {
		return true
	}
	if o.format == jsonText { // where nearly all objects have escapes, of line breaks and quotes
		return escapesOneOf(o.text, words)
	}
	return bytes.IndexByte(o.text, '\\') >= 0
}

// Rewrite makes the text be written anew from the tree.
func (o *Object) Rewrite() {
	o.load()
	o.text, o.settled = nil, nil
}

// Changed tells whether an edit has changed the object, or it was created.
func (o *Object) Changed() bool {
	return o.settled != nil || o.hasEdits()
}

// hasEdits tells whether there are edits that are not settled.
func (o *Object) hasEdits() bool {
	return o.root != o.original || o.knownComments != nil
}

// Reset takes all edits back. A created object stays as it is.
func (o *Object) Reset() {
	o.reformatted = ""
	switch {
	case o.settled != nil:
		o.settled = nil
		o.drop()
	case o.original != nil:
		o.root, o.comments, o.knownComments = o.original, nil, nil
		o.strings = nil
		o.dropOrigins()
	}
}
