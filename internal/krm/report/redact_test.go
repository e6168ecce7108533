package report

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestRedactPlace masks what a fault quotes, and not the place that our own words say.
func TestRedactPlace(t *testing.T) {
	mask := &redact.Mask{}
	mask.Add(tree.NewMap("apiVersion", "v1", "kind", "Secret", "stringData", tree.NewMap("a", "1", "b", "hunter2")))
	fault := Fault{Message: `invalid JSONPath '.a[1' (line 1, column 3): found "hunter2" at 1`, Place: "line 1, column 3"}
	result := FaultResults([]Fault{fault}, Ref{}, File{})[0].Redacted(mask)
	if want := `invalid JSONPath '.a[1' (line 1, column 3): found "***" at ***`; result.Message != want {
		t.Errorf("must be %s, found %s", want, result.Message)
	}
}
