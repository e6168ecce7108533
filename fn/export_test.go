package fn

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
)

// AddKind adds a kind to the table, for the time of a test.
func AddKind(t *testing.T, kind Kind) {
	before := table
	t.Cleanup(func() {
		table = before
		selector.SetFunctionConfigs(names())
	})
	table = append(Kinds(), kind)
	selector.SetFunctionConfigs(names())
}
