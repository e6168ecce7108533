package object

import (
	"bytes"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// proof verifies splices of a text: those entries of its block collections that have a splice are
// parsed alone, which takes a third less than to parse the whole text.
//
// An entry ends at the next line that is indented no deeper and is neither blank nor a comment, so
// its lines are the same entry between others. Aliases may name what is elsewhere, so a text with
// anchors is parsed as a whole.
type proof struct {
	*splicer
	memory *tree.Memory
}

// holds tells whether the text of the object's original with the splices, which are sorted and
// apart, has the data of edited.
func (s *splicer) holds(o *Object, edited *tree.Node) bool {
	p := proof{splicer: s, memory: tree.NewMemory()}
	defer p.memory.Free()
	old := o.original
	inLines := !s.json && s.isEditOf(edited, old) && isBlockCollection(old) &&
		(strings.IndexByte(s.text, '&') < 0 || !hasAnchor(old))
	if inLines && p.entriesHold(old, edited, len(s.text), s.splices) {
		return true
	}
	s.scratch = appendSpliced(s.scratch[:0], s.text, 0, len(s.text), s.splices)
	parsed, err := o.parse(s.scratch, p.memory)
	return err == nil && tree.Same(parsed, edited)
}

// entriesHold tells whether the block collection old, whose lines end before an offset, is edited
// with the splices. It returns false if it is not certain.
func (p *proof) entriesHold(old, edited *tree.Node, end int, splices []Splice) bool {
	entries, now := p.entries(old), edited.Content
	size := len(old.Content) / len(entries)
	startOf := func(i int) int {
		switch i {
		case 0:
			return p.lineStart(entries[0].start)
		case len(entries):
			return end
		}
		return p.headOf(entries[i])
	}
	first := startOf(0)
	if first < entries[0].start && !isBlank(p.text[first:entries[0].start]) {
		first = startOf(1) // behind a dash, which must stay
	}
	if len(splices) > 0 && splices[0].Start < first {
		return false
	}
	for i := 0; i < len(entries); {
		if len(splices) == 0 {
			return slices.Equal(old.Content[i*size:], now) && !hasTwice(edited)
		}
		if next := (i + 1) * size; i+1 < len(entries) && splices[0].Start > entries[i+1].start && len(now) > size &&
			slices.Equal(old.Content[next-size:next+1], now[:size+1]) {
			now, i = now[size:], i+1 // most entries are unchanged
			continue
		}
		start, stop, behind, taken, count := startOf(i), 0, i, 0, -1
		for behind < len(entries) && (behind == i || count < 0 || taken > 0 && splices[taken-1].End > stop) {
			behind++
			stop = startOf(behind)
			for taken < len(splices) && (splices[taken].Start < stop || splices[taken].End <= stop) {
				taken++
			}
			switch {
			case taken == 0:
				count = size
			case behind == len(entries):
				count = len(now)
			default:
				count = slices.Index(now, old.Content[behind*size]) // -1 where it goes, too
			}
		}
		if taken > 0 && splices[taken-1].End > stop || count > len(now) {
			return false
		}
		if !p.runHolds(run{old.Content[i*size : behind*size], now[:count], entries[i], start, stop}, splices[:taken]) {
			return false
		}
		now, splices, i = now[count:], splices[taken:], behind
	}
	return len(now) == 0 && len(splices) == 0 && !hasTwice(edited)
}

func hasAnchor(n *tree.Node) bool {
	return n.Anchor() != "" || slices.ContainsFunc(n.Content, hasAnchor)
}

// run is some entries of a collection in a row, with the lines from start to stop.
type run struct {
	old, now    []*tree.Node
	first       entry
	start, stop int
}

// runHolds tells whether a run is edited with the splices.
func (p *proof) runHolds(r run, splices []Splice) bool {
	if len(splices) == 0 {
		return slices.Equal(r.old, r.now)
	}
	if old, size := r.first.value, len(r.old); size == len(r.now) && size <= 2 && (size == 1 || r.old[0] == r.now[0]) {
		now := r.now[size-1]
		if p.isEditOf(now, old) && isBlockCollection(old) && p.entriesHold(old, now, r.stop, splices) {
			return true
		}
	}
	p.scratch = appendSpliced(p.scratch[:0], p.text, r.start, r.stop, splices)
	text, column := p.scratch, p.column(r.first.start)
	if len(text) == 0 {
		return len(r.now) == 0
	}
	first := bytes.TrimLeft(text, " ")
	if r.stop < len(p.text) && text[len(text)-1] != '\n' || len(first) == 0 || len(text)-len(first) != column || first[0] == '\n' {
		return false // the entries behind or before it may have a part of it
	}
	parsed, err := p.memory.Parse(text)
	return err == nil && parsed != nil && isBlockCollection(parsed) && tree.Column(text, parsed) == column+1 &&
		slices.EqualFunc(parsed.Content, r.now, tree.Same)
}

// hasTwice tells whether a map has a key twice.
func hasTwice(m *tree.Node) bool {
	if m.Kind == tree.MappingNode {
		var keys tree.KeyTable
		for i := 2; i < len(m.Content); i += 2 {
			if keys.Index(m.Content[:i], m.Content[i].Text()) >= 0 {
				return true
			}
		}
	}
	return false
}
