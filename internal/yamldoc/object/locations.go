package object

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// OriginalLocation converts a location, which must be in the edited data, to one of the input data;
// false if the place was not there.
func (o *Object) OriginalLocation(l location.Location) (location.Location, bool) {
	return o.translate(l, o.Root(), o.Original())
}

// EditedLocation converts a location of the input data to one of the edited data; false if the
// place is removed.
func (o *Object) EditedLocation(l location.Location) (location.Location, bool) {
	if o.OriginalAt(l) == nil {
		return nil, false
	}
	return o.translate(l, o.Original(), o.Root())
}

// translate converts a location of the tree from to one of the tree to. Keys stay; list elements
// are found by identity, so that from is not looked at behind the last of them.
func (o *Object) translate(l location.Location, from, to *tree.Node) (location.Location, bool) {
	translated, keys := l, 0
	for keys < len(l) && !l[len(l)-1-keys].IsIndex {
		keys++
	}
	for i, step := range l {
		if from == to || i >= len(l)-keys {
			return translated, o.descend(to, l[i:]) != nil
		}
		next := step
		if step.IsIndex {
			here := tree.Elements(from)
			if step.Index >= len(here) {
				return nil, false
			}
			if next.Index = o.positionIn(to, here[step.Index]); next.Index < 0 {
				return nil, false
			}
			if next != step {
				translated = slices.Clone(translated)
				translated[i] = next
			}
		}
		from, to = o.child(from, step), o.child(to, next)
		if from == nil || to == nil {
			return nil, false
		}
	}
	return translated, true
}

// OriginalAt is location.At in the input data, but does not go through a large map each time.
func (o *Object) OriginalAt(l location.Location) *tree.Node {
	return o.descend(o.Original(), l)
}

func (o *Object) descend(n *tree.Node, l location.Location) *tree.Node {
	for _, step := range l {
		n = o.child(n, step)
	}
	return tree.Deref(n)
}

// LineAt returns the line of the file on which the field at a location of the input data begins; 0
// if it is not known.
func (o *Object) LineAt(l location.Location) int {
	parent := o.OriginalAt(l[:max(len(l)-1, 0)])
	if tree.IsMap(parent) && len(l) > 0 {
		if i := o.memberIndex(parent, l[len(l)-1].Key); i >= 0 {
			return o.LineOf(parent.Content[i])
		}
	}
	return o.LineOf(location.Begin(o.Original(), l))
}

// positionIn returns the index in a list of the element n of another state of the object: of
// itself, of its original, or of its copy; or -1.
func (o *Object) positionIn(list, n *tree.Node) int {
	list = tree.Deref(list)
	elements := tree.Elements(list)
	if len(elements) < tree.ManyKeys {
		origin := o.originOf(n)
		return slices.IndexFunc(elements, func(element *tree.Node) bool { return o.originOf(element) == origin })
	}
	p, ok := o.places[list]
	if !ok {
		p = indicesOf(elements)
		for i, element := range elements {
			if origin, ok := o.origins[element]; ok {
				p[origin] = i
			}
		}
		if o.places == nil {
			o.places = map[*tree.Node]indices{}
		}
		o.places[list] = p
	}
	if i, ok := p.of(n, o.origins); ok {
		return i
	}
	return -1
}

// Lookup is tree.Lookup in a map of the object, but does not go through a large map each time.
func (o *Object) Lookup(m *tree.Node, key string) *tree.Node { return o.child(m, location.Key(key)) }

// child returns the node that a step from n leads to, or nil.
func (o *Object) child(n *tree.Node, step location.Step) *tree.Node {
	n = tree.Deref(n)
	if step.IsIndex || !tree.IsMap(n) || len(n.Content) < 2*tree.ManyKeys {
		return location.At(n, location.Location{step})
	}
	switch i := o.memberIndex(n, step.Key); {
	case i >= 0:
		return tree.Deref(n.Content[i+1])
	case o.keysOf(n).Index(n.Content, mergeKey) < 0:
		return nil
	}
	return tree.Lookup(n, step.Key)
}

// Place returns where the member or the element at a location of Original, which has no edits,
// begins and ends in Source. One that an alias or a merge key brings in has the place of that. It
// returns false if the place is not known.
func (o *Object) Place(l location.Location) (start, end int, ok bool) {
	o.load()
	if o.text == nil || o.original == nil || o.original.IsRough() {
		return 0, 0, false
	}
	text := asString(o.source())
	n := o.original
	start = n.Start()
	for _, step := range l {
		if n.Kind == tree.AliasNode {
			break
		}
		slot := slotOf(n, step)
		if slot < 0 || n.Content[slot].IsRough() {
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
