package applyoperations

import (
	"github.com/krm-fields/krm-fields/internal/jsonpatch"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// createOrUpdate patches an existing object but not its status. A new object is created without
// null members, unless a resourceVersion is required: the object that had it is gone.
var createOrUpdate = Spec{
	Name: "CreateOrUpdate", Doc: "adds the object, or applies it as a merge patch if it exists",
	Payload: fieldObject,
	compile: creating(func(s *store, target *entry, root *tree.Node, resourceVersion string) error {
		switch {
		case target == nil && resourceVersion != "":
			return &conflictError{target: report.RefOf(root), want: resourceVersion}
		case target == nil:
			return s.add(root, func(root *tree.Node) *tree.Node { return jsonpatch.Merge(nil, plainCopy(root)) })
		}
		return s.replace(target, jsonpatch.Merge(target.object.Root(), plainCopy(root)), false, report.ReasonUpdated)
	}),
}
