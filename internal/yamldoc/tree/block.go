package tree

import (
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
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
	pos       int // offset of the next byte
	line      int // line of pos, from 1
	lineStart int // offset of that line
	// indent is the column, from 0, of the content at which nextContent stopped; -1 at the end of
	// the text and at a document marker.
	indent int
	depth  int
	// flowLine is the line of the outermost flow collection that is not complete; 0 for none.
	flowLine int
	// anchors has the last node of each anchor; nil for one that is not complete.
	anchors  map[string]*Node
	hasAlias bool
	// open holds the children of the collections that are not complete yet.
	open []*Node
	// scratch is memory in which scalars are put together.
	scratch []byte
	slab    *slab
	// limit bounds the nodes of the slab.
	limit int
}

// readers pools readers for their memory.
var readers = sync.Pool{New: func() any { return new(reader) }}

// read reads a text with one document into nodes of the slab, which has limit of them at the most.
// If it can't, it returns nil and the line up to which the text is valid.
func read(text string, memory *slab, limit int) (root *Node, stopped int) {
	if !isUsual(text) {
		return nil, 1
	}
	r := readers.Get().(*reader)
	defer readers.Put(r)
	*r = reader{text: text, line: 1, open: r.open[:0], scratch: r.scratch, slab: memory, limit: limit}
	root = r.root()
	if root == nil && r.flowLine > 0 {
		return nil, r.flowLine
	}
	return root, r.line
}

// root reads the collection that is the whole text, with document markers before and behind it.
func (r *reader) root() *Node {
	if strings.HasPrefix(r.text, lines.ByteOrderMark) {
		r.pos = len(lines.ByteOrderMark)
		r.lineStart = r.pos
	}
	if !r.nextContent() {
		return nil
	}
	for strings.HasPrefix(r.text[r.pos:], "---") && r.indent < 0 {
		if !r.skipMarker() {
			return nil
		}
	}
	if r.indent < 0 {
		return nil
	}
	n := r.below(-1)
	for n != nil && r.indent < 0 && r.pos < len(r.text) {
		if !r.skipMarker() {
			return nil
		}
	}
	if n == nil || r.indent >= 0 || r.hasAlias && checkLimits(n, true) != nil {
		return nil
	}
	return n
}

// skipMarker advances from a document marker to the next content. Only a comment may be behind it
// on its line.
func (r *reader) skipMarker() bool {
	r.pos += len("---")
	return r.endLine()
}

// list reads the block list whose first dash is at pos, in column indent.
func (r *reader) list(indent int) *Node {
	if r.depth++; r.depth > MaxDepth {
		return nil
	}
	n := r.node(SequenceNode, ListTag, r.pos)
	first := len(r.open)
	for {
		r.pos++
		element := r.child(indent, true)
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

// mapping reads the block map in column indent that begins at an offset, and whose first key has
// just been read.
func (r *reader) mapping(start, indent int, key *Node) *Node {
	if r.depth++; r.depth > MaxDepth {
		return nil
	}
	first := len(r.open)
	n := r.node(MappingNode, MapTag, start)
	n.line = key.line
	var keys KeyTable
	for {
		isExplicit := IsExplicit(r.text, key)
		if key.Line() != r.line && !isExplicit {
			r.line = key.Line()
			return nil
		}
		if !r.atColon() || r.pos-r.lineStart-indent > maxKeyLength {
			return nil
		}
		if name := Deref(key); name.Kind != ScalarNode || keys.Index(r.open[first:], name.text) >= 0 {
			return nil
		}
		r.pos++
		r.open = append(r.open, key)
		value := r.child(indent, isExplicit)
		if value == nil {
			return nil
		}
		r.open = append(r.open, value)
		if key.Tag == MergeTag && checkMerge(value) != nil {
			return nil
		}
		if r.indent != indent {
			break
		}
		if key = r.mapKey(indent); key == nil {
			return nil
		}
	}
	return r.closeBlock(n, indent, first)
}

// mapKey reads a key of the block map in column indent, and advances to its colon, which is on the
// next line if a question mark is before the key.
func (r *reader) mapKey(indent int) *Node {
	if !strings.HasPrefix(r.text[r.pos:], "? ") {
		return r.key()
	}
	if r.pos += len("? "); r.pos == len(r.text) {
		return nil
	}
	key := r.key()
	if key == nil || !IsExplicit(r.text, key) || !r.endLine() || r.indent != indent || !r.atColon() {
		return nil
	}
	return key
}

// IsExplicit tells whether a question mark is before the key of a block map.
func IsExplicit(text string, key *Node) bool {
	return strings.HasSuffix(text[:key.Start()], "? ")
}

// closeBlock sets the children of n from first on. The next content must not be deeper than the
// block: that would be a scalar's second line, or an error.
func (r *reader) closeBlock(n *Node, indent, first int) *Node {
	if r.indent > indent {
		return nil
	}
	n.end = r.open[len(r.open)-1].end
	r.close(n, first)
	return n
}

func (r *reader) close(n *Node, first int) {
	n.Content = r.slab.list(r.open[first:])
	r.open = r.open[:first]
	r.depth--
}

// child reads the value behind the colon or the dash before pos, in the map or list in column
// indent. Behind the colon of a key with a question mark is what is also behind a dash.
func (r *reader) child(indent int, inList bool) *Node {
	line, behind := r.line, r.pos
	if r.skipSpaces(); !inList { // a tab behind a dash would be indentation
		r.skipBlanks()
	}
	switch {
	case inList && r.atDash():
		return r.list(r.pos - r.lineStart)
	case !r.atLineEnd():
		return r.content(indent, inList)
	case !r.endLine():
		return nil
	case r.indent > indent:
		return r.below(indent)
	case r.indent == indent && !inList && r.atDash():
		return r.list(indent)
	}
	return r.null(line, behind)
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
	var n *Node
	switch r.text[r.pos] {
	case '|', '>':
		return r.blockScalar(indent)
	case '&', '!':
		return r.withProperties(indent, mapAllowed)
	case '[', '{':
		n = r.flow()
	default:
		if start := r.pos; !mapAllowed {
			n = r.key()
		} else if n = r.mapKey(column); n != nil && r.atColon() {
			return r.mapping(start, column, n)
		}
	}
	if n == nil {
		return nil
	}
	if !r.atEnd() {
		r.line = line
		return nil
	}
	if !r.nextContent() {
		return nil
	}
	if r.indent > indent && n.Kind == ScalarNode && n.Style == 0 {
		return r.plainLines(n, indent)
	}
	return n
}

// key reads a scalar or an alias, and the blanks behind it.
func (r *reader) key() *Node {
	var n *Node
	if r.text[r.pos] == '*' {
		n = r.alias()
	} else {
		n = r.scalar(false)
	}
	r.skipBlanks()
	return n
}

// scalar reads a plain or quoted scalar; pos is then behind it.
func (r *reader) scalar(inFlow bool) *Node {
	if r.text[r.pos] == '"' || r.text[r.pos] == '\'' {
		return r.quoted()
	}
	return r.plain(inFlow)
}

// endLine advances from the end of a value to the next line with content. Only a comment may be in
// between.
func (r *reader) endLine() bool {
	return r.atEnd() && r.nextContent()
}

// atEnd skips blanks and a comment, and tells whether the line ends there.
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
			if r.indent = r.pos - r.lineStart; r.indent == 0 && isDocumentMarker(r.text[r.pos:]) {
				r.indent = -1
			}
			return r.slab.made <= r.limit
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

// skipLineComment skips blanks and the comment behind them.
func (r *reader) skipLineComment() {
	r.skipBlanks()
	if r.pos < len(r.text) && r.text[r.pos] == '#' && isBlank(r.text[r.pos-1]) {
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

func (r *reader) skipSpaces() { r.pos = behindSpaces(r.text, r.pos) }

func (r *reader) skipBlanks() {
	for r.pos < len(r.text) && isBlank(r.text[r.pos]) {
		r.pos++
	}
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

// isBreakAt tells whether a blank, a line break or the end of the text is at i.
func (r *reader) isBreakAt(i int) bool {
	return i >= len(r.text) || isBlank(r.text[i]) || r.text[i] == '\n'
}

// isDocumentMarker tells whether a line begins with a document marker.
func isDocumentMarker(line string) bool {
	return (strings.HasPrefix(line, "---") || strings.HasPrefix(line, "...")) &&
		(len(line) == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\n')
}

// countLines counts the line breaks from an offset to pos.
func (r *reader) countLines(from int) {
	if i := strings.LastIndexByte(r.text[from:r.pos], '\n'); i >= 0 {
		r.line += strings.Count(r.text[from:r.pos], "\n")
		r.lineStart = from + i + 1
	}
}

// node returns a node that begins at an offset of the current line.
func (r *reader) node(kind Kind, tag Tag, start int) *Node {
	n := r.slab.node(r.pos, len(r.text))
	n.Kind, n.Tag, n.start, n.line = kind, tag, int32(start), int32(r.line)
	return n
}

// null returns the node of an omitted value, whose place is behind its key or dash.
func (r *reader) null(line, behind int) *Node {
	n := r.node(ScalarNode, NullTag, behind)
	n.line, n.end = int32(line), n.start
	return n
}
