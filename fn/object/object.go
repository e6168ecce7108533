// Package object holds one item of a list: its text as it came in, its data,
// and the edits made on it.
//
// Edits are made on the data. The text is made from them at the end: as splices
// of the text that came in, proved by parsing the outcome, or, where that can't
// be, from the tree. So comments, order and quoting of what stays are kept, and
// an object that no edit has changed keeps its bytes.
package object

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// Object is one item. It is used by one goroutine at a time.
type Object struct {
	// text is the object as it came in; nil where it was created, or has no
	// lines of its own.
	text []byte
	// settled is the text with the edits made up to the last call of Settle, in
	// pieces: those that no edit has touched are parts of text.
	settled [][]byte
	format  format
	// jsonDepth is how many objects and arrays the text stands in, which is JSON.
	jsonDepth int
	// loaded tells whether original and root are there. Where they are not, they
	// are parsed from the text when they are asked for.
	loaded bool
	// memory has the nodes that were parsed from the text, until drop.
	memory *tree.Memory
	// parsed tells whether the text has been parsed before, and err what came of it.
	parsed bool
	err    error
	// original is the root as it was parsed; nil for an object that was created.
	original *yaml.Node
	root     *yaml.Node
	// origins says for each node that an edit copied which node it was. A node
	// that is not in it is either one of the original's or new.
	origins map[*yaml.Node]*yaml.Node
	// places are the positions in lists, and members those of large maps, as far
	// as they were asked for since the last edit.
	places  map[*yaml.Node]indices
	members map[*yaml.Node]map[string]*yaml.Node
	// comments are the line comments to set; knownComments those to take off
	// other lines.
	comments      []LineComment
	knownComments []string
	// detached is true where the text can't be parsed alone, because it names
	// anchors of other items.
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

// Items returns n objects: the text of each is one element of a block sequence,
// its dash and indentation included. It is parsed when the data is first asked
// for; Err tells whether it could be.
func Items(n int, text func(i int) []byte) []*Object {
	return newItems(n, text, listItem)
}

// ParseDocument parses the text of one YAML document. The root is nil where the
// document has no value. The error is a *tree.SyntaxError.
func ParseDocument(text []byte) (*Object, error) {
	o := &Object{text: text, format: document}
	if o.load(); o.err != nil {
		return nil, o.err
	}
	return o, nil
}

// JSONItems returns n objects: the text of each is one element of the items of a
// JSON list. It is parsed as that of Items is.
func JSONItems(n int, text func(i int) []byte) []*Object {
	items := newItems(n, text, jsonText)
	for _, item := range items {
		item.jsonDepth = JSONDepth
	}
	return items
}

func newItems(n int, text func(i int) []byte, format format) []*Object {
	objects, items := make([]Object, n), make([]*Object, n)
	for i := range objects {
		objects[i] = Object{text: text(i), format: format}
		items[i] = &objects[i]
	}
	return items
}

// ParseJSON parses the text of a document in JSON. The error is a *tree.SyntaxError.
func ParseJSON(text []byte) (*Object, error) {
	root, err := tree.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	return &Object{text: text, format: jsonText, loaded: true, original: root, root: root}, nil
}

// JSON returns an object with root as its data, which is written as JSON on one
// line.
func JSON(root *yaml.Node) *Object {
	return &Object{format: jsonText, loaded: true, original: root, root: root}
}

// Detached returns the item whose text stands in a list that could only be
// parsed as a whole, with root as its data; text is nil where it has no lines
// of its own. Nothing in root may be an alias of a node outside it.
func Detached(text []byte, root *yaml.Node) *Object {
	return &Object{text: text, format: listItem, loaded: true, original: root, root: root, detached: true}
}

// NewItem returns a new object with the data of root, written as an item of a
// YAML list at an indentation.
func NewItem(root *yaml.Node, depth int) *Object {
	return &Object{loaded: true, root: root, newDepth: depth}
}

// NewDocument returns a new object with the data of root, written as a YAML
// document.
func NewDocument(root *yaml.Node) *Object {
	return &Object{loaded: true, root: root, format: document}
}

// NewLike returns a new object with the data of root, written in the format of
// model, or as an item of a YAML list where model is nil.
func NewLike(model *Object, root *yaml.Node) *Object {
	o := &Object{loaded: true, root: root}
	if model != nil {
		o.format = model.format
		o.newDepth = model.depth()
	}
	return o
}

// Root is the object's data with all edits made so far. It must not be changed.
// Where the text can't be parsed, it is an empty map, see Err.
func (o *Object) Root() *yaml.Node {
	o.load()
	return o.root
}

// Original is the object's data as it came in, or as it was at the last call of
// Settle; nil where it was created.
func (o *Object) Original() *yaml.Node {
	o.load()
	return o.original
}

// Err parses the text where that has not been done, without keeping the data,
// and returns the *tree.SyntaxError that this gave, with a line of the text.
func (o *Object) Err() error {
	if !o.parsed && !o.loaded {
		o.load()
		o.drop()
	}
	return o.err
}

// IsObject tells whether the data that came in is a Kubernetes object: a map
// with apiVersion and kind.
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

func (o *Object) load() {
	if o.loaded {
		return
	}
	o.loaded, o.parsed = true, true
	o.memory = tree.NewMemory()
	root, err := o.parse(o.base(), o.memory)
	if err != nil {
		root, o.err = &yaml.Node{Kind: yaml.MappingNode}, err
	}
	o.original, o.root = root, root
}

// base is the text that Original was parsed from.
func (o *Object) base() []byte {
	if len(o.settled) > 1 {
		o.settled = [][]byte{bytes.Join(o.settled, nil)}
	}
	if o.settled != nil {
		return o.settled[0]
	}
	return o.text
}

// Settle writes the text and gives up the data, to save memory; the data is
// parsed again where it is asked for. No node that came from the object may be
// used any more. The error is that of Text.
func (o *Object) Settle() error {
	o.IsObject()
	if !o.loaded || o.err != nil || o.text == nil || o.detached {
		return nil
	}
	if o.hasEdits() {
		pieces, err := o.Pieces()
		if err != nil {
			return err
		}
		if o.format == jsonText && o.reformatted != "" && !o.provedPieces(pieces, o.root) {
			return nil // the data stays, since the text would not be read as the same again
		}
		o.settled = pieces
	}
	o.drop()
	return nil
}

// drop gives up the data and the edits that are not settled.
func (o *Object) drop() {
	if o.memory != nil {
		o.memory.Free()
		o.memory = nil
	}
	o.loaded, o.original, o.root = false, nil, nil
	o.dropOrigins()
	o.places, o.members = nil, nil
	o.comments, o.knownComments = nil, nil
}

// File is the file that the object came from: the one that SetFile named, else
// the one that the host's annotations name.
func (o *Object) File() report.File {
	if o.file.Path != "" {
		return o.file
	}
	return report.FileOf(o.Root())
}

// SetFile names the file that the object was read from, and its path within the
// package.
func (o *Object) SetFile(file report.File, inPackage string) {
	o.file, o.inPackage = file, inPackage
}

// SetLead keeps the comments of the documents without a value that stand right
// before the object's, with the "---" lines between and behind them.
func (o *Object) SetLead(comments []byte) { o.lead = comments }

// Lead is what SetLead kept.
func (o *Object) Lead() []byte { return o.lead }

// PathInPackage is the path of the object's file within the package, or "".
func (o *Object) PathInPackage() string {
	if o.inPackage != "" {
		return o.inPackage
	}
	return o.File().Path
}

// IsDocument tells whether the text of the object is a document of its own.
func (o *Object) IsDocument() bool { return o.format != listItem }

// IsJSON tells whether the text of the object is JSON.
func (o *Object) IsJSON() bool { return o.format == jsonText }

// MarkLive says that the object shows what is on the cluster.
func (o *Object) MarkLive() { o.live = true }

// IsLive tells whether MarkLive was called.
func (o *Object) IsLive() bool { return o.live }

// MarkSchema says that the object is there for the schema in it alone.
func (o *Object) MarkSchema() { o.schema = true }

// IsSchema tells whether MarkSchema was called.
func (o *Object) IsSchema() bool { return o.schema }

// AssumeNamespace says which namespace the object counts as in where it names
// none, when package and live objects are paired. Its data stays as it is.
func (o *Object) AssumeNamespace(namespace string) { o.assumed = namespace }

// AssumedNamespace is the namespace that AssumeNamespace gave.
func (o *Object) AssumedNamespace() string { return o.assumed }

// Source is the text as it came in; nil where the object was created, or has no
// lines of its own.
func (o *Object) Source() []byte { return o.text }

// Mentions tells whether the words, which are ASCII, may stand in the object: it
// is false only where they certainly do not. It does not parse the text.
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
		o.dropOrigins()
	}
}

// Set puts value at the location: in the place of what is there, or as the last
// member of the map, or, at the index behind the last one, as the last element
// of the list. The parent must be there; the empty location replaces the whole
// object.
func (o *Object) Set(l locate.Location, value *yaml.Node) error {
	if len(l) == 0 {
		o.load()
		o.root = value
		return nil
	}
	parent, err := o.parent(l)
	if err != nil {
		return err
	}
	last := l[len(l)-1]
	if last.IsIndex {
		if last.Index == len(parent.Content) {
			parent.Content = append(parent.Content, value)
			return nil
		}
		parent.Content[last.Index] = value
		return nil
	}
	if i := memberIndex(parent, last.Key); i >= 0 {
		parent.Content[i+1] = value
		return nil
	}
	o.addMember(parent, last.Key, value)
	return nil
}

// addMember puts a new member at the end of the map m, or, where m had the member
// once, in its old place.
func (o *Object) addMember(m *yaml.Node, key string, value *yaml.Node) {
	old := o.origins[m]
	was := -1
	if old != nil && old.Kind == yaml.MappingNode {
		was = memberIndex(old, key)
	}
	if was < 0 {
		m.Content = append(m.Content, o.NewString(key), value)
		return
	}
	at := 0
	for i := 0; i < was; i += 2 {
		if at < len(m.Content) && m.Content[at] == old.Content[i] {
			at += 2
		}
	}
	m.Content = slices.Insert(m.Content, at, old.Content[was], value)
}

// NewString is tree.NewString, for a node that is used in this object only.
func (o *Object) NewString(s string) *yaml.Node {
	if o.memory != nil {
		return o.memory.NewString(s)
	}
	return tree.NewString(s)
}

// Insert puts value into a list before the element at the location's index, or
// behind the last element where the index is the length of the list.
func (o *Object) Insert(l locate.Location, value *yaml.Node) error {
	if len(l) == 0 || !l[len(l)-1].IsIndex {
		return &PlaceError{Location: l, Reason: "an element can only be inserted at an index of a list"}
	}
	parent, err := o.parent(l)
	if err != nil {
		return err
	}
	parent.Content = slices.Insert(parent.Content, l[len(l)-1].Index, value)
	return nil
}

// PlaceError is an edit at a place that the object does not have.
type PlaceError struct {
	Location locate.Location
	Reason   string
}

func (e *PlaceError) Error() string {
	return fmt.Sprintf("nothing can be put at %s: %s", e.Location, e.Reason)
}

// parent returns the collection that holds the location, ready to be changed.
func (o *Object) parent(l locate.Location) (*yaml.Node, error) {
	last := l[len(l)-1]
	at := o.at(l[:len(l)-1])
	switch {
	case at == nil:
		return nil, &PlaceError{Location: l, Reason: "its parent is not there"}
	case last.IsIndex && at.Kind != yaml.SequenceNode:
		return nil, &PlaceError{Location: l, Reason: "its parent must be a list, found a " + tree.Type(at)}
	case last.IsIndex && (last.Index < 0 || last.Index > len(at.Content)):
		return nil, &PlaceError{Location: l, Reason: fmt.Sprintf("the list has %d elements", len(at.Content))}
	case !last.IsIndex && at.Kind != yaml.MappingNode:
		return nil, &PlaceError{Location: l, Reason: "its parent must be a map, found a " + tree.Type(at)}
	}
	parent := o.own(l[:len(l)-1])
	if len(parent.Content) == 0 {
		parent.Style &^= yaml.FlowStyle // `{}` says nothing about the style of what comes
	}
	return parent, nil
}

// at returns the node at the location, aliases followed, or nil.
func (o *Object) at(l locate.Location) *yaml.Node {
	return locate.At(o.Root(), l)
}

// own makes every node from the root to the location, which must be there, a
// copy of the object's own, and returns the last.
func (o *Object) own(l locate.Location) *yaml.Node {
	o.places, o.members = nil, nil
	o.root = o.copyOf(o.Root())
	n := o.root
	for _, step := range l {
		slot := step.Index
		if !step.IsIndex {
			n.Content = o.withoutMerge(n, step.Key)
			slot = memberIndex(n, step.Key) + 1
		}
		n.Content[slot] = o.copyOf(n.Content[slot])
		n = n.Content[slot]
	}
	return n
}

// copyOf returns n itself where it is a copy already, and else a copy whose
// content can be changed. An alias gives way to a copy of what it names.
func (o *Object) copyOf(n *yaml.Node) *yaml.Node {
	if _, ok := o.origins[n]; ok {
		return n
	}
	if o.origins == nil {
		o.origins = originMaps.Get().(map[*yaml.Node]*yaml.Node)
	}
	c := o.newCopy(n)
	o.origins[c] = n
	return c
}

func (o *Object) newCopy(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return copyOfAlias(n)
	}
	if o.memory != nil {
		return o.memory.Copy(n)
	}
	c := *n
	c.Content = slices.Clone(n.Content)
	return &c
}

// originMaps hold empty maps for Object.origins.
var originMaps = sync.Pool{New: func() any { return map[*yaml.Node]*yaml.Node{} }}

// maxOrigins is the size up to which a map is kept for other objects.
const maxOrigins = 64

// dropOrigins gives up which node was copied from which.
func (o *Object) dropOrigins() {
	if o.origins != nil && len(o.origins) <= maxOrigins {
		clear(o.origins)
		originMaps.Put(o.origins)
	}
	o.origins = nil
}

// withoutMerge returns the members of the map n; where key comes in by a merge
// key, the members that the merge keys bring in stand there themselves.
func (o *Object) withoutMerge(n *yaml.Node, key string) []*yaml.Node {
	if memberIndex(n, key) >= 0 {
		return n.Content
	}
	own := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !tree.IsMergeKey(n.Content[i]) {
			own[tree.Deref(n.Content[i]).Value] = i
		}
	}
	var members []*yaml.Node
	for k, v := range tree.Entries(n) {
		if i, ok := own[k]; ok {
			members = append(members, n.Content[i], v)
			continue
		}
		members = append(members, tree.NewString(k), tree.Copy(v))
	}
	return members
}

// memberIndex returns the index of the key node in the content of the map n,
// or -1. Members that a merge key brings in are not n's own.
func memberIndex(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := tree.Deref(n.Content[i]); k.Value == key && !tree.IsMergeKey(n.Content[i]) {
			return i
		}
	}
	return -1
}

// Reformatted says why the text that Text or Settle made was written anew as a
// whole; "" where the text that came in was edited in place, or there was none.
// JSON is on one line then.
func (o *Object) Reformatted() string {
	if o.detached && o.Changed() {
		return "items of its list name each other's anchors, or the list is in flow style"
	}
	return o.reformatted
}

// Text returns the object's text, complete lines in the format it came in; JSON
// that was created is on one line.
// Text that no edit has touched comes out byte for byte.
func (o *Object) Text() ([]byte, error) {
	pieces, err := o.Pieces()
	if err != nil {
		return nil, err
	}
	if len(pieces) == 1 {
		return pieces[0], nil
	}
	return bytes.Join(pieces, nil), nil
}

// Pieces returns Text in at least one piece, which saves the memory for those
// that no edit has touched.
func (o *Object) Pieces() ([][]byte, error) {
	if o.settled != nil && !o.hasEdits() {
		return o.settled, nil
	}
	if o.text != nil && !o.hasEdits() {
		return [][]byte{o.text}, nil
	}
	if o.knownComments == nil {
		return o.edited()
	}
	text, err := o.written()
	return [][]byte{text}, err
}

// written returns the text with all edits and the comments.
func (o *Object) written() ([]byte, error) {
	text := o.base()
	if text == nil || o.root != o.original {
		pieces, err := o.edited()
		if err != nil {
			return nil, err
		}
		text = bytes.Join(pieces, nil)
	}
	return o.commented(text)
}

// scratches hold the texts that are only proved.
var scratches = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// edited returns the text, in pieces, with all edits but the comments.
func (o *Object) edited() ([][]byte, error) {
	root := o.withoutStaleAliases()
	why := ""
	if o.base() != nil && !o.detached {
		if pieces, ok := o.spliced(root); ok {
			return pieces, nil
		}
		r := repair{object: o, root: root, budget: max(maxProved, 2*len(o.base()))}
		pieces, reason := r.pieces()
		if pieces != nil {
			return pieces, nil
		}
		why = reason
	}
	text, err := o.emitted(root)
	if err == nil {
		o.reformatted = why
	}
	return [][]byte{text}, err
}

// provedPieces is proved for a text in pieces.
func (o *Object) provedPieces(pieces [][]byte, root *yaml.Node) bool {
	scratch := scratches.Get().(*bytes.Buffer)
	defer scratches.Put(scratch)
	scratch.Reset()
	for _, piece := range pieces {
		scratch.Write(piece)
	}
	return o.proved(scratch.Bytes(), root)
}

// proved tells whether text parses to the same data as root. The text must not
// change meanwhile.
func (o *Object) proved(text []byte, root *yaml.Node) bool {
	memory := tree.NewMemory()
	defer memory.Free()
	parsed, err := o.parse(text, memory)
	return err == nil && tree.Same(parsed, root)
}

// JSONDepth is how many objects and arrays an item of a JSON list stands in: the
// list and its items.
const JSONDepth = 2

// parse parses text that is in the object's format.
func (o *Object) parse(text []byte, memory *tree.Memory) (*yaml.Node, error) {
	if o.format == jsonText {
		return memory.ParseJSON(text, o.jsonDepth)
	}
	parsed, err := memory.Parse(text)
	if err != nil || o.format != listItem {
		return parsed, err
	}
	if !tree.IsList(parsed) || len(parsed.Content) != 1 {
		return nil, &tree.SyntaxError{Line: 1, Reason: "one list element must stand here"}
	}
	return parsed.Content[0], nil
}
