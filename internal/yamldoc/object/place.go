package object

import (
	"bytes"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Share returns a copy of an object that was read and has not been changed. The data is parsed once
// for all copies, which may be changed; the object itself must not be any more.
func (o *Object) Share() *Object {
	o.load()
	c := *o
	c.shared, c.memory, c.head, c.headMemory = o.original, nil, nil, nil
	c.origins, c.places, c.members = nil, nil, nil
	return &c
}

// isAsRead tells whether the data is that of the text.
func (o *Object) isAsRead() bool { return o.loaded && !o.Changed() }

// Place returns where the member or the element at a location of Original, which has no edits,
// begins and ends in Source. One that an alias or a merge key brings in has the place of that. It
// returns false if the place is not known.
func (o *Object) Place(l location.Location) (start, end int, ok bool) {
	o.load()
	if o.text == nil || o.detached || o.err != nil || o.original == nil {
		return 0, 0, false
	}
	s := newSplicer(o)
	defer s.release()
	at := s.rootStart(o.original)
	start, n := at, o.original
	for i, step := range l {
		if n.Kind == tree.AliasNode {
			break
		}
		slot := slotOf(n, step)
		if slot < 0 {
			return 0, 0, false
		}
		isLast := i == len(l)-1 || n.Content[slot].Kind == tree.AliasNode || isMerged(n, slot, step)
		if start, at, end, ok = s.entryAt(n, at, slot, isLast); !ok || isLast {
			return start, end, ok
		}
		n = n.Content[slot]
	}
	if end, ok = s.endOfValue(n, at); !ok {
		return 0, 0, false
	}
	return start, end, true
}

// slotOf returns the index in the content of n of the value that a step leads to, or of the merge
// key's value that has it; -1 where there is none.
func slotOf(n *tree.Node, step location.Step) int {
	if step.IsIndex {
		if n.Kind != tree.SequenceNode || step.Index < 0 || step.Index >= len(n.Content) {
			return -1
		}
		return step.Index
	}
	if n.Kind != tree.MappingNode {
		return -1
	}
	if i := memberIndex(n, step.Key); i >= 0 {
		return i + 1
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if tree.IsMergeKey(n.Content[i]) {
			return i + 1
		}
	}
	return -1
}

func isMerged(n *tree.Node, slot int, step location.Step) bool {
	return !step.IsIndex && tree.Deref(n.Content[slot-1]).Text() != step.Key
}

// entryAt returns the place of an entry of the collection n, which begins at an offset, by its slot
// in the content, and where its value begins. The end is known only of the last one of a path.
func (s *splicer) entryAt(n *tree.Node, at, slot int, isLast bool) (start, value, end int, ok bool) {
	if !isBlockCollection(n) {
		return s.flowEntryAt(n, at, slot)
	}
	index := slot
	if n.Kind == tree.MappingNode {
		s.members(n)
		index = slot / 2
	} else {
		s.elements(n)
	}
	if !s.ok {
		return 0, 0, 0, false
	}
	e := s.entries[index]
	s.entries = s.entries[:0]
	start, value = s.offset(e.line, e.column), s.offset(e.value.Line(), e.value.Column())
	if !isLast {
		return start, value, 0, true
	}
	if end, ok = s.endOfValue(e.value, value); !ok {
		end = s.end(e)
		end = start + len(bytes.TrimRight(s.text[start:end], " \t\r\n"))
	}
	return start, value, max(end, start), true
}

// flowEntryAt is entryAt for a flow collection.
func (s *splicer) flowEntryAt(n *tree.Node, at, slot int) (start, value, end int, ok bool) {
	at = s.skipProperties(at)
	if n.Kind == tree.MappingNode && !s.has(at, '{') && slot == 1 { // a pair without brackets
		pair := flowEntry{start: at}
		ok = s.flowMember(&pair, n.Content[0], n.Content[1])
		return pair.start, pair.valueStart, pair.end, ok
	}
	s.isTouched(n)
	s.touched[n] = true // whose entries are kept
	f, ok := s.flowCollection(at, n)
	if !ok {
		return 0, 0, 0, false
	}
	index := slot
	if n.Kind == tree.MappingNode {
		index = slot / 2
	}
	e := f.parts[index]
	return e.start, e.valueStart, e.end, true
}

// endOfValue returns the offset behind a value that begins at an offset; false for one that ends
// with a block scalar.
func (s *splicer) endOfValue(n *tree.Node, at int) (end int, ok bool) {
	if isBlockCollection(n) {
		n = lastOf(n)
		at = s.offset(n.Line(), n.Column())
	}
	return s.nodeEnd(at, n)
}
