package object

import (
	"bytes"
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// proof verifies splices of a text: of its block collections, those entries are parsed again that
// have a splice, since most of a large object is elsewhere.
//
// An entry goes from its first character, which no splice takes, to the line of the next entry,
// which is indented no deeper. So its lines are the same entry alone and between others.
type proof struct {
	*splicer
	memory *tree.Memory
}

// holds tells whether the text with the splices, which are sorted and apart, has the data of root.
func (s *splicer) holds(o *Object, root *tree.Node) bool {
	old := o.original
	inParts := !s.json && s.isEditOf(root, old) && isBlockCollection(old) && !hasAnchor(old) // an alias names what is elsewhere
	if inParts && s.partsHold(old, root) {
		return true
	}
	s.scratch = appendSpliced(s.scratch[:0], s.text, 0, s.splices)
	return o.verify(s.scratch, root)
}

func hasAnchor(n *tree.Node) bool {
	return n.Anchor() != "" || slices.ContainsFunc(n.Content, hasAnchor)
}

func (s *splicer) partsHold(old, root *tree.Node) bool {
	p := proof{splicer: s, memory: tree.NewMemory()}
	defer p.memory.Free()
	return p.entriesHold(blockEntry{value: old}, change{old.Content, root.Content}, len(s.text), s.splices)
}

// change is what a collection, or a run of its entries, has in the tree of the text, and edited.
type change struct{ old, now []*tree.Node }

// from returns the change without what is before two indices.
func (c change) from(old, now int) change { return change{c.old[old:], c.now[now:]} }

// entriesHold tells whether applying the splices to the entries of in.value yields c.now. The last
// entry ends at end. False also means that it can't tell; the caller then parses the whole text.
func (p *proof) entriesHold(in blockEntry, c change, end int, splices []Splice) bool {
	entries := p.entries(in.value)
	size := len(c.old) / len(entries)
	for len(splices) > 0 {
		same := 0
		for same+1 < len(entries) && entries[same+1].start < splices[0].Start {
			same++
		}
		if len(entries) == 0 || len(c.now) < same*size || !slices.Equal(c.old[:same*size], c.now[:same*size]) {
			return false
		}
		entries, c = entries[same:], c.from(same*size, same*size)
		count, taken, stop := p.run(entries, end, splices)
		goes, comes := count*size, len(c.now)
		if count < len(entries) {
			comes = slices.IndexFunc(c.now, func(n *tree.Node) bool { return n == c.old[goes] || p.origins[n] == c.old[goes] })
		}
		if count == 0 || comes < 0 {
			return false
		}
		run, holds := change{c.old[:goes], c.now[:comes]}, false
		switch first := entries[0]; {
		case first.start < splices[0].Start:
			holds = p.runHolds(first, run, stop, splices[:taken])
		case first.behind == 0 && in.key != nil:
			holds = p.firstHolds(in, run, stop, splices[:taken])
		}
		if !holds {
			return false
		}
		entries, c, splices = entries[count:], c.from(goes, comes), splices[taken:]
	}
	return slices.Equal(c.old, c.now)
}

// run returns how many of the entries the first splice and those that overlap with their lines are
// in, how many splices these are, and where the entries end; 0 if a splice goes on behind all.
func (p *proof) run(entries []blockEntry, end int, splices []Splice) (count, taken, stop int) {
	for taken == 0 || splices[taken-1].End > stop {
		if count == len(entries) {
			return 0, 0, 0
		}
		if count, stop = count+1, end; count < len(entries) {
			stop = p.lineStart(entries[count].start)
		}
		for taken < len(splices) && splices[taken].Start <= stop {
			taken++
		}
	}
	return count, taken, stop
}

// runHolds tells whether the splices of a run of entries, of which one is the first and which end
// at an offset, make their change.
func (p *proof) runHolds(first blockEntry, c change, stop int, splices []Splice) bool {
	if old := first.value; old == c.old[len(c.old)-1] && len(c.old) == len(c.now) && slices.Equal(c.old[:len(c.old)-1], c.now[:len(c.old)-1]) {
		now := c.now[len(c.now)-1]
		if p.isEditOf(now, old) && isBlockCollection(old) && p.entriesHold(first, change{old.Content, now.Content}, stop, splices) {
			return true
		}
	}
	parsed := p.parsed(first, stop, splices)
	return parsed != nil && slices.EqualFunc(parsed.Content, c.now, tree.Same)
}

// firstHolds is runHolds for the first entries in the value of a member, which is parsed with them:
// the first character may go, or a comment above it.
func (p *proof) firstHolds(in blockEntry, c change, stop int, splices []Splice) bool {
	parsed := p.parsed(in, stop, splices)
	if parsed == nil || len(parsed.Content) != 2 || !tree.Same(parsed.Content[0], in.key) {
		return false
	}
	value := parsed.Content[1]
	if len(c.now) == 0 {
		return tree.Type(value) == tree.Null && value.Text() == ""
	}
	return value.Kind == in.value.Kind && isBlockCollection(value) && slices.EqualFunc(value.Content, c.now, tree.Same) &&
		p.column(in.value.Start()) == tree.Column(p.scratch, value)-1
}

// parsed parses an entry with splices up to an offset again; nil if that fails.
func (p *proof) parsed(e blockEntry, stop int, splices []Splice) *tree.Node {
	text := append(p.scratch[:0], bytes.Repeat([]byte(" "), p.column(e.start))...)
	text = appendSpliced(text, p.text[:stop], e.start, splices)
	if p.scratch = text; stop < len(p.text) && text[len(text)-1] != '\n' {
		return nil // what follows would be on its last line
	}
	parsed, err := p.memory.Parse(text)
	if err != nil || parsed == nil || !isBlockCollection(parsed) {
		return nil
	}
	return parsed
}
