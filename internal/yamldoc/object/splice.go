package object

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Splice replaces the bytes from Start to End of a text.
type Splice struct {
	Start, End int
	Text       []byte
}

// Spliced returns text with splices, which are sorted and apart.
func Spliced(text string, splices []Splice) string {
	return string(appendSpliced(nil, text, 0, splices))
}

// appendSpliced appends the text from an offset on with splices.
func appendSpliced(out []byte, text string, at int, splices []Splice) []byte {
	for _, p := range splices {
		out = append(append(out, text[at:p.Start]...), p.Text...)
		at = p.End
	}
	return append(out, text[at:]...)
}

// splicer converts the difference between the tree of a text and an edited one to splices of the
// text. A method that returns false could not; the caller verifies the splices.
type splicer struct {
	// text has no CR before a line break.
	text string
	// json is true if the text is JSON.
	json bool
	// kyaml is true if new entries of flow collections are written as KYAML.
	kyaml bool
	// origins, seats and strings are those of the object.
	origins, seats map[*tree.Node]*tree.Node
	strings        map[*tree.Node]stringEdit
	style          style
	// keeps is true if a block scalar may keep the line breaks behind it.
	keeps bool
	// byMember is true if top-level members that change are rewritten.
	byMember bool
	// rewritten are the top-level members that are rewritten, roughLine is the line of the first
	// for which one is.
	rewritten []string
	roughLine int
	splices   []Splice
	// room, steps and scratch are memory for entries, plans and texts, which is reused.
	room    []blockEntry
	steps   []editStep
	scratch []byte
	// line is the start of the line that goes on at least to lineTo.
	line, lineTo int
}

// splicers pools splicers for their memory.
var splicers = sync.Pool{New: func() any { return new(splicer) }}

// spliced returns the edits as splices of the text without CR, sorted and apart; if asked, with
// top-level members that change rewritten. It returns false if they are impossible, or fail
// verification.
func (o *Object) spliced(root *tree.Node, byMember bool) ([]Splice, bool) {
	if o.original.IsRough() || byMember && !isBlockCollection(o.original) {
		return nil, false
	}
	source := o.source()
	s := splicers.Get().(*splicer)
	defer splicers.Put(s)
	*s = splicer{
		splices: s.splices[:0], room: s.room[:0], steps: s.steps[:0], scratch: s.scratch,
		text: asString(source), json: o.format == jsonText, origins: o.origins, seats: o.seats, strings: o.strings,
		style: styleOf(source, o.original), byMember: byMember,
	}
	s.kyaml = !s.json && isKYAML(s.text, o.original)
	s.keeps = !s.json && strings.IndexByte(s.text, '+') >= 0 && s.hasKept(o.original)
	if !s.root(o.original, root) {
		return nil, false
	}
	slices.SortStableFunc(s.splices, func(a, b Splice) int { return a.Start - b.Start })
	for i := 1; i < len(s.splices); i++ {
		if s.splices[i].Start < s.splices[i-1].End {
			return nil, false
		}
	}
	if !s.holds(o, root) {
		return nil, false
	}
	if o.rewriting = nil; s.rewritten != nil {
		o.rewriting = o.rewritingAt(s.roughLine, s.rewritten...)
	}
	return slices.Clone(s.splices), true
}

// piecesOf returns a text with splices, which are sorted and apart.
func piecesOf(text []byte, splices []Splice) [][]byte {
	count := len(splices) + 1
	for _, p := range splices {
		count += min(len(p.Text), 1)
	}
	pieces := make([][]byte, 0, count)
	at := 0
	for _, p := range splices {
		if pieces = append(pieces, text[at:p.Start]); len(p.Text) > 0 {
			pieces = append(pieces, p.Text)
		}
		at = p.End
	}
	return append(pieces, text[at:])
}

func (s *splicer) replace(start, end int, text []byte) {
	if start != end || len(text) > 0 {
		s.splices = append(s.splices, Splice{Start: start, End: end, Text: text})
	}
}

// try runs do, and undoes its splices if it returns false.
func (s *splicer) try(do func() bool) bool {
	before := len(s.splices)
	if do() {
		return true
	}
	s.splices = s.splices[:before]
	return false
}

// isEditOf tells whether edited is old or an edited copy of it, of which an entry stays.
func (s *splicer) isEditOf(edited, old *tree.Node) bool {
	return isCollection(old) && (edited == old || s.origins[edited] == old) && s.anyStays(old, edited)
}

// root splices the whole object.
func (s *splicer) root(old, edited *tree.Node) bool {
	switch {
	case s.isEditOf(edited, old) && isBlockCollection(old):
		return s.collection(old, edited)
	case s.isEditOf(edited, old):
		return s.flow(old, edited)
	case isBlockCollection(old):
		return s.replaceBlock(old, edited)
	}
	text, ok := s.style.inlineText(edited, true)
	s.replace(old.Start(), old.End(), text)
	return ok && !s.json && old.Style&(tree.LiteralStyle|tree.FoldedStyle) == 0
}

// replaceBlock replaces a block collection that is the root, of which nothing stays.
func (s *splicer) replaceBlock(old, edited *tree.Node) bool {
	entries := s.entries(old)
	first, end := entries[0], s.end(entries[len(entries)-1])
	if len(edited.Content) == 0 && s.origins[edited] == old && s.beginsLine(first.start) { // comments that belong to no entry stay
		s.replace(s.head(first), s.end(first), s.asEnd([]byte(emptyText(edited)+"\n"), s.end(first)))
		for _, e := range entries[1:] {
			s.remove(e)
		}
		return true
	}
	if first.start > old.Start() { // an anchor or a tag, which stays
		bare := *edited
		bare.SetAnchor("")
		bare.Tag, bare.Style = tree.NoTag, bare.Style&^tree.TaggedStyle
		edited = &bare
	}
	text := s.style.encode(edited)
	text = bytes.TrimLeft(indented(text, s.depth(first)), " ")
	s.replace(first.start, end, s.asEnd(text, end))
	return true
}

// asEnd returns text without a line break at its end if it replaces what ends at the end of a text
// that has none.
func (s *splicer) asEnd(text []byte, end int) []byte {
	if end > 0 && s.text[end-1] != '\n' {
		return bytes.TrimSuffix(text, []byte{'\n'})
	}
	return text
}

// lineStart returns the offset of the line of an offset. It searches each part of a long line once.
func (s *splicer) lineStart(at int) int {
	if at < s.line {
		s.line, s.lineTo = 0, 0
	}
	if at > s.lineTo {
		if i := strings.LastIndexByte(s.text[s.lineTo:at], '\n'); i >= 0 {
			s.line = s.lineTo + i + 1
		}
		s.lineTo = at
	}
	if s.line == 0 && strings.HasPrefix(s.text, lines.ByteOrderMark) {
		return len(lines.ByteOrderMark)
	}
	return s.line
}

// lineEnd returns the offset of the line break at or behind an offset.
func (s *splicer) lineEnd(at int) int {
	if i := strings.IndexByte(s.text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(s.text)
}

// nextLine returns the offset behind the line of an offset.
func (s *splicer) nextLine(at int) int { return min(s.lineEnd(at)+1, len(s.text)) }

// column returns the number of bytes before an offset on its line.
func (s *splicer) column(at int) int { return at - s.lineStart(at) }

// beginsLine tells whether only blanks are before an offset on its line.
func (s *splicer) beginsLine(at int) bool { return isBlank(s.text[s.lineStart(at):at]) }

// rest returns the text from an offset to the end of its line, without blanks before it.
func (s *splicer) rest(at int) string { return strings.TrimLeft(s.text[at:s.lineEnd(at)], " \t") }

// onOneLine tells whether no line break is between two offsets.
func (s *splicer) onOneLine(start, end int) bool {
	return strings.IndexByte(s.text[start:end], '\n') < 0
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// indent returns the number of spaces that a line begins with.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// chomping returns the chomping indicator of a block scalar; 0 for none.
func (s *splicer) chomping(n *tree.Node) byte {
	header := s.text[tree.ContentStart(s.text, n)+1:]
	if i := strings.IndexAny(header[:min(2, len(header))], "+-"); i >= 0 {
		return header[i]
	}
	return 0
}

// keepsBreaks tells whether n is a block scalar that contains all line breaks behind it.
func (s *splicer) keepsBreaks(n *tree.Node) bool { return isBlockScalar(n) && s.chomping(n) == '+' }

// hasKept tells whether a scalar in n keeps its line breaks.
func (s *splicer) hasKept(n *tree.Node) bool {
	return s.keepsBreaks(n) || slices.ContainsFunc(n.Content, s.hasKept)
}

func isBlockScalar(n *tree.Node) bool {
	return n.Kind == tree.ScalarNode && n.Style&(tree.LiteralStyle|tree.FoldedStyle) != 0
}

func isCollection(n *tree.Node) bool {
	return n.Kind == tree.MappingNode || n.Kind == tree.SequenceNode
}

func isBlockCollection(n *tree.Node) bool {
	return isCollection(n) && n.Style&tree.FlowStyle == 0 && len(n.Content) > 0
}

// lastOf returns the last scalar, alias or flow collection in n.
func lastOf(n *tree.Node) *tree.Node {
	for isBlockCollection(n) {
		n = n.Content[len(n.Content)-1]
	}
	return n
}

// Closed returns YAML text that keeps its data if a line break and more text follow it: else a
// block scalar at its end would gain the line break.
func Closed(text []byte) []byte {
	if len(text) == 0 || text[len(text)-1] == '\n' || text[len(text)-1] == '\r' {
		return text
	}
	lf := lines.WithoutCR(text)
	root, err := tree.Parse(lf)
	if err != nil || root == nil || root.End() == 0 {
		return text
	}
	s := splicer{text: string(lf)}
	s.closeBlockScalar(root)
	return bytes.Join(piecesOf(text, withCR(text, s.splices)), nil)
}

// closeBlockScalar adds `-` to the header of a block scalar that ends a text without a line break,
// so that a line break behind it does not change its value.
func (s *splicer) closeBlockScalar(n *tree.Node) {
	if n = lastOf(n); !isBlockScalar(n) {
		return
	}
	at := tree.ContentStart(s.text, n) + 1
	rest := strings.TrimLeft(s.text[at:], "+-0123456789")
	end := len(s.text) - len(rest)
	s.replace(at, end, []byte("-"+strings.Trim(s.text[at:end], "+-")))
}

// withCR converts splices of a text without the CR of each CRLF, which are sorted and apart, to
// splices of the text. New lines end as its first one.
func withCR(text []byte, splices []Splice) []Splice {
	if bytes.IndexByte(text, '\r') < 0 {
		return splices
	}
	at, removed := 0, 0
	place := func(offset int) int {
		for {
			i := bytes.Index(text[at:], []byte("\r\n"))
			if i < 0 || at+i-removed >= offset {
				return offset + removed
			}
			at += i + len("\r\n")
			removed++
		}
	}
	out := make([]Splice, len(splices))
	for i, p := range splices {
		out[i] = Splice{Start: place(p.Start), End: place(p.End), Text: lines.BrokenLike(text, p.Text)}
	}
	return out
}
