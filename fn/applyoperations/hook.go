package applyoperations

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FromHook returns the functionConfig for a file of operations that a hook of shell-operator wrote.
// Run checks the operations.
func FromHook(text []byte) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, member := range [][2]string{{"apiVersion", apiVersion}, {"kind", Kind}, {"operationsJSON", string(text)}} {
		value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: member[1]}
		n.Content = append(n.Content, tree.NewString(member[0]), value)
	}
	return n
}
