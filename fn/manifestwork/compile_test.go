package manifestwork

import (
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestSize has manifests that together are as large as the hub allows, and one byte larger.
func TestSize(t *testing.T) {
	const frame = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":""}}`
	for more, faults := range []int{0, 1} {
		value := strings.Repeat("x", maxSize-len(frame)+more)
		root, err := tree.Parse([]byte(`{manifests: [` + strings.Replace(frame, `"a":""`, `"a":"`+value+`"`, 1) + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		var c workCompiler
		if c.workload(root, location.Location{}); len(c.Faults) != faults {
			t.Errorf("%d bytes more than allowed: got %d faults, want %d", more, len(c.Faults), faults)
		}
	}
}
