package object

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// MaxDepth returns how deep maps and lists may nest in the object so that its text can be read
// again: an element of a YAML list is read as a list, and JSON with the whole ResourceList around
// it.
func (o *Object) MaxDepth() int {
	switch o.format {
	case jsonText:
		return tree.MaxDepth - 2
	case listItem:
		return tree.MaxDepth - 1
	}
	return tree.MaxDepth
}

// Fits tells whether maps and lists in n nest no deeper than levels.
func Fits(n *tree.Node, levels int) bool {
	n = tree.Deref(n)
	if n.Kind == tree.ScalarNode {
		return levels >= 0
	}
	return levels > 0 && !slices.ContainsFunc(n.Content, func(child *tree.Node) bool { return !Fits(child, levels-1) })
}
