package applyoperations

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/guard"
)

// TestLimitNamesFilter checks the result of a filter that the guard ends.
func TestLimitNamesFilter(t *testing.T) {
	u := underWay{operation: operation{hasFilter: true}}
	got := u.Report(&guard.LimitError{Noun: "JQ expression", Text: ".data", Reason: "exceeded 64Mi of memory"}).Tags
	want := map[string]string{"reason": "OperationError", "selector": "jq", "expression": ".data"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
}
