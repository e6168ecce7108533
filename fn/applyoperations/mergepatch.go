package applyoperations

import (
	"github.com/krm-fields/krm-fields/internal/jsonpatch"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var mergePatch = Spec{
	Name: "MergePatch", Doc: "applies a JSON Merge Patch (RFC 7386)",
	Payload: fieldMergePatch, IsPatch: true,
	compile: patching(func(c *compiler, op *operation, p payload) transform {
		patch := c.data(p, tree.Map)
		op.Raw = patch
		return func(_ *store, target *storedObject) (before, after *tree.Node, err error) {
			return jsonpatch.Merge(target.object.Lookup, target.object.Root(), plainCopy(patch))
		}
	}),
}
