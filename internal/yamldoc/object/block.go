package object

import (
	"bytes"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// entry is a member of a block map or an element of a block list, at its place in the text.
type entry struct {
	start  int        // the offset of the key or the dash
	behind int        // the offset behind the entry before it; 0 for the first
	key    *tree.Node // nil in a list
	value  *tree.Node
}

// depth returns the indentation of an entry.
func (s *splicer) depth(e entry) int { return s.column(e.start) }

// entries returns the entries of a block collection.
func (s *splicer) entries(n *tree.Node) []entry {
	first, at, behind := len(s.room), tree.ContentStart(s.text, n), 0
	for i := 0; i < len(n.Content); i++ {
		e := entry{value: n.Content[i]}
		if n.Kind == tree.MappingNode {
			i++
			e = entry{start: e.value.Start(), key: e.value, value: n.Content[i]}
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
			ok = s.insert(entries[last], p.key, p.value)
		}
	}
	return ok
}

// begin applies the steps up to the first entry that stays, and returns the others: new entries
// come before it, and if an entry behind a dash is removed, it moves up to that place.
func (s *splicer) begin(entries []entry, plan []step) ([]step, bool) {
	first := entries[0]
	stays := slices.IndexFunc(plan, func(p step) bool { return p.old >= 0 && !p.gone })
	if stays <= 0 {
		return plan, stays == 0
	}
	e := entries[plan[stays].old]
	head := s.headOf(e)
	isOwnLine := s.beginsLine(first.start)
	if isOwnLine {
		for _, p := range plan[:stays] {
			if p.gone {
				s.remove(entries[p.old])
			}
		}
	}
	text, ok := s.newEntries(plan[:stays], s.depth(e))
	switch start := first.start; {
	case !ok:
	case isOwnLine:
		s.replace(head, head, text)
	case e == first:
		s.replace(start, start, append(bytes.TrimLeft(text, " "), bytes.Repeat([]byte{' '}, s.depth(e))...))
	case s.leavesComments(entries[:plan[stays].old+1]):
		s.leaveDash(entries, plan[:stays], start)
		s.replace(head, head, text)
	case len(text) == 0:
		s.replace(start, head+s.depth(e), nil)
	default:
		s.replace(start, head, bytes.TrimLeft(text, " "))
	}
	return plan[stays:], ok
}

// leavesComments tells whether there are comments between entries that belong to none.
func (s *splicer) leavesComments(entries []entry) bool {
	for i, e := range entries[1:] {
		if !isBlank(s.text[s.end(entries[i]):s.headOf(e)]) {
			return true
		}
	}
	return false
}

// leaveDash removes the first entries of a collection that begins behind a dash. A comment behind
// them, for example, stays on its lines.
func (s *splicer) leaveDash(entries []entry, plan []step, start int) {
	for _, p := range plan {
		if p.gone && p.old > 0 {
			s.remove(entries[p.old])
		}
	}
	start = len(strings.TrimRight(s.text[:start], " "))
	s.replace(start, s.end(entries[0]), []byte{'\n'})
}

// newEntries returns the text of the new entries among the steps.
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

// end returns the offset behind the last line of an entry. Comments below it belong to it if all
// lines of theirs are indented deeper than it.
func (s *splicer) end(e entry) int {
	end := e.value.End()
	if !isBlockScalar(lastOf(e.value)) {
		end = s.nextLine(end)
	} else if s.keepsBreaks(lastOf(e.value)) {
		return end
	}
	isDeep := true
	for at := s.behindBlanks(end); at < len(s.text); {
		next := s.nextLine(at)
		line := s.text[at:next]
		if !isComment(line) {
			return end
		}
		isDeep = isDeep && indent(line) > s.depth(e)
		if at = s.behindBlanks(next); at == next && at < len(s.text) && isComment(s.text[at:s.nextLine(at)]) {
			continue // more of the same comment
		}
		if !isDeep {
			return end
		}
		end = next
	}
	return end
}

// remove removes an entry with its lines and its comment, and with the blank lines behind it if
// they could become a part of the scalar before it.
func (s *splicer) remove(e entry) {
	end := s.end(e)
	if s.keeps {
		end = s.behindBlanks(end)
	}
	s.replace(s.headOf(e), end, nil)
}

// insert writes a new entry behind the entry e.
func (s *splicer) insert(e entry, key, value *tree.Node) bool {
	text, err := s.style.entryText(key, value, s.depth(e))
	if err != nil {
		return false
	}
	at := s.end(e)
	if at > 0 && s.text[at-1] != '\n' {
		s.closeBlockScalar(e.value)
		text = append([]byte{'\n'}, bytes.TrimSuffix(text, []byte{'\n'})...)
	}
	s.replace(at, at, text)
	return true
}

// value splices the new value of an entry that stays.
func (s *splicer) value(e entry, value *tree.Node) bool {
	old := e.value
	isEdit := s.isEditOf(value, old)
	switch {
	case s.blockString(e, value):
	case isEdit && isBlockCollection(old):
		step := s.style.mapStep
		if e.key != nil && old.Kind == tree.MappingNode {
			s.style.mapStep = stepBetween(s.column(e.key.Start()), s.column(old.Content[0].Start()), step)
		}
		ok := s.collection(old, value)
		s.style.mapStep = step
		return ok
	case isEdit && s.try(func() bool { return s.flow(old, value) }):
	case isBlockCollection(old) && isCollection(value) && len(value.Content) == 0 && s.empty(e, value):
	case s.inline(old, value):
	default:
		return s.rewrite(e, value)
	}
	return true
}

// empty writes `{}` or `[]` behind the member's key and removes the lines of the old value. It
// returns false if it can't.
func (s *splicer) empty(e entry, value *tree.Node) bool {
	if e.key == nil || s.onOneLine(e.start, e.value.Start()) { // an element, or one with an anchor or a tag
		return false
	}
	text := " {}"
	if value.Kind == tree.SequenceNode {
		text = " []"
	}
	colon := s.behindColon(e)
	s.replace(colon, colon, []byte(text))
	s.replace(s.nextLine(colon), s.end(e), nil)
	return true
}

// behindColon returns the offset behind the colon of a member of a block map.
func (s *splicer) behindColon(e entry) int {
	return e.key.End() + strings.IndexByte(s.text[e.key.End():], ':') + 1
}

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
func (s *splicer) rewrite(e entry, value *tree.Node) bool {
	key, end, from := e.key, s.end(e), e.start
	if key != nil {
		key, from = tree.NewScalar(tree.NoTag, "k"), s.behindColon(e)
	}
	text, err := s.style.entryText(key, value, s.depth(e))
	if err != nil {
		return false
	}
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

// commentBehind returns the comment on the line of an entry: behind its key or dash, or behind a
// value that ends on the line.
func (s *splicer) commentBehind(e entry) string {
	at := e.start + 1
	if e.key != nil {
		at = s.behindColon(e)
	}
	rest := s.rest(at)
	switch {
	case isBlockScalar(e.value):
		rest = rest[max(strings.Index(rest, " #")+1, 0):]
	case !isBlockCollection(e.value) && s.onOneLine(e.start, e.value.End()):
		rest = s.rest(e.value.End())
	}
	if rest == "" || rest[0] != '#' {
		return ""
	}
	return strings.TrimRight(rest, " \t")
}
