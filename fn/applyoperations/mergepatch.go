package applyoperations

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/mergepatch"
	"github.com/krm-fields/krm-fields/fn/tree"
)

func (c *compiler) mergePatch(p payload) transform {
	patch := c.data(p, tree.Map)
	return func(root *yaml.Node) (*yaml.Node, error) {
		return mergepatch.Apply(root, patch), nil
	}
}
