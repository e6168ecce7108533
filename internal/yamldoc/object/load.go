package object

import (
	"bytes"
	"sync"
	"unsafe"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func (o *Object) load() {
	if o.loaded {
		return
	}
	o.loaded, o.parsed = true, true
	if o.shared != nil && o.flushed == nil {
		o.original, o.root = o.shared, o.shared
		return
	}
	o.memory = tree.NewMemory()
	root, err := o.parse(o.source(), o.memory)
	if err != nil {
		root, o.err = &tree.Node{Kind: tree.MappingNode}, err
	}
	o.original, o.root = root, root
}

// Share returns a copy of an object that was read and has not been changed. The data is parsed once
// for all copies, which may be changed; the object itself must not be any more.
func (o *Object) Share() *Object {
	o.load()
	c := *o
	c.shared, c.memory = o.original, nil
	c.origins, c.seats, c.places, c.keys = nil, nil, nil, nil
	return &c
}

// base returns the text that Original was parsed from.
func (o *Object) base() []byte {
	if len(o.flushed) > 1 {
		o.flushed = [][]byte{bytes.Join(o.flushed, nil)}
	}
	if o.flushed != nil {
		return o.flushed[0]
	}
	return o.text
}

// AsRead returns a copy of the object without its edits.
func (o *Object) AsRead() *Object {
	c := *o
	c.flushed, c.rewriting = nil, nil
	c.origins, c.seats, c.places, c.keys, c.strings, c.comments, c.knownComments = nil, nil, nil, nil, nil, nil, nil
	c.root, c.memory = o.original, nil
	if o.text != nil {
		c.loaded, c.original, c.root = false, nil, nil
	}
	return &c
}

// Copy returns a copy of the object, which parses its data itself, on demand; an object that can't
// be flushed shares its data with the copy.
func (o *Object) Copy() *Object {
	c := *o
	c.memory = nil
	if c.loaded && !c.hasEdits() && c.err == nil && c.text != nil {
		c.drop()
	}
	return &c
}

// AddTo adds the Secrets of the object to a mask, with those that edits have removed.
func (o *Object) AddTo(mask *redact.Mask) {
	if o.text == nil || o.loaded && o.hasEdits() {
		mask.Add(o.Original(), o.Root())
		return
	}
	mask.AddText(o.text)
	if o.flushed != nil {
		mask.AddText(o.base())
	}
}

// source returns the text that the offsets of the nodes of Original count in: base, without the CR
// of each CRLF.
func (o *Object) source() []byte { return lines.WithoutCR(o.base()) }

// asString returns the text of an object, which nobody changes in place, without a copy.
func asString(source []byte) string { return unsafe.String(unsafe.SliceData(source), len(source)) }

// Use calls do, which may read and edit the data, and flushes the object afterwards, since the data
// of all objects at once would take much memory. The error is that of Flush.
func (o *Object) Use(do func()) error {
	do()
	return o.Flush()
}

// Flush writes the edits to the text and releases the data, to save memory; the data is parsed
// again on demand. Nodes of the object must not be used afterwards. The error is that of Text.
func (o *Object) Flush() error {
	o.IsObject()
	if o.text == nil {
		o.hideData()
	}
	if !o.loaded || o.err != nil || o.text == nil {
		return nil
	}
	if o.hasEdits() {
		pieces, err := o.Pieces()
		if err != nil {
			return err
		}
		if o.format == jsonText && o.rewriting != nil && !o.verify(bytes.Join(pieces, nil), o.root) {
			o.hideData()
			return nil // the data is kept, since the text alone would be parsed differently
		}
		before := o.flushed
		o.flushed = pieces
		if isText(o.text, pieces) { // comments, say, that were there already
			o.flushed = nil
		}
		if o.HideEdits {
			o.hide(o.dataOf(before), o.dataOf(o.flushed))
		}
	}
	o.drop()
	return nil
}

// isText tells whether a text consists of these pieces.
func isText(text []byte, pieces [][]byte) bool {
	for _, piece := range pieces {
		rest, ok := bytes.CutPrefix(text, piece)
		if !ok {
			return false
		}
		text = rest
	}
	return len(text) == 0
}

// drop releases the data and the edits that are not flushed.
func (o *Object) drop() {
	if o.memory != nil {
		o.memory.Free()
		o.memory = nil
		if n := len(o.origins); n > 0 && n <= maxPooled {
			clear(o.origins)
			originMaps.Put(o.origins)
		}
	}
	o.loaded, o.original, o.root = false, nil, nil
	o.origins, o.seats, o.places, o.keys, o.strings = nil, nil, nil, nil, nil
	o.comments, o.knownComments = nil, nil
}

// originMaps pools maps of origins, of which most are small.
var originMaps = sync.Pool{New: func() any { return map[*tree.Node]*tree.Node{} }}

const maxPooled = 64

// JSONDepth is the nesting of an item of a JSON list: in the list and its items.
const JSONDepth = 2

// parse parses text that is in the object's format, and has LF in place of CRLF.
func (o *Object) parse(text []byte, memory *tree.Memory) (*tree.Node, error) {
	if o.format == jsonText {
		return memory.ParseJSON(text, int(o.jsonDepth))
	}
	parsed, err := memory.Parse(text)
	if err != nil || o.format != listItem {
		return parsed, err
	}
	if parsed = onlyElement(parsed); parsed == nil {
		return nil, &tree.SyntaxError{Line: 1, Reason: "there must be one list element"}
	}
	return parsed, nil
}

// onlyElement returns the element of a list with one, otherwise nil.
func onlyElement(root *tree.Node) *tree.Node {
	if !tree.IsList(root) || len(root.Content) != 1 {
		return nil
	}
	return root.Content[0]
}
