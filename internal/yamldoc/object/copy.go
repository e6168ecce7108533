package object

import (
	"bytes"
	"maps"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// own replaces every node from the root to the location, which must exist, by a copy that may be
// edited, and returns the last.
func (o *Object) own(l location.Location) *tree.Node {
	o.root = o.copyOf(o.Root())
	n := o.root
	delete(o.places, n)
	for _, step := range l {
		slot := step.Index
		if !step.IsIndex {
			if slot = o.memberIndex(n, step.Key) + 1; slot == 0 {
				o.overrideMerged(n, step.Key)
				slot = memberIndex(n, step.Key) + 1
			}
		}
		n.Content[slot] = o.copyOf(n.Content[slot])
		n = n.Content[slot]
		delete(o.places, n)
	}
	return n
}

// overrideMerged gives the map n a member of its own for one that merge keys bring in, which so
// stay. Of many merged members all become its own, since each lookup goes through them.
func (o *Object) overrideMerged(n *tree.Node, key string) {
	merged := 0
	for range tree.Entries(n) {
		merged++
	}
	if merged > tree.ManyKeys || key == mergeKey {
		n.Content = expanded(n)
		delete(o.keys, n)
		return
	}
	o.addMember(n, key, tree.Copy(tree.Lookup(n, key)))
}

// copyOf returns n itself if it is a copy already, and else a copy that may be edited. A copy of
// its value replaces an alias.
func (o *Object) copyOf(n *tree.Node) *tree.Node {
	if _, ok := o.origins[n]; ok {
		return n
	}
	var c *tree.Node
	if n.Kind == tree.AliasNode {
		c = tree.Copy(n)
	} else if o.memory != nil {
		c = o.memory.Copy(n)
	} else {
		c = new(*n)
		c.Content = slices.Clone(n.Content)
	}
	o.setOrigin(c, n)
	return c
}

// noteReplaced records that a node takes the place of another one in a list. Elements have no keys
// by which the place, and the comment at it, could be found again.
func (o *Object) noteReplaced(old, now *tree.Node) {
	_, isEdit := o.origins[now]
	switch {
	case old == now:
	case old.Kind == tree.ScalarNode && now.Kind == tree.ScalarNode:
		o.setOrigin(now, o.originOf(old))
	case !isEdit:
		if o.seats == nil {
			o.seats = map[*tree.Node]*tree.Node{}
		}
		place := o.originOf(old)
		if was, ok := o.seats[place]; ok {
			place = was
		}
		o.seats[now] = place
	}
}

// originOf returns the original of a node that an edit made, and else the node itself.
func (o *Object) originOf(n *tree.Node) *tree.Node {
	if origin, ok := o.origins[n]; ok {
		return origin
	}
	return n
}

// expanded returns the members of the map n, with the merged members in place of the merge keys.
func expanded(n *tree.Node) []*tree.Node {
	own := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !tree.IsMergeKey(n.Content[i]) {
			own[tree.Deref(n.Content[i]).Text()] = i
		}
	}
	var members []*tree.Node
	for k, v := range tree.Entries(n) {
		if i, ok := own[k]; ok {
			members = append(members, n.Content[i], v)
			continue
		}
		members = append(members, tree.NewString(k), tree.Copy(v))
	}
	return members
}

// memberIndex returns the index of the key node in the content of the map n, or -1. Merged members
// are not n's own.
func memberIndex(n *tree.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := tree.Deref(n.Content[i]); k.Text() == key && !tree.IsMergeKey(n.Content[i]) {
			return i
		}
	}
	return -1
}

// memberIndex is memberIndex, and goes through a large map once.
func (o *Object) memberIndex(n *tree.Node, key string) int {
	if key == mergeKey {
		return memberIndex(n, key)
	}
	return o.keysOf(n).Index(n.Content, key)
}

// keysOf returns what finds the keys of a map, merge keys among them.
func (o *Object) keysOf(n *tree.Node) *tree.KeyTable {
	if len(n.Content) < 2*tree.ManyKeys {
		return &tree.KeyTable{}
	}
	keys := o.keys[n]
	if keys == nil {
		if o.keys == nil {
			o.keys = map[*tree.Node]*tree.KeyTable{}
		}
		keys = &tree.KeyTable{}
		o.keys[n] = keys
	}
	return keys
}

const mergeKey = "<<"

// withoutStaleAliases returns the edited tree for the text, in which each alias stands for its
// value. Aliases of nodes before it whose value is the same, and merge keys that bring in the same
// members, stay; a copy of the original value replaces the others, so that an edit never shows in
// another place.
func (o *Object) withoutStaleAliases() *tree.Node {
	if text := o.base(); text != nil && (bytes.IndexByte(text, '*') < 0 || bytes.IndexByte(text, '&') < 0) {
		return o.root
	}
	f := freshener{object: o, seen: map[*tree.Node]*tree.Node{}}
	return f.fresh(o.root)
}

type freshener struct {
	object *Object
	// seen has the anchored nodes passed so far, by their originals.
	seen map[*tree.Node]*tree.Node
}

func (f *freshener) fresh(n *tree.Node) *tree.Node {
	if origin := f.object.originOf(n); origin.Kind == tree.AliasNode {
		switch now := f.seen[origin.Alias()]; {
		case now != nil && tree.Equal(now, n):
			return origin
		case n == origin:
			return tree.Copy(n)
		}
	}
	edited := n // whose aliases may lead to what was there before the edit
	for i := range n.Content {
		child := f.fresh(edited.Content[i])
		if child == edited.Content[i] || f.mergesSame(edited, i) {
			continue
		}
		if n == edited {
			n = new(*edited)
			n.Content = slices.Clone(edited.Content)
			f.object.setOrigin(n, f.object.originOf(edited))
		}
		n.Content[i] = child
	}
	if n.Anchor() != "" {
		f.seen[f.object.originOf(n)] = edited
	}
	return n
}

// mergesSame tells whether the node at an index of the map n is the value of a merge key that
// brings in the same members as before.
func (f *freshener) mergesSame(n *tree.Node, i int) bool {
	if n.Kind != tree.MappingNode || i%2 == 0 || !tree.IsMergeKey(n.Content[i-1]) {
		return false
	}
	now := *n
	now.Content = slices.Clone(n.Content)
	sources := *tree.NewList(now.Content[i])
	if value := now.Content[i]; value.Kind == tree.SequenceNode {
		sources.Content = slices.Clone(value.Content)
	}
	for j, source := range sources.Content {
		if source.Kind != tree.AliasNode {
			return false // something in it is not the same
		}
		sources.Content[j] = f.seen[source.Alias()]
	}
	now.Content[i] = &sources
	return !slices.Contains(sources.Content, nil) && tree.Equal(n, &now)
}

// View makes v a view of the object's data: an object whose edits change neither the data nor the
// text of o. Original is the current data of o. A view must not outlive that data.
func (o *Object) View(v *Object) {
	o.load()
	*v = Object{loaded: true, memory: o.memory, original: o.root, root: o.root, viewed: o}
}

// Adopt applies the edits of a view to the object. The view must not be edited afterwards.
func (o *Object) Adopt(v *Object) {
	for edited, old := range v.origins {
		if origin, ok := o.origins[old]; ok {
			v.origins[edited] = origin
		}
	}
	if o.origins == nil {
		o.origins, v.origins = v.origins, nil
	} else {
		maps.Copy(o.origins, v.origins)
	}
	if o.seats == nil {
		o.seats = v.seats
	} else {
		maps.Copy(o.seats, v.seats)
	}
	if o.strings == nil {
		o.strings = v.strings
	} else {
		maps.Copy(o.strings, v.strings)
	}
	o.root, o.places, o.keys = v.root, nil, nil
}
