package object

import (
	"bytes"
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// entry is a member of a block map or an element of a block list, at its place in the text.
type entry struct {
	line, column int
	key          *tree.Node // nil in a list
	value        *tree.Node
}

func (e entry) depth() int { return e.column - 1 }

// collection splices the members of a block map or the elements of a block list, of which at least
// one stays.
func (s *splicer) collection(old, edited *tree.Node) {
	if !s.isEditOf(edited, old) || old.Style&tree.FlowStyle != 0 {
		s.giveUp()
		return
	}
	outer := s.current
	s.current = old
	firstEntry, firstStep := len(s.entries), len(s.steps)
	if old.Kind == tree.MappingNode {
		s.members(old)
		s.planMembers(old, edited)
	} else {
		s.elements(old)
		s.planElements(old, edited)
	}
	if s.ok {
		s.applySteps(s.entries[firstEntry:], s.steps[firstStep:])
	}
	s.entries, s.steps = s.entries[:firstEntry], s.steps[:firstStep]
	s.current = outer
}

// applySteps makes the splices of a plan.
func (s *splicer) applySteps(entries []entry, plan []step) {
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

// begin applies the steps up to the first entry that stays, and returns the others: new entries
// come before it, and if an entry behind a dash is removed, it moves up to that place.
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

// leavesComments tells whether there are comments between entries that belong to none.
func (s *splicer) leavesComments(entries []entry) bool {
	for i, e := range entries[1:] {
		if !isBlank(s.text[s.end(entries[i]):s.start(s.headOf(e.line, e.depth()))]) {
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
	start = len(bytes.TrimRight(s.text[:start], " "))
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

// remove removes an entry with its lines and its comment, and with the blank lines behind it if
// they could become a part of the scalar before it.
func (s *splicer) remove(e entry) {
	end := s.end(e)
	if s.mayKeepBreaks() {
		end = s.behindBlanks(end)
	}
	s.replace(s.start(s.headOf(e.line, e.depth())), end, nil)
}

// insert writes a new entry behind the entry e.
func (s *splicer) insert(e entry, key, value *tree.Node) {
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
