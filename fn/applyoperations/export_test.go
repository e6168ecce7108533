package applyoperations

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// AddReplace adds an operation to the table, for the time of a test: it replaces an object that is
// there.
func AddReplace(t *testing.T) {
	before := specs
	t.Cleanup(func() { specs = before })
	specs = append(Specs(), Spec{
		Name: "Replace", Doc: "replaces the object that is there", Payload: fieldObject,
		compile: creating(func(s *store, target *storedObject, root *tree.Node, _ string) error {
			if target == nil {
				return missingError(report.RefOf(root), nil)
			}
			return s.replace(target, target.object.Root(), plainCopy(root), false, report.ReasonUpdated)
		}),
	})
}
