package object

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Place returns where the member or the element at a location of Original, which has no edits,
// begins and ends in Source. One that an alias or a merge key brings in has the place of that. It
// returns false if the place is not known.
func (o *Object) Place(l location.Location) (start, end int, ok bool) {
	o.load()
	if o.text == nil || o.original == nil || o.original.End() == 0 {
		return 0, 0, false
	}
	text := string(o.source())
	n := o.original
	start = n.Start()
	for _, step := range l {
		if n.Kind == tree.AliasNode {
			break
		}
		slot := slotOf(n, step)
		if slot < 0 {
			return 0, 0, false
		}
		value := n.Content[slot]
		switch {
		case n.Kind == tree.MappingNode:
			start = n.Content[slot-1].Start()
		case !isBlockCollection(n):
			start = value.Start()
		default:
			s := splicer{text: text}
			start = s.entries(n)[slot].start
		}
		isMerged := !step.IsIndex && tree.Deref(n.Content[slot-1]).Text() != step.Key
		if n = value; isMerged {
			break
		}
	}
	end = start + len(strings.TrimRight(text[start:n.End()], " \t\n"))
	at := withCR(o.text, []Splice{{Start: start, End: end}})[0]
	return at.Start, at.End, true
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
