package applyoperations

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/jsonpatch"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var jsonPatch = Spec{
	Name: "JSONPatch", Doc: "applies a JSON Patch (RFC 6902)",
	Payload: fieldJSONPatch, IsPatch: true,
	compile: patching(func(c *compiler, op *operation, p payload) transform {
		n := c.data(p, tree.List)
		if n == nil {
			return nil
		}
		op.Raw = n
		patch, faults := jsonpatch.Parse(plainCopy(n), p.path)
		c.faults = append(c.faults, faults...)
		op.moves = slices.ContainsFunc(tree.Elements(n), func(n *tree.Node) bool { return tree.Get(n, "from") != nil })
		return func(_ *store, target *storedObject) (before, after *tree.Node, err error) {
			before, after, err = patch.Apply(target.object.Lookup, target.object.Root())
			if err != nil {
				return nil, nil, fmt.Errorf("%s%w", p.field, err)
			}
			return before, plainCopy(after), nil
		}
	}),
}
