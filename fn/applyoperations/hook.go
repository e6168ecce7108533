package applyoperations

import (
	"slices"

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

// IsHook tells whether a text is one that FromHook takes: each of its documents is an operation.
func IsHook(text []byte) bool {
	all := readStream(string(text))
	return len(all) > 0 && !slices.ContainsFunc(all, func(s streamed) bool {
		return tree.Lookup(s.node, "operation") == nil && tree.Lookup(s.node, "operationType") == nil
	})
}
