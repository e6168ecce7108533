package location

import (
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Begin returns the node with which the text of the place at the location begins: the key of a
// member, the element of a list, the root. A member that a merge key or an alias brings in begins
// at its value. It is nil if nothing is there.
func Begin(root *tree.Node, l Location) *tree.Node {
	if len(l) == 0 {
		return tree.Deref(root)
	}
	parent, last := At(root, l[:len(l)-1]), l[len(l)-1]
	if !last.IsIndex && tree.IsMap(parent) {
		for i := 0; i+1 < len(parent.Content); i += 2 {
			if key := tree.Deref(parent.Content[i]); key.Text() == last.Key && !tree.IsMergeKey(parent.Content[i]) {
				return parent.Content[i]
			}
		}
	}
	if last.IsIndex && last.Index >= 0 && last.Index < len(tree.Elements(parent)) {
		return tree.Elements(parent)[last.Index]
	}
	return At(root, l)
}
