package applyoperations

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/mergepatch"
)

var createOrUpdate = Spec{
	Name: "CreateOrUpdate", Doc: "adds the object, or applies it as a merge patch to the one that is there",
	Payload: fieldObject, compile: creating(createOrPatch),
}

// createOrPatch patches an object that is there and leaves its status alone. A new one comes
// without the members that are null; there must be none where a resourceVersion is asked for, since
// the object that had it has gone.
func createOrPatch(root *yaml.Node, resourceVersion string) action {
	return func(s *store, target *entry) error {
		if target == nil && resourceVersion != "" {
			return &conflictError{target: report.RefOf(root), want: resourceVersion}
		}
		if target == nil {
			return s.add(root, func(root *yaml.Node) *yaml.Node { return mergepatch.Apply(nil, asWritten(root)) })
		}
		patch, err := writtenFor(target.account, root)
		if err != nil {
			return err
		}
		merged := mergepatch.Apply(target.object.Root(), patch)
		return s.replace(target, merged, false, report.ReasonUpdated)
	}
}
