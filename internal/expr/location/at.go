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
