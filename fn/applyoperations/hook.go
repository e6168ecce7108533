package applyoperations

import (
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FromHook returns the functionConfig for a file of operations that a hook of shell-operator wrote.
// Run checks the operations.
func FromHook(text []byte) *tree.Node {
	n := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag}
	for _, member := range [][2]string{{"apiVersion", apiVersion}, {"kind", Kind}, {"operationsJSON", string(text)}} {
		value := tree.NewScalar(tree.StringTag, member[1])
		n.Content = append(n.Content, tree.NewString(member[0]), value)
	}
	return n
}
