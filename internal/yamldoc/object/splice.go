package object

import (
	"bytes"
	"sort"
	"sync"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// splicer converts the difference between the input tree and the edited one to splices of the text.
// It gives up, with ok false, on anything that it does not support; the caller verifies the
// splices.
type splicer struct {
	lines
	origins map[*tree.Node]*tree.Node
	style   style
	splices []splice
	// entries and steps are those of the current collections, the outer ones first.
	entries []entry
	steps   []step
	// touched are the originals of edited nodes, and flows the flow collections among them, whose
	// entries are in allParts; they are valid if knowsTouched is true.
	touched             map[*tree.Node]bool
	flows               map[*tree.Node]flowCollection
	knowsTouched        bool
	allParts, freeParts []flowEntry
	// json is true if the text is JSON, isSpaced if blanks follow its colons.
	json, isSpaced bool
	// crlf is true if the lines end with CRLF.
	crlf bool
	// keeps is true if a block scalar keeps the line breaks behind it, valid if keepsKnown is true.
	keeps, keepsKnown bool
	// object is the object, current the current collection, blamed the one at which the splicer
	// gave up, and again those to be rewritten.
	object          *Object
	current, blamed *tree.Node
	anew            map[*tree.Node]rewriteLevel
	ok              bool
}

// splicers pools splicers for the memory of their slices.
var splicers = sync.Pool{New: func() any { return new(splicer) }}

// maxKept bounds what a splicer that is reused has of anything else than lines, of which it has
// maxKeptLines.
const (
	maxKept      = 1000
	maxKeptLines = 1 << 16
)

// newSplicer returns a splicer for the object; release returns it to the pool.
func newSplicer(o *Object) *splicer {
	s := splicers.Get().(*splicer)
	isSimple := o.isSimple()
	s.read(o.base(), !isSimple && hasRareBreaks(o.base()))
	s.ascii = isSimple && o.memory.IsASCII()
	s.object, s.origins, s.style, s.ok = o, o.origins, styleOf(o.original), true
	s.json = o.format == jsonText
	s.isSpaced = s.json && bytes.Contains(s.text, []byte(`": `))
	first := bytes.IndexByte(s.text, '\n')
	s.crlf = first > 0 && s.text[first-1] == '\r'
	return s
}

func (s *splicer) release() {
	if len(s.starts) > maxKeptLines || len(s.splices) > maxKept || len(s.touched) > maxKept || len(s.allParts) > maxKept {
		return
	}
	clear(s.splices)
	clear(s.touched)
	clear(s.flows)
	clear(s.allParts[:len(s.allParts)-len(s.freeParts)])
	clear(s.entries[:cap(s.entries)])
	clear(s.steps[:cap(s.steps)])
	*s = splicer{
		lines: lines{starts: s.starts[:0]}, splices: s.splices[:0], entries: s.entries[:0], steps: s.steps[:0],
		touched: s.touched, flows: s.flows, allParts: s.allParts, freeParts: s.allParts,
	}
	splicers.Put(s)
}

// splice replaces the bytes from start to end.
type splice struct {
	start, end int
	text       []byte
}

// spliced calls use with the edits as splices of the text. It returns false if they are impossible,
// or fail verification.
func (o *Object) spliced(root *tree.Node, use func([]splice)) bool {
	s := newSplicer(o)
	defer s.release()
	if !s.make(o.original, root) {
		return false
	}
	ok := o.isSimple() && s.verifyEntries(o.original, root) || o.verifyWritten(root, func(out *bytes.Buffer) {
		s.write(out, 0, len(s.text), s.splices)
	})
	if ok {
		use(s.splices)
	}
	return ok
}

// isSimple tells whether the text of Original is known to be simple, see tree.Memory.IsSimple.
func (o *Object) isSimple() bool {
	return o.format != jsonText && o.memory != nil && o.memory.IsSimple()
}

// write writes the text from start to end with splices.
func (s *splicer) write(out *bytes.Buffer, start, end int, splices []splice) {
	at := start
	for _, p := range splices {
		out.Write(s.text[at:p.start])
		out.Write(p.text)
		at = p.end
	}
	out.Write(s.text[at:end])
}

// make makes the splices, sorted and disjoint. It returns false if it can't.
func (s *splicer) make(old, edited *tree.Node) bool {
	s.root(old, edited)
	if !s.ok {
		return false
	}
	before := func(i, j int) bool { return s.splices[i].start < s.splices[j].start }
	if !sort.SliceIsSorted(s.splices, before) { // SliceStable allocates
		sort.SliceStable(s.splices, before)
	}
	return s.areApart()
}

// pieces returns the text with the splices, which are sorted and apart.
func (s *splicer) pieces() [][]byte { return piecesOf(s.text, s.splices) }

// piecesOf returns a text with splices, which are sorted and apart.
func piecesOf(text []byte, splices []splice) [][]byte {
	pieces := make([][]byte, 0, 2*len(splices)+1)
	at := 0
	for _, p := range splices {
		pieces = append(pieces, text[at:p.start], p.text)
		at = p.end
	}
	return append(pieces, text[at:])
}

// areApart tells whether the splices, which are sorted, are disjoint.
func (s *splicer) areApart() bool {
	for i := 1; i < len(s.splices); i++ {
		if s.splices[i].start < s.splices[i-1].end {
			return false
		}
	}
	return true
}

func (s *splicer) replace(start, end int, text []byte) {
	if start == end && len(text) == 0 {
		return
	}
	if s.crlf {
		text = bytes.ReplaceAll(text, []byte{'\n'}, []byte("\r\n"))
	}
	s.splices = append(s.splices, splice{start: start, end: end, text: text})
}

// giveUp records that the current collection can't be spliced.
func (s *splicer) giveUp() {
	if s.ok {
		s.ok, s.blamed = false, s.current
	}
}

// isEditOf tells whether edited is old or an edited copy of it.
func (s *splicer) isEditOf(edited, old *tree.Node) bool {
	return edited == old || s.origins[edited] == old
}

// root splices the whole object.
func (s *splicer) root(old, edited *tree.Node) {
	s.current = old
	isEdit := isCollection(old) && s.isEditOf(edited, old) && s.anyStays(old, edited)
	switch {
	case !isEdit:
		s.replaceRoot(old, edited)
	case isBlockCollection(old):
		s.collection(old, edited)
	case !s.flow(s.rootStart(old), old, edited):
		s.giveUp()
	}
}

// rootStart is the offset of the root. Nodes of JSON have no columns.
func (s *splicer) rootStart(root *tree.Node) int {
	if s.json {
		return s.skipBlanks(len(s.text) - len(bytes.TrimPrefix(s.text, []byte("\ufeff"))))
	}
	return s.offset(root.Line(), root.Column())
}

// replaceRoot replaces a root of which nothing stays.
func (s *splicer) replaceRoot(old, edited *tree.Node) {
	start := s.rootStart(old)
	if !isBlockCollection(old) {
		end, ok := s.nodeEnd(start, old)
		text, isWritten := s.style.flowText(edited)
		if !ok || s.json || !isWritten {
			s.giveUp()
			return
		}
		s.replace(start, end, text)
		return
	}
	if old.Kind == tree.MappingNode {
		s.members(old)
	} else {
		s.elements(old)
	}
	if !s.ok {
		return
	}
	first, end := s.entries[0], s.end(s.entries[len(s.entries)-1])
	if at := s.offset(first.line, first.column); at > start { // behind an anchor or a tag, which stays
		bare := *edited
		bare.SetAnchor("")
		bare.Tag, bare.Style = tree.NoTag, bare.Style&^tree.TaggedStyle
		start, edited = at, &bare
	}
	text, err := s.style.encode(edited)
	if err != nil {
		s.giveUp()
		return
	}
	if !isBreak(s.text[end-1]) {
		text = bytes.TrimSuffix(text, []byte{'\n'})
	}
	s.replace(start, end, bytes.TrimLeft(indented(text, first.depth()), " "))
}
