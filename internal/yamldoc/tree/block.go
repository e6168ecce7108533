package tree

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// maxKeyLength is the length, in bytes, of the longest key that the reader supports. YAML allows
// 1,024 characters (YAML 1.2.2, section 7.4.2); yaml.v3 reads longer ones.
const maxKeyLength = 1000

// reader reads the part of YAML that people and programs write: block maps and lists, flow
// collections, scalars of every style, anchors, aliases, merge keys, comments. It makes the nodes
// that yaml.v3 makes, as Node, without the comments, at a tenth of the cost.
//
// At the first text that it does not support, a method returns nil (or false), which ends the
// reading. Then yaml.v3 reads the text, which may be invalid or only unusual.
type reader struct {
	text      string
	ascii     bool
	pos       int // offset of the next byte
	line      int // line of pos, from 1
	lineStart int // offset of that line
	// indent is the column, from 0, of the content at which nextContent stopped; -1 at the end of
	// the text.
	indent int
	depth  int
	// parent is the column of the block collection around the value that is read.
	parent int
	// flowLine is the line of the outermost flow collection that is not complete; 0 for none.
	flowLine int
	// notSimple and hasAnchor: see form.
	notSimple, hasAnchor bool
	// anchors has the last node of each anchor; nil for one that is not complete.
	anchors  map[string]*Node
	hasAlias bool
	// open holds the children of the collections that are not complete yet.
	open []*Node
	// headDepth is the depth of the object of which only the head is read; 0 for none.
	headDepth int
	skim      skim
	// scratch is memory in which scalars are put together.
	scratch []byte
	slab    *slab
	// limit bounds the nodes of the slab.
	limit int
}

// form is what a text is made of: see Memory.IsSimple, Memory.HasAnchors and Memory.IsASCII.
type form struct{ simple, anchors, ascii bool }

// readBlock reads a text with one block map or list, nested in so many others, into nodes of the
// slab. If it can't, it returns nil and the line up to which the text is valid.
func readBlock(text string, memory *slab, depth int) (root *Node, stopped int, of form) {
	ascii, ok := scanBytes(text)
	if !ok {
		return nil, 1, form{}
	}
	r := newReader(text, ascii, memory)
	defer r.free()
	r.depth = depth
	root = r.root()
	if root == nil && r.flowLine > 0 {
		return nil, r.flowLine, form{}
	}
	return root, r.line, form{simple: root != nil && !r.notSimple, anchors: r.hasAnchor, ascii: ascii}
}

func newReader(text string, ascii bool, memory *slab) *reader {
	r := readers.Get().(*reader)
	*r = reader{
		text: text, ascii: ascii, line: 1, open: r.open, anchors: r.anchors, scratch: r.scratch, slab: memory,
		skim: skim{keys: r.skim.keys}, limit: memory.made + maxNodes(len(text)),
	}
	return r
}

// root reads the block collection that is the whole text.
func (r *reader) root() *Node {
	if !r.nextContent() || r.indent < 0 {
		return nil
	}
	n := r.collection(r.indent)
	if n == nil || r.indent >= 0 || r.hasAlias && checkAliases(n) != nil {
		return nil
	}
	return n
}

// readers pools readers for the memory of their open children.
var readers = sync.Pool{New: func() any { return &reader{open: make([]*Node, 0, 256)} }}

// maxOpen bounds the children for which a reader keeps memory; a list of a million elements is
// rare.
const maxOpen = 4096

// maxScratch bounds the memory that a reader keeps for scalars, in bytes.
const maxScratch = 64 << 10

// free returns the reader to the pool without its nodes.
func (r *reader) free() {
	if cap(r.open) > maxOpen || len(r.anchors) > maxOpen || cap(r.scratch) > maxScratch {
		return
	}
	clear(r.open[:cap(r.open)])
	clear(r.anchors)
	r.skim.clear()
	*r = reader{open: r.open[:0], anchors: r.anchors, scratch: r.scratch, skim: skim{keys: r.skim.keys}}
	readers.Put(r)
}

// collection reads the block map or list that begins at pos, in column indent.
func (r *reader) collection(indent int) *Node {
	if r.atDash() {
		return r.list(indent)
	}
	if key := r.scalar(); key != nil {
		return r.mapping(indent, key)
	}
	return nil
}

// list reads the block list whose first dash is at pos, in column indent.
func (r *reader) list(indent int) *Node {
	if r.depth++; r.depth > maxDepth {
		return nil
	}
	n := r.node(SequenceNode, ListTag, r.pos)
	first := len(r.open)
	for {
		element := r.element(indent)
		if element == nil {
			return nil
		}
		r.open = append(r.open, element)
		if r.indent != indent || !r.atDash() {
			break
		}
	}
	return r.closeBlock(n, indent, first)
}

// mapping reads the block map in column indent whose first key has just been read.
func (r *reader) mapping(indent int, key *Node) *Node {
	if r.depth++; r.depth > maxDepth {
		return nil
	}
	first, keysOpen := len(r.open), r.skim.open
	if key = r.kept(key); key == nil {
		return nil
	}
	n := r.newNode()
	n.Kind, n.Tag, n.line, n.column = MappingNode, MapTag, key.line, key.column
	var keys KeyTable
	for {
		if key.Line() != r.line {
			r.line = key.Line()
			return nil
		}
		if !r.atColon() || r.pos-r.lineStart-indent > maxKeyLength {
			return nil
		}
		if keys.Index(r.open[first:], key.text) >= 0 {
			return nil
		}
		r.pos++
		r.open = append(r.open, key)
		value := r.member(key.text, indent)
		if value == nil {
			return nil
		}
		r.open = append(r.open, value)
		if key.Tag == MergeTag && !r.isMerge(value) {
			return nil
		}
		if r.indent != indent {
			break
		}
		if key = r.scalar(); key == nil {
			return nil
		}
		if key = r.kept(key); key == nil {
			return nil
		}
	}
	r.skim.open = keysOpen
	return r.closeBlock(n, indent, first)
}

// isMerge tells whether a merge key may have a value.
func (r *reader) isMerge(value *Node) bool {
	r.notSimple = true
	return !r.skim.on && checkMerge(value) == nil
}

// closeBlock sets the children of n from first on. The next content must not be deeper than the
// block: that would be a scalar's second line, or an error.
func (r *reader) closeBlock(n *Node, indent, first int) *Node {
	if r.indent > indent {
		return nil
	}
	r.close(n, first)
	return n
}

func (r *reader) close(n *Node, first int) {
	if r.skim.on {
		n.Kind = SequenceNode // its children have used the node
	} else {
		n.Content = r.slab.list(r.open[first:])
	}
	r.open = r.open[:first]
	r.depth--
}

// value reads the value of a key in the map in column indent; pos is behind the colon.
func (r *reader) value(indent int) *Node {
	line, behind := r.line, r.pos
	r.skipSpaces()
	if !r.atLineEnd() {
		return r.content(indent, false)
	}
	column := r.column(behind)
	if !r.endLine() {
		return nil
	}
	if r.indent > indent {
		return r.below(indent)
	}
	if r.indent == indent && r.atDash() {
		return r.list(indent)
	}
	return r.null(line, column)
}

// element reads one element of the list in column indent; pos is at its dash.
func (r *reader) element(indent int) *Node {
	r.pos++
	line, behind := r.line, r.pos
	r.skipSpaces()
	if r.atDash() {
		return r.list(r.pos - r.lineStart)
	}
	if !r.atLineEnd() {
		return r.content(indent, true)
	}
	column := r.column(behind)
	if !r.endLine() {
		return nil
	}
	if r.indent > indent {
		return r.below(indent)
	}
	return r.null(line, column)
}

// below reads the value on the lines below its key or dash, inside the block collection in column
// indent.
func (r *reader) below(indent int) *Node {
	if r.atDash() {
		return r.list(r.indent)
	}
	return r.content(indent, true)
}

// content reads the value at pos, inside the block collection in column indent, and advances to the
// next line with content. A map may begin here as the element of a list, or on a line of its own.
func (r *reader) content(indent int, mapAllowed bool) *Node {
	column, line := r.pos-r.lineStart, r.line
	r.parent = indent
	var n *Node
	switch r.text[r.pos] {
	case '|', '>':
		return r.blockScalar(indent)
	case '&':
		return r.anchored(indent, mapAllowed)
	case '*':
		n = r.alias()
	case '[', '{':
		n = r.flow()
	default:
		n = r.scalar()
		if n != nil && mapAllowed && r.atColon() {
			return r.mapping(column, n)
		}
	}
	if n == nil {
		return nil
	}
	end := r.pos
	if !r.atEnd() {
		r.line = line
		return nil
	}
	if !r.nextContent() {
		return nil
	}
	if r.indent > indent && n.Kind == ScalarNode && n.Style == 0 {
		return r.plainLines(n, end, indent)
	}
	return n
}

// scalar reads a plain or quoted scalar outside flow collections; pos is then behind it.
func (r *reader) scalar() *Node {
	switch r.text[r.pos] {
	case '"':
		return r.doubleQuoted()
	case '\'':
		return r.singleQuoted()
	}
	return r.plain()
}

// endLine advances from the end of a value to the next line with content. Only a comment may be in
// between.
func (r *reader) endLine() bool {
	return r.atEnd() && r.nextContent()
}

// atEnd skips spaces and a comment, and tells whether the line ends there.
func (r *reader) atEnd() bool {
	r.skipLineComment()
	return r.pos == len(r.text) || r.text[r.pos] == '\n'
}

// nextContent advances from the start or the end of a line to the first content from there on.
func (r *reader) nextContent() bool {
	for r.pos < len(r.text) {
		if r.pos = behindSpaces(r.text, r.pos); r.pos == len(r.text) {
			break
		}
		switch r.text[r.pos] {
		case '\n':
			r.newLine()
		case '#':
			r.skipComment()
		case '\t':
			return false
		default:
			r.indent = r.pos - r.lineStart
			return r.slab.made <= r.limit && (r.indent > 0 || !isDocumentMarker(r.text[r.pos:]))
		}
	}
	r.indent = -1
	return true
}

// newLine skips the line break at pos, if there is one.
func (r *reader) newLine() {
	if r.pos == len(r.text) {
		return
	}
	r.pos++
	r.line++
	r.lineStart = r.pos
}

// skipLineComment skips spaces and the comment behind them.
func (r *reader) skipLineComment() {
	r.skipSpaces()
	if r.pos < len(r.text) && r.text[r.pos] == '#' && r.text[r.pos-1] == ' ' {
		r.skipComment()
	}
}

func (r *reader) skipComment() {
	if i := strings.IndexByte(r.text[r.pos:], '\n'); i >= 0 {
		r.pos += i
		return
	}
	r.pos = len(r.text)
}

// skipSpaces skips what is mostly one space, for which behindSpaces is slower.
func (r *reader) skipSpaces() {
	text, pos := r.text, r.pos
	for pos < len(text) && text[pos] == ' ' {
		pos++
	}
	r.pos = pos
}

// atLineEnd tells whether the rest of the line has at most a comment. It is called behind a space.
func (r *reader) atLineEnd() bool {
	return r.pos == len(r.text) || r.text[r.pos] == '\n' || r.text[r.pos] == '#'
}

func (r *reader) atDash() bool { return r.atIndicator('-') }

func (r *reader) atColon() bool { return r.atIndicator(':') }

func (r *reader) atIndicator(c byte) bool {
	return r.pos < len(r.text) && r.text[r.pos] == c && r.isBreakAt(r.pos+1)
}

// isBreakAt tells whether a space, a line break or the end of the text is at i.
func (r *reader) isBreakAt(i int) bool {
	return i >= len(r.text) || r.text[i] == ' ' || r.text[i] == '\n'
}

// isDocumentMarker tells whether a line starts like a document marker.
func isDocumentMarker(line string) bool {
	return strings.HasPrefix(line, "---") || strings.HasPrefix(line, "...")
}

// column returns the column of the offset i of the current line as yaml.v3 counts it: in
// characters, from 1.
func (r *reader) column(i int) int {
	if r.ascii {
		return i - r.lineStart + 1
	}
	return utf8.RuneCountInString(r.text[r.lineStart:i]) + 1
}

// built returns the string that was put together in scratch.
func (r *reader) built(scratch []byte) string {
	r.scratch = scratch
	return string(scratch)
}

// node returns a node that begins at the offset i of the current line.
func (r *reader) node(kind Kind, tag Tag, i int) *Node {
	n := r.newNode()
	n.Kind, n.Tag = kind, tag
	n.setPlace(r.line, r.column(i))
	return n
}

// newNode returns an empty node, except that skimmed text has only one.
func (r *reader) newNode() *Node {
	if !r.skim.on {
		return r.slab.node(r.pos, len(r.text))
	}
	r.slab.made++
	r.skim.node.Style = 0 // no anchors or aliases, and nothing else is looked at before it is set
	return &r.skim.node
}

// null returns the node of an omitted value.
func (r *reader) null(line, column int) *Node {
	n := r.newNode()
	n.Kind, n.Tag = ScalarNode, NullTag
	n.setPlace(line, column)
	return n
}
