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
	o.places, o.members = nil, nil
	o.root = o.copyOf(o.Root())
	n := o.root
	for _, step := range l {
		slot := step.Index
		if !step.IsIndex {
			n.Content = o.withoutMerge(n, step.Key)
			slot = memberIndex(n, step.Key) + 1
		}
		n.Content[slot] = o.copyOf(n.Content[slot])
		n = n.Content[slot]
	}
	return n
}

// copyOf returns n itself if it is a copy already, and else a copy that may be edited. A copy of
// its value replaces an alias.
func (o *Object) copyOf(n *tree.Node) *tree.Node {
	if _, ok := o.origins[n]; ok {
		return n
	}
	var c *tree.Node
	if n.Kind == tree.AliasNode {
		c = copyOfAlias(n)
	} else if o.memory != nil {
		c = o.memory.Copy(n)
	} else {
		c = new(*n)
		c.Content = slices.Clone(n.Content)
	}
	o.setOrigin(c, n)
	return c
}

// noteReplaced records that a scalar takes the place of another one in a list. Elements have no
// keys by which the place, and the comment at it, could be found again.
func (o *Object) noteReplaced(old, now *tree.Node) {
	if old == now || old.Kind != tree.ScalarNode || now.Kind != tree.ScalarNode {
		return
	}
	o.setOrigin(now, o.originOf(old))
}

// originOf returns the original of a node that an edit made, and else the node itself.
func (o *Object) originOf(n *tree.Node) *tree.Node {
	if origin, ok := o.origins[n]; ok {
		return origin
	}
	return n
}

// withoutMerge returns the members of the map n; if key comes from a merge key, the merged members
// replace the merge keys.
func (o *Object) withoutMerge(n *tree.Node, key string) []*tree.Node {
	if memberIndex(n, key) >= 0 {
		return n.Content
	}
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

// withoutStaleAliases returns the edited tree, in which each alias names an unchanged node before
// it. A copy of its original value replaces an alias of a removed or edited node, so that an edit
// never shows in another place.
func (o *Object) withoutStaleAliases() *tree.Node {
	if text := o.base(); text != nil && !o.detached && (bytes.IndexByte(text, '*') < 0 || bytes.IndexByte(text, '&') < 0) {
		return o.root
	}
	f := freshener{object: o, seen: map[*tree.Node]bool{}}
	return f.fresh(o.root)
}

type freshener struct {
	object *Object
	seen   map[*tree.Node]bool // the anchored nodes passed so far
}

func (f *freshener) fresh(n *tree.Node) *tree.Node {
	if n.Kind == tree.AliasNode {
		if f.seen[n.Alias()] {
			return n
		}
		return copyOfAlias(n)
	}
	if n.Anchor() != "" {
		f.seen[n] = true
	}
	for i := range n.Content {
		child := f.fresh(n.Content[i])
		if child == n.Content[i] {
			continue
		}
		if _, own := f.object.origins[n]; !own {
			n = f.object.copyOf(n)
		}
		n.Content[i] = child
	}
	return n
}

// copyOfAlias returns a copy of what an alias names, without its comments, which stay where the
// anchor is.
func copyOfAlias(n *tree.Node) *tree.Node {
	c := tree.Copy(n)
	clearComments(c)
	return c
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
	if o.strings == nil {
		o.strings = v.strings
	} else {
		maps.Copy(o.strings, v.strings)
	}
	o.root, o.places, o.members = v.root, nil, nil
}

// Discard discards the edits of a view.
func (v *Object) Discard() { v.origins = nil }
