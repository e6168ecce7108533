package resourcelist

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// addAliases notes the nodes of an element of the items, and those of its aliases that stand for
// nodes outside it.
func (c *cutList) addAliases(i int, element *tree.Node) {
	var own func(n *tree.Node)
	own = func(n *tree.Node) {
		if n.Anchor() != "" {
			c.owners[n] = i
		}
		for _, child := range n.Content {
			own(child)
		}
	}
	own(element)
	for _, alias := range aliases(element) {
		if owner, ok := c.owners[alias.Alias()]; !ok || owner != i {
			c.items[i].aliases = append(c.items[i].aliases, alias)
		}
	}
}

// aliases returns the aliases in n, in their order.
func aliases(n *tree.Node) []*tree.Node {
	if n.Kind == tree.AliasNode {
		return []*tree.Node{n}
	}
	var all []*tree.Node
	for _, child := range n.Content {
		all = append(all, aliases(child)...)
	}
	return all
}

// alone returns the text of the piece, which begins at an offset of the list, with the values of
// nodes outside it in place of their aliases.
func (p piece) alone(offset int) []byte {
	if len(p.aliases) == 0 {
		return p.text
	}
	var text []byte
	at := 0
	for _, alias := range p.aliases {
		start := alias.Start() - offset
		text = tree.AppendInline(append(text, p.text[at:start]...), tree.Copy(alias), true)
		at = start + len("*") + len(alias.Text())
	}
	return append(text, p.text[at:]...)
}

// asRead returns the texts of the unchanged items with aliases of nodes in other items that are
// still before them.
func (c *cutList) asRead(items []*object.Object) map[*object.Object][]byte {
	if len(c.owners) == 0 {
		return nil
	}
	number := map[*object.Object]int{}
	for i, p := range c.items {
		number[p.object] = i
	}
	texts, before := map[*object.Object][]byte{}, map[int]bool{}
	last := -1
	for _, item := range items {
		i, ok := number[item]
		if !ok || i < last { // a new item may have an anchor of the same name
			break
		}
		last = i
		p := c.items[i]
		isThere := func(alias *tree.Node) bool {
			owner, isInItem := c.owners[alias.Alias()]
			return !isInItem || before[owner] && has(c.items[owner].object, alias.Alias())
		}
		if len(p.aliases) > 0 && !item.Changed() && !slices.ContainsFunc(p.aliases, func(alias *tree.Node) bool { return !isThere(alias) }) {
			texts[item] = p.text
		}
		before[i] = true
	}
	return texts
}

// has tells whether an item, which may have changed, still has an anchored node, and no other one
// of its name.
func has(item *object.Object, anchored *tree.Node) bool {
	if !item.Changed() {
		return true
	}
	var found []*tree.Node
	var find func(n *tree.Node)
	find = func(n *tree.Node) {
		if n.Anchor() == anchored.Anchor() {
			found = append(found, n)
		}
		for _, child := range n.Content {
			find(child)
		}
	}
	if item.Flush() != nil {
		return false
	}
	find(item.Root())
	return len(found) == 1 && tree.Equal(found[0], anchored)
}
