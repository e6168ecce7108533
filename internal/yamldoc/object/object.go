// Package object holds one item of a list: its text, its data, and the edits made on it.
//
// Edits are made on the data. The output text is made from them at the end: as splices of the input
// text, verified by parsing the result, or, if that is impossible, from the tree. So comments,
// order and quoting of unchanged parts are kept, and an unchanged object keeps its bytes.
//
// The data is parsed when it is first asked for, and its nodes live until the next Flush:
//
//	Root, Original  the data with and without the edits since the last Flush
//	Use             reads and edits, then flushes: for work on many objects, one after the other
//	Flush           turns the edits into text and frees the nodes, which views have, too
//	Text, Pieces    the text with all edits, flushed or not
//	Reset           undoes all edits, flushed or not
//	Input           the data as it was read, parsed for the caller alone
//	View            an object whose edits change nothing until Adopt; used up to the next Flush
//	Copy, AsRead    another object of the same text, with all edits and without
//	Share           as AsRead, parsed once for many copies; the object itself is used no more
package object

import (
	"bytes"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Object is one item. It is used by one goroutine at a time.
type Object struct {
	// FirstLine is the line of the file, from 1, at which the line numbers of the object's nodes
	// start; 0 if it is not known.
	FirstLine int
	// Lead is the comments of the documents without a value right before the object's, with the
	// "---" lines between and behind them.
	Lead []byte
	// IsLive is true for an object of the cluster.
	IsLive bool
	// IsSchema is true for a definition that is input only for its schema.
	IsSchema bool
	// HideEdits is true if the edits since the last call of Flush are not to be shown: they may
	// hold values of a Secret. EditText is what they were written as; keys in it may be shown.
	HideEdits bool
	EditText  string
	// Copied has the values of Secrets that edits may have copied, also if they were there before;
	// nil for none.
	Copied *redact.Mask
	// AssumedNamespace is the default namespace of an object that names none, for pairing package
	// and live objects.
	AssumedNamespace string
	// text is the input text; nil if the object was created, or has no lines of its own.
	text []byte
	// flushed is the text with the edits made up to the last call of Flush, in pieces: unchanged
	// ones are parts of text.
	flushed [][]byte
	// memory has the nodes of the text, until drop.
	memory *tree.Memory
	// err is the result of parsing the text.
	err error
	// shared is the root of the text, which other objects have too; nil for one of its own.
	shared *tree.Node
	// original is the root as it was parsed; nil for an object that was created.
	original *tree.Node
	root     *tree.Node
	// origins has the original of each node that an edit copied, and of each scalar that replaces
	// an element of a list. A node that is not in it is either one of the original tree or new.
	origins map[*tree.Node]*tree.Node
	// seats has, for an element of a list that replaces another and is no edit of it, the
	// original of that one.
	seats map[*tree.Node]*tree.Node
	// places caches the positions in lists since the last edit of each, and keys those in large
	// maps since a member was last removed.
	places map[*tree.Node]indices
	keys   map[*tree.Node]*tree.KeyTable
	// strings are the strings that were edited in place.
	strings map[*tree.Node]stringEdit
	// comments are the line comments to set; knownComments those to remove from other lines.
	comments      []LineComment
	knownComments []string
	// uncommented are the locations of comments that have no place.
	uncommented []location.Location
	// viewed is the object whose data a view has; nil for any other object.
	viewed *Object
	// newDepth is the indentation of a created item. Its lines end as those of like do; with LF if
	// like is nil.
	newDepth int
	like     []byte
	file     report.File
	// inPackage is the path of the file within the package.
	inPackage string
	// hidden are the edits up to the last call of Flush that are not to be shown.
	hidden []hiddenEdits
	// rewriting says what of the text was rewritten; nil if nothing was.
	rewriting *Rewriting
	// isObject is the result of IsObject, isEncrypted tells whether the data has the code of SOPS,
	// and ref is the result of Ref, valid if known is true.
	isObject, isEncrypted, known bool
	ref                          report.Ref
	// parsed tells whether the text has been parsed, and loaded whether original and root are set.
	// If not, they are parsed from the text on demand.
	parsed, loaded bool
	format         format
	// jsonDepth is the nesting of the text, which is JSON.
	jsonDepth uint8
}

// format is the format of an object's text.
type format uint8

const (
	listItem format = iota // YAML, one element of a block sequence, "- " and indentation included
	document               // YAML, a document of its own
	jsonText               // JSON
)

// Root returns the object's data with all edits so far. It must not be changed. If the text can't
// be parsed, it is an empty map, see Err.
func (o *Object) Root() *tree.Node {
	o.load()
	return o.root
}

// Original returns the object's input data, or that at the last call of Flush; nil if it was
// created.
func (o *Object) Original() *tree.Node {
	o.load()
	return o.original
}

// Err parses the text if that has not been done, without keeping the data, and returns the
// *tree.SyntaxError, with a line of the text.
func (o *Object) Err() error {
	if !o.parsed && !o.loaded {
		o.load()
		o.drop()
	}
	return o.err
}

// IsObject tells whether the input data is a Kubernetes object: a map with apiVersion and kind.
func (o *Object) IsObject() bool {
	if !o.known {
		root := o.Root()
		o.ref = report.RefOf(root)
		o.isObject = tree.IsMap(root) && IsName(tree.Get(root, "apiVersion")) && IsName(tree.Get(root, "kind"))
		o.isEncrypted = hasCode(root)
		o.known = true
	}
	return o.isObject
}

// Ref returns the names in the input data. It parses the text only if nothing has parsed it before.
func (o *Object) Ref() report.Ref {
	o.IsObject()
	return o.ref
}

// IsName tells whether n is a non-empty string.
func IsName(n *tree.Node) bool {
	return tree.Type(n) == tree.String && n.Text() != ""
}

// IsDocument tells whether the text of the object is a document of its own.
func (o *Object) IsDocument() bool { return o.format != listItem && o.jsonDepth == 0 }

// IsJSON tells whether the text of the object is JSON.
func (o *Object) IsJSON() bool { return o.format == jsonText }

// Source returns the input text; nil if the object was created, or has no lines of its own.
func (o *Object) Source() []byte { return o.text }

// WholeText returns the input text if all the data is in it, without edits.
func (o *Object) WholeText() (text []byte, isWhole bool) {
	return o.text, o.text != nil && !o.Changed()
}

// Mentions tells whether the words, which are letters, digits, dots, hyphens and slashes of ASCII,
// may be in a string of the object: false is certain. It does not parse the text, and looks at no
// edits.
func (o *Object) Mentions(words string) bool {
	text, isWhole := o.WholeText()
	return !isWhole || bytes.Contains(text, []byte(words)) || hides(text, words)
}

// Changed tells whether an edit has changed the object, or it was created.
func (o *Object) Changed() bool {
	return o.flushed != nil || o.hasEdits()
}

// hasEdits tells whether there are edits that are not flushed.
func (o *Object) hasEdits() bool {
	return o.root != o.original || o.knownComments != nil
}

// Reset undoes all edits. A created object stays as it is.
func (o *Object) Reset() {
	o.rewriting, o.uncommented = nil, nil
	o.HideEdits, o.EditText = false, ""
	switch {
	case o.flushed != nil:
		o.flushed = nil
		o.drop()
	case o.original != nil:
		o.root, o.comments, o.knownComments = o.original, nil, nil
		o.strings = nil
		o.origins, o.seats = nil, nil
	}
}
