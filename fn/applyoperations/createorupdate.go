package applyoperations

import (
	"github.com/krm-fields/krm-fields/internal/jsonpatch"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var createOrUpdate = Spec{
	Name: "CreateOrUpdate", Doc: "adds the object, or applies it as a merge patch if it exists",
	Payload: fieldObject, compile: creating(createOrPatch),
}

// createOrPatch patches an existing object but not its status. A new object is created without null
// members, unless a resourceVersion is required: the object that had it is gone.
func createOrPatch(root *tree.Node, resourceVersion string) action {
	return func(s *store, target *entry) error {
		if target == nil && resourceVersion != "" {
			return &conflictError{target: report.RefOf(root), want: resourceVersion}
		}
		if target == nil {
			return s.add(root, func(root *tree.Node) *tree.Node { return jsonpatch.Merge(nil, plainCopy(root)) })
		}
		merged := jsonpatch.Merge(target.object.Root(), plainCopy(root))
		return s.replace(target, merged, false, report.ReasonUpdated)
	}
}
