package fn

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/krm/kinds"
)

// AddKind adds a kind to the table, for the time of a test.
func AddKind(t *testing.T, kind Kind) {
	before := table
	t.Cleanup(func() {
		table = before
		kinds.Set(names())
	})
	table = append(Kinds(), kind)
	kinds.Set(names())
}
