package object

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// blockEntry is a member of a block map or an element of a block list, at its place in the text.
type blockEntry struct {
	start  int        // the offset of the key or the dash
	behind int        // the offset behind the entry before it; 0 for the first
	key    *tree.Node // nil in a list
	value  *tree.Node
}

// depth returns the indentation of an entry.
func (s *splicer) depth(e blockEntry) int { return s.column(e.start) }

// entries returns the entries of a block collection.
func (s *splicer) entries(n *tree.Node) []blockEntry {
	first, at, behind := len(s.room), tree.ContentStart(s.text, n), 0
	for i := 0; i < len(n.Content); i++ {
		e := blockEntry{value: n.Content[i]}
		if n.Kind == tree.MappingNode {
			i++
			e = blockEntry{start: e.value.Start(), key: e.value, value: n.Content[i]}
			if tree.IsExplicit(s.text, e.key) {
				e.start -= len("? ")
			}
		} else {
			e.start = tree.SkipBlanks(s.text, at)
		}
		e.behind = behind
		at = e.value.End()
		behind = at
		s.room = append(s.room, e)
	}
	return s.room[first:len(s.room):len(s.room)]
}

// collection splices the entries of a block collection, of which at least one stays.
func (s *splicer) collection(old, edited *tree.Node) bool {
	entries := s.entries(old)
	plan, ok := s.begin(entries, s.plan(old, edited))
	last := -1 // the last old entry that stays
	for _, p := range plan {
		switch {
		case !ok:
		case p.gone:
			s.remove(entries[p.old])
		case p.old >= 0:
			last = p.old
			ok = p.value == entries[p.old].value || s.value(entries[p.old], p.value)
		default:
			ok = s.insert(entries[last], last+1 == len(entries), p.key, p.value)
		}
	}
	return ok
}

// begin applies the steps up to the first entry that stays, and returns the others: new entries
// come before it, and if an entry behind a dash is removed, it moves up to that place.
func (s *splicer) begin(entries []blockEntry, plan []editStep) ([]editStep, bool) {
	first := entries[0]
	stays := slices.IndexFunc(plan, func(p editStep) bool { return p.old >= 0 && !p.gone })
	if stays <= 0 {
		return plan, stays == 0
	}
	e := entries[plan[stays].old]
	going := entries[:plan[stays].old]
	text := s.newEntries(plan[:stays], s.depth(e))
	switch start := first.start; {
	case s.beginsLine(start):
		for _, e := range going {
			s.remove(e)
		}
		head := s.head(e)
		s.replace(head, head, text)
	case e == first:
		s.replace(start, start, append(bytes.TrimLeft(text, " "), bytes.Repeat([]byte{' '}, s.depth(e))...))
	case len(text) > 0:
		s.giveWay(going, start, bytes.TrimLeft(text, " "))
	case s.staysBetween(going, e): // no comment may get behind the dash
		s.giveWay(going, len(strings.TrimRight(s.text[:start], " ")), []byte{'\n'})
	default:
		s.replace(start, s.lineStart(e.start)+s.depth(e), nil)
	}
	return plan[stays:], true
}

// giveWay replaces the first entry of a collection that begins behind a dash, from an offset on,
// and removes the others that go.
func (s *splicer) giveWay(going []blockEntry, start int, text []byte) {
	s.replace(start, s.end(going[0]), text)
	for _, e := range going[1:] {
		s.remove(e)
	}
}

// refill writes the entries of an edit of a block collection of which no entry stays. Comments that
// belong to none of the old ones stay. It returns false if it can't.
func (s *splicer) refill(old, edited *tree.Node) bool {
	if s.origins[edited] != old || !isBlockCollection(old) || len(edited.Content) == 0 {
		return false
	}
	entries := s.entries(old)
	first, end := entries[0], s.end(entries[len(entries)-1])
	if !s.beginsLine(first.start) || s.text[end-1] != '\n' {
		return false
	}
	head := s.head(first)
	s.replace(head, head, s.newEntries(s.plan(old, edited), s.depth(first)))
	for _, e := range entries {
		s.remove(e)
	}
	return true
}

// newEntries returns the text of the new entries among the steps.
func (s *splicer) newEntries(plan []editStep, depth int) (text []byte) {
	for _, p := range plan {
		if p.gone {
			continue
		}
		text = append(text, s.style.entryText(p.key, p.value, depth)...)
	}
	return text
}

// remove removes an entry with its lines and its comment, and with the blank lines behind it if
// they could become a part of the scalar before it.
func (s *splicer) remove(e blockEntry) {
	end := s.end(e)
	if s.keeps {
		end = s.behindBlanks(end)
	}
	s.replace(s.head(e), end, nil)
}

// insert writes a new entry behind the entry e.
func (s *splicer) insert(e blockEntry, isLast bool, key, value *tree.Node) bool {
	text := s.style.entryText(key, value, s.depth(e))
	at := s.end(e)
	if isLast && !s.keepsBreaks(lastOf(e.value)) {
		at = s.behindDeeper(at, s.depth(e))
	}
	if at > 0 && s.text[at-1] != '\n' {
		s.closeBlockScalar(e.value)
		text = append([]byte{'\n'}, bytes.TrimSuffix(text, []byte{'\n'})...)
	}
	s.replace(at, at, text)
	return true
}

// value splices the new value of an entry that stays.
func (s *splicer) value(e blockEntry, value *tree.Node) bool {
	old := e.value
	isEdit := s.isEditOf(value, old)
	switch {
	case s.byMember || old.IsRough():
		s.noteRewritten(e)
		return s.rewrite(e, value)
	case s.blockString(e, value):
	case isEdit && isBlockCollection(old):
		step := s.style.mapStep
		if e.key != nil && old.Kind == tree.MappingNode {
			s.style.mapStep = stepBetween(s.column(e.key.Start()), s.column(old.Content[0].Start()), step)
		}
		ok := s.collection(old, value)
		s.style.mapStep = step
		return ok
	case isEdit && s.try(func() bool { return s.flow(old, value) }), s.emptyFlow(old, value):
	case s.refill(old, value):
	case isBlockCollection(old) && isCollection(value) && len(value.Content) == 0 && s.empty(e, value, s.origins[value] == old):
	case s.inline(old, value):
	default:
		return s.rewrite(e, value)
	}
	return true
}

// noteRewritten notes that a top-level member is rewritten.
func (s *splicer) noteRewritten(e blockEntry) {
	if s.roughLine == 0 {
		s.roughLine = cmp.Or(e.value.RoughLine(), e.value.Line())
	}
	if e.key != nil {
		s.rewritten = append(s.rewritten, e.key.Text())
	}
}

// empty writes `{}` or `[]` in place of the old value's entries. Where the value is an edit,
// comments that belong to none of them stay. It returns false if it can't.
func (s *splicer) empty(e blockEntry, value *tree.Node, isEdit bool) bool {
	entries, text := s.entries(e.value), emptyText(value)
	at := e.start + 1
	if e.key != nil {
		at = s.behindColon(e)
	}
	if end := tree.PropertiesEnd(s.text, e.value); isEdit && end > e.value.Start() {
		at = end // the anchor and the tag stay
	}
	switch first := entries[0]; {
	case s.isKeyLine(at) && isEdit:
		s.replace(at, at, []byte(" "+text))
		for _, gone := range entries {
			s.remove(gone)
		}
	case s.isKeyLine(at) && e.key != nil:
		s.replace(at, at, []byte(" "+text))
		s.replace(s.nextLine(at), s.end(e), nil)
	case isEdit && !s.beginsLine(first.start) && first.start == e.value.Start(): // behind a dash
		s.giveWay(entries, first.start, s.asEnd([]byte(text+"\n"), s.end(first)))
	default:
		return false
	}
	return true
}

// emptyText is an empty map or list as it is written.
func emptyText(n *tree.Node) string {
	if n.Kind == tree.SequenceNode {
		return "[]"
	}
	return "{}"
}

// behindColon returns the offset behind the colon of a member of a block map.
func (s *splicer) behindColon(e blockEntry) int { return tree.SkipBlanks(s.text, e.key.End()) + 1 }

// inline replaces a flow collection or a scalar that is no block scalar by a value that can be
// written on one line too.
func (s *splicer) inline(old, value *tree.Node) bool {
	isFlow := isCollection(old) && !isBlockCollection(old)
	switch {
	case isBlockScalar(old), old.End() == old.Start(): // it has lines, or is left out
		return false
	case old.Kind == tree.ScalarNode && value.Kind == tree.ScalarNode:
	case isFlow && isCollection(value) && (len(value.Content) == 0 || len(old.Content) > 0):
	default:
		return false
	}
	text, ok := s.style.inlineText(value, false)
	if ok {
		s.replace(old.Start(), old.End(), text)
	}
	return ok
}

// rewrite writes the value of an entry from its data. The key keeps its line comment; comments
// inside the old value are lost.
func (s *splicer) rewrite(e blockEntry, value *tree.Node) bool {
	key, end, from := e.key, s.end(e), e.start
	if key != nil {
		key, from = tree.NewScalar(tree.NoTag, "k"), s.behindColon(e)
	}
	text := s.style.entryText(key, value, s.depth(e))
	more := "" // lines of the comment behind a value that has none of its own
	if at := s.nextLine(e.value.End()); !isBlockCollection(e.value) && !isBlockScalar(e.value) && at < end {
		more = strings.TrimSuffix(s.text[at:end], "\n") + "\n"
	}
	text = text[s.depth(e):]
	if key != nil {
		text = text[len("k:"):]
		if next := s.nextLine(from); text[0] == '\n' && s.isKeyLine(from) && next < end {
			s.replace(next, end, s.asEnd(slices.Concat([]byte(more), text[1:]), end))
			return true
		}
	}
	s.replace(from, end, s.asEnd(addComment(text, s.commentBehind(e), more), end))
	return true
}

// isKeyLine tells whether only a comment follows a colon on its line.
func (s *splicer) isKeyLine(colon int) bool {
	rest := s.rest(colon)
	return rest == "" || rest[0] == '#'
}

// addComment returns text, which ends with a line break, with a comment on its first line and with
// more lines of that below.
func addComment(text []byte, comment, more string) []byte {
	if comment != "" {
		comment = " " + comment
	}
	first, rest, _ := bytes.Cut(text, []byte{'\n'})
	return slices.Concat(first, []byte(comment+"\n"+more), rest)
}
