package object

import (
	"bytes"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

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
