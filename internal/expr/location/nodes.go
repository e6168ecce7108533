package location

import (
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// At returns the node at the location, aliases and merge keys followed, or nil if nothing is there.
func At(root *tree.Node, l Location) *tree.Node {
	n := tree.Deref(root)
	for _, step := range l {
		if step.IsIndex {
			elements := tree.Elements(n)
			if step.Index < 0 || step.Index >= len(elements) {
				return nil
			}
			n = tree.Deref(elements[step.Index])
			continue
		}
		if n = tree.Lookup(n, step.Key); n == nil {
			return nil
		}
	}
	return n
}

// Reader does what At does for many locations of a root, which must not change meanwhile: it reads
// each large map once.
type Reader struct {
	root    *tree.Node
	members map[*tree.Node]*tree.Members
}

// NewReader returns a Reader of a root.
func NewReader(root *tree.Node) *Reader { return &Reader{root: root} }

// At returns the node at a location; nil if nothing is there.
func (r *Reader) At(l Location) *tree.Node {
	n := tree.Deref(r.root)
	for _, step := range l {
		if n = r.Next(n, step); n == nil {
			return nil
		}
	}
	return n
}

// Next returns the node that a step from a node of the root leads to; nil if nothing is there.
func (r *Reader) Next(n *tree.Node, step Step) *tree.Node {
	if step.IsIndex {
		return At(n, Location{step})
	}
	return r.Lookup(n, step.Key)
}

// Lookup is tree.Lookup in a map of the root.
func (r *Reader) Lookup(m *tree.Node, key string) *tree.Node {
	if m = tree.Deref(m); !tree.IsMap(m) || len(m.Content) < 2*tree.ManyKeys {
		return tree.Lookup(m, key)
	}
	return tree.Deref(r.Members(m).Get(key))
}

// Members returns those of a map of the root.
func (r *Reader) Members(m *tree.Node) *tree.Members {
	if r.members == nil {
		r.members = map[*tree.Node]*tree.Members{}
	}
	if r.members[m] == nil {
		r.members[m] = tree.MembersOf(m)
	}
	return r.members[m]
}

// Begin returns the node with which the text of the place at the location begins: the key of a
// member, the element of a list, the root. A member that a merge key or an alias brings in begins
// at its value. It is nil if nothing is there.
func Begin(root *tree.Node, l Location) *tree.Node { return NewReader(root).Begin(l) }

// Begin does what Begin does for many locations of a root.
func (r *Reader) Begin(l Location) *tree.Node {
	if len(l) == 0 {
		return tree.Deref(r.root)
	}
	parent, last := r.At(l[:len(l)-1]), l[len(l)-1]
	if !last.IsIndex && tree.IsMap(parent) {
		if key := r.Members(parent).Key(last.Key); key != nil {
			return key
		}
	}
	if last.IsIndex && last.Index >= 0 && last.Index < len(tree.Elements(parent)) {
		return tree.Elements(parent)[last.Index]
	}
	return r.At(l)
}

// Differing returns where two values differ: at members of maps and elements of lists, which are
// compared by their indices, and at the values themselves, as an empty location, if they are
// neither two maps nor two lists. At a location, one of the values may be missing.
func Differing(a, b *tree.Node) []Location {
	return differing(nil, a, b, nil)
}

func differing(found []Location, a, b *tree.Node, at Location) []Location {
	switch {
	case a != nil && b != nil && tree.Equal(a, b):
	case tree.IsMap(a) && tree.IsMap(b):
		here, there := tree.MembersOf(tree.Deref(a)), tree.MembersOf(tree.Deref(b))
		for key, value := range tree.Entries(a) {
			found = differing(found, value, there.Get(key), at.With(Key(key)))
		}
		for key := range tree.Entries(b) {
			if here.Get(key) == nil {
				found = append(found, at.With(Key(key)))
			}
		}
	case tree.IsList(a) && tree.IsList(b):
		here, there := tree.Elements(a), tree.Elements(b)
		for i := range max(len(here), len(there)) {
			found = differing(found, elementAt(here, i), elementAt(there, i), at.With(Index(i)))
		}
	default:
		found = append(found, at)
	}
	return found
}

func elementAt(elements []*tree.Node, i int) *tree.Node {
	if i < len(elements) {
		return elements[i]
	}
	return nil
}
