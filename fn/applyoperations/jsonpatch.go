package applyoperations

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/jsonpatch"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
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
		if redact.IsSecret(op.Target.APIVersion, op.Target.Kind) {
			op.secret = secretOfPatch(n)
		}
		return func(_ *store, target *entry) (*tree.Node, error) {
			patched, err := patch.Apply(target.object.Root())
			if err != nil {
				return nil, fmt.Errorf("%s%w", p.field, err)
			}
			return patched, nil
		}
	}),
}
