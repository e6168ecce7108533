package applyoperations

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/mergepatch"
	"github.com/krm-fields/krm-fields/fn/tree"
)

func (c *compiler) mergePatch(p payload) transform {
	patch := c.data(p, tree.Map)
	return func(target *entry) (*yaml.Node, error) {
		patch, err := writtenFor(target.account, patch)
		if err != nil {
			return nil, err
		}
		return mergepatch.Apply(target.object.Root(), patch), nil
	}
}
