package object

import (
	"bytes"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

// splicer turns the difference between the tree that came in and the edited one
// into splices of the text. It gives up, with ok false, on whatever it does not
// know; what it makes is proved by the caller.
type splicer struct {
	lines
	origins map[*yaml.Node]*yaml.Node
	style   style
	splices []splice
	// entries and steps are those of the collections that are being spliced, the
	// outer ones first.
	entries []entry
	steps   []step
	// touched are the nodes that edits were made on copies of, and flows those of
	// them that are flow collections; nil until there is one.
	touched map[*yaml.Node]bool
	flows   map[*yaml.Node]flowCollection
	// json tells that the text is JSON, isSpaced that blanks stand behind its colons.
	json, isSpaced bool
	// crlf tells that the lines end with CRLF.
	crlf bool
	// keeps tells, once it is known, that a block scalar keeps the line breaks behind it.
	keeps, keepsKnown bool
	// object is the one that is spliced, current the collection that is, blamed the one
	// at which the splicer gave up, and anew those that are written anew as a whole.
	object          *Object
	current, blamed *yaml.Node
	anew            map[*yaml.Node]anewLevel
	ok              bool
}

// splicers are kept for the memory of their slices.
var splicers = sync.Pool{New: func() any { return new(splicer) }}

// maxKept is up to how many lines and splices a splicer is kept.
const maxKept = 1000

// newSplicer returns a splicer for the object; release gives it back.
func newSplicer(o *Object) *splicer {
	s := splicers.Get().(*splicer)
	s.read(o.base())
	s.object, s.origins, s.style, s.ok = o, o.origins, styleOf(o.original), true
	s.json = o.format == jsonText
	s.isSpaced = s.json && bytes.Contains(s.text, []byte(`": `))
	first := bytes.IndexByte(s.text, '\n')
	s.crlf = first > 0 && s.text[first-1] == '\r'
	return s
}

func (s *splicer) release() {
	if len(s.starts) > maxKept || len(s.splices) > maxKept {
		return
	}
	clear(s.splices)
	clear(s.entries[:cap(s.entries)])
	clear(s.steps[:cap(s.steps)])
	*s = splicer{
		lines: lines{starts: s.starts[:0]}, splices: s.splices[:0], entries: s.entries[:0], steps: s.steps[:0],
	}
	splicers.Put(s)
}

// splice replaces the bytes from start to end.
type splice struct {
	start, end int
	text       []byte
}

// entry is a member of a block map or an element of a block list, as it stands
// in the text.
type entry struct {
	line, column int
	key          *yaml.Node // nil in a list
	value        *yaml.Node
}

func (e entry) depth() int { return e.column - 1 }

// spliced returns the text, in pieces, with the edits made as splices. It reports
// false where they can't be made, or are not proved.
func (o *Object) spliced(root *yaml.Node) ([][]byte, bool) {
	s := newSplicer(o)
	defer s.release()
	if !s.make(o.original, root) {
		return nil, false
	}
	pieces := s.pieces()
	isSimple := o.format == listItem && o.memory != nil && o.memory.IsSimple()
	return pieces, isSimple && s.proved(o.original, root) || o.provedPieces(pieces, root)
}

// make makes the splices, sorted and apart. It reports false where it can't.
func (s *splicer) make(old, edited *yaml.Node) bool {
	s.root(old, edited)
	if !s.ok {
		return false
	}
	slices.SortStableFunc(s.splices, func(a, b splice) int { return a.start - b.start })
	return s.areApart()
}

// pieces returns the text with the splices, which are sorted and apart.
func (s *splicer) pieces() [][]byte {
	pieces := make([][]byte, 0, 2*len(s.splices)+1)
	at := 0
	for _, p := range s.splices {
		pieces = append(pieces, s.text[at:p.start], p.text)
		at = p.end
	}
	return append(pieces, s.text[at:])
}

// areApart tells whether no two of the splices, which are sorted, meet.
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

// giveUp says that the collection at work can't be spliced.
func (s *splicer) giveUp() {
	if s.ok {
		s.ok, s.blamed = false, s.current
	}
}

// isEditOf tells whether edited is old or a copy of it that edits were made on.
func (s *splicer) isEditOf(edited, old *yaml.Node) bool {
	return edited == old || s.origins[edited] == old
}

// root splices the whole object.
func (s *splicer) root(old, edited *yaml.Node) {
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
func (s *splicer) rootStart(root *yaml.Node) int {
	if s.json {
		return s.skipBlanks(len(s.text) - len(bytes.TrimPrefix(s.text, []byte("\ufeff"))))
	}
	return s.offset(root.Line, root.Column)
}

// replaceRoot writes a root of which nothing stays in the place of the old one.
func (s *splicer) replaceRoot(old, edited *yaml.Node) {
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
	if s.members(old); old.Kind == yaml.SequenceNode {
		s.giveUp()
	}
	text, err := s.style.encode(edited)
	if !s.ok || err != nil {
		s.giveUp()
		return
	}
	first, end := s.entries[0], s.end(s.entries[len(s.entries)-1])
	start = min(start, s.offset(first.line, first.column))
	if !isBreak(s.text[end-1]) {
		text = bytes.TrimSuffix(text, []byte{'\n'})
	}
	s.replace(start, end, bytes.TrimLeft(indented(text, first.depth()), " "))
}

// collection splices the members of a block map or the elements of a block
// list, at least one of which stays.
func (s *splicer) collection(old, edited *yaml.Node) {
	if !s.isEditOf(edited, old) || old.Style&yaml.FlowStyle != 0 {
		s.giveUp()
		return
	}
	outer := s.current
	s.current = old
	firstEntry, firstStep := len(s.entries), len(s.steps)
	if old.Kind == yaml.MappingNode {
		s.members(old)
		s.planMembers(old, edited)
	} else {
		s.elements(old)
		s.planElements(old, edited)
	}
	if s.ok {
		s.carryOut(s.entries[firstEntry:], s.steps[firstStep:])
	}
	s.entries, s.steps = s.entries[:firstEntry], s.steps[:firstStep]
	s.current = outer
}

// step is one thing to do, in the order of the edited collection: an entry of
// the old collection stays (value nil or the new value) or goes, or a new one
// comes.
type step struct {
	old   int // the index of the old entry, -1 for a new one
	gone  bool
	key   *yaml.Node
	value *yaml.Node
}

func (s *splicer) plan(p step) { s.steps = append(s.steps, p) }

func (s *splicer) planMembers(old, edited *yaml.Node) {
	keys := keysOf(old)
	next := 0
	for i := 0; i+1 < len(edited.Content); i += 2 {
		key, value := edited.Content[i], edited.Content[i+1]
		at := keys.indexOf(key)
		if at < 0 {
			s.plan(step{old: -1, key: key, value: value})
			continue
		}
		if at/2 < next { // its place has changed
			s.plan(step{old: -1, key: key, value: value})
			continue
		}
		for ; next < at/2; next++ {
			s.plan(step{old: next, gone: true})
		}
		s.plan(step{old: next, value: value})
		next++
	}
	for ; next < len(old.Content)/2; next++ {
		s.plan(step{old: next, gone: true})
	}
}

// planElements aligns the elements by identity. Between two that stay, gone
// ones are paired with new ones in order, as replacements.
func (s *splicer) planElements(old, edited *yaml.Node) {
	var fresh []*yaml.Node
	next := 0
	flush := func(until int) {
		for next < until && len(fresh) > 0 {
			s.plan(step{old: next, value: fresh[0]})
			next, fresh = next+1, fresh[1:]
		}
		for ; next < until; next++ {
			s.plan(step{old: next, gone: true})
		}
		for _, value := range fresh {
			s.plan(step{old: -1, value: value})
		}
		fresh = nil
	}
	before := indicesOf(old.Content)
	for _, element := range edited.Content {
		at, stays := before.of(element, s.origins)
		if !stays || at < next {
			fresh = append(fresh, element)
			continue
		}
		flush(at)
		s.plan(step{old: next, value: element})
		next++
	}
	flush(len(old.Content))
}

// carryOut makes the splices of a plan.
func (s *splicer) carryOut(entries []entry, plan []step) {
	last := -1 // the last old entry that stays
	for _, p := range s.begin(entries, plan) {
		switch {
		case p.old >= 0 && p.gone:
			s.remove(entries[p.old])
		case p.old >= 0:
			last = p.old
			if p.value != entries[p.old].value {
				s.value(entries[p.old], p.value)
			}
		default:
			s.insert(entries[last], p.key, p.value)
		}
	}
}

// begin deals with the steps up to the first entry that stays, and returns those
// from it on: new entries come before it, and where the first one, which stands
// behind a dash, goes, it moves up to its place.
func (s *splicer) begin(entries []entry, plan []step) []step {
	first := entries[0]
	stays := slices.IndexFunc(plan, func(p step) bool { return p.old >= 0 && !p.gone })
	if stays < 0 {
		s.giveUp()
		return nil
	}
	if stays == 0 {
		return plan
	}
	e := entries[plan[stays].old]
	head := s.start(s.headOf(e.line, e.depth()))
	if !s.isMidLine(first.line, first.column) {
		for _, p := range plan[:stays] {
			if p.gone {
				s.remove(entries[p.old])
			}
		}
	}
	text, ok := s.newEntries(plan[:stays], e.depth())
	switch start := s.offset(first.line, first.column); {
	case !ok:
		s.giveUp()
	case !s.isMidLine(first.line, first.column):
		s.replace(head, head, text)
	case e == first:
		s.replace(start, start, append(bytes.TrimLeft(text, " "), bytes.Repeat([]byte{' '}, e.depth())...))
	case s.leavesComments(entries[:plan[stays].old+1]):
		s.leaveDash(entries, plan[:stays], start)
		s.replace(head, head, text)
	case len(text) == 0:
		s.replace(start, head+e.depth(), nil)
	default:
		s.replace(start, head, bytes.TrimLeft(text, " "))
	}
	return plan[stays:]
}

// leavesComments tells whether comments stand between entries that belong to none.
func (s *splicer) leavesComments(entries []entry) bool {
	for i, e := range entries[1:] {
		if !isBlank(s.text[s.end(entries[i]):s.start(s.headOf(e.line, e.depth()))]) {
			return true
		}
	}
	return false
}

// leaveDash removes the first entries of a collection, the first of which stands
// behind a dash. What is behind them, a comment, say, stays on its lines.
func (s *splicer) leaveDash(entries []entry, plan []step, start int) {
	for _, p := range plan {
		if p.gone && p.old > 0 {
			s.remove(entries[p.old])
		}
	}
	start = len(bytes.TrimRight(s.text[:start], " "))
	s.replace(start, s.end(entries[0]), []byte{'\n'})
}

// newEntries writes those of the steps that are new entries.
func (s *splicer) newEntries(plan []step, depth int) (text []byte, ok bool) {
	for _, p := range plan {
		if p.gone {
			continue
		}
		entry, err := s.style.entryText(p.key, p.value, depth)
		if err != nil {
			return nil, false
		}
		text = append(text, entry...)
	}
	return text, true
}

// remove removes an entry with its lines and its comment, and with the blank lines
// behind it where they might become a part of the scalar before it.
func (s *splicer) remove(e entry) {
	end := s.end(e)
	if s.mayKeepBreaks() {
		end = s.behindBlanks(end)
	}
	s.replace(s.start(s.headOf(e.line, e.depth())), end, nil)
}

// value splices the new value of an entry that stays.
func (s *splicer) value(e entry, value *yaml.Node) {
	old := e.value
	isEdit := s.isEditOf(value, old) && isCollection(old) && len(old.Content) > 0 && s.anyStays(old, value)
	switch {
	case s.anew[old] > 0:
		s.writeAnew(e, value)
	case isEdit && isBlockCollection(old):
		step := s.style.mapStep
		if e.key != nil && old.Kind == yaml.MappingNode {
			s.style.mapStep = stepOf(e.key, old, step)
		}
		s.collection(old, value)
		s.style.mapStep = step
	case isEdit && s.flow(s.offset(old.Line, old.Column), old, value):
	case isBlockCollection(old) && isCollection(value) && len(value.Content) == 0 && s.empty(e, value):
	case s.inline(old, value):
	default:
		s.rewrite(e, value)
	}
}

func isCollection(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode
}

func isBlockCollection(n *yaml.Node) bool {
	return isCollection(n) && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

// anyStays tells whether an entry of the old collection is in the edited one.
func (s *splicer) anyStays(old, edited *yaml.Node) bool {
	if old.Kind == yaml.MappingNode {
		keys := keysOf(old)
		for i := 0; i < len(edited.Content); i += 2 {
			if keys.indexOf(edited.Content[i]) >= 0 {
				return true
			}
		}
		return false
	}
	before := indicesOf(old.Content)
	return slices.ContainsFunc(edited.Content, func(n *yaml.Node) bool {
		_, stays := before.of(n, s.origins)
		return stays
	})
}

// empty writes `{}` or `[]` behind the member's key and removes the lines of
// what was there. It reports false where it can't.
func (s *splicer) empty(e entry, value *yaml.Node) bool {
	if e.key == nil || e.value.Line == e.line { // an element, or one with an anchor or a tag
		return false
	}
	colon, ok := s.afterKey(e)
	if !ok {
		return false
	}
	text := " {}"
	if value.Kind == yaml.SequenceNode {
		text = " []"
	}
	s.replace(colon, colon, []byte(text))
	s.replace(s.start(e.line+1), s.end(e), nil)
	return true
}

// afterKey returns the place behind the colon of a member's key.
func (s *splicer) afterKey(e entry) (int, bool) {
	end, ok := s.nodeEnd(s.offset(e.key.Line, e.key.Column), e.key)
	if !ok {
		return 0, false
	}
	line := s.text[end:s.lineEnd(end)]
	colon := len(line) - len(bytes.TrimLeft(line, " \t"))
	if colon >= len(line) || line[colon] != ':' {
		return 0, false
	}
	return end + colon + 1, true
}

// inline replaces a scalar that is no block scalar, or a flow collection, by a
// value that can be written on one line too.
func (s *splicer) inline(old, value *yaml.Node) bool {
	isFlow := isCollection(old) && old.Style&yaml.FlowStyle != 0
	switch {
	case old.Kind == yaml.ScalarNode && value.Kind == yaml.ScalarNode:
	case isFlow && isCollection(value) && (len(value.Content) == 0 || len(old.Content) > 0):
	default:
		return false
	}
	end, ok := s.valueEnd(old)
	if !ok {
		return false
	}
	text, ok := s.style.inlineText(value)
	if !ok {
		return false
	}
	s.replace(s.offset(old.Line, old.Column), end, text)
	return true
}

// insert writes a new entry behind the entry e.
func (s *splicer) insert(e entry, key, value *yaml.Node) {
	text, err := s.style.entryText(key, value, e.depth())
	if err != nil {
		s.giveUp()
		return
	}
	at := s.end(e)
	if at > 0 && !isBreak(s.text[at-1]) {
		s.closeBlockScalar(e.value)
		text = append([]byte{'\n'}, bytes.TrimSuffix(text, []byte{'\n'})...)
	}
	s.replace(at, at, text)
}
