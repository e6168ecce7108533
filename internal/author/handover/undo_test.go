package handover

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestUndoAgain undoes two handovers of an object where both are undone already.
func TestUndoAgain(t *testing.T) {
	entries := func(manager string) []any { return []any{map[string]any{"manager": manager, "operation": "Apply"}} }
	records := []Record{{Before: entries("helm"), After: entries("flux")}, {Before: entries("flux"), After: entries("argocd")}}
	live := tree.FromValue(map[string]any{"metadata": map[string]any{"managedFields": entries("helm")}})
	for i, r := range records {
		if removed, patches, err := r.Undo(live, records[:i]); removed != nil || patches != nil || err != nil {
			t.Errorf("record %d: there must be nothing to undo, found %v, %v, %v", i, removed, patches, err)
		}
	}
	other := tree.FromValue(map[string]any{"metadata": map[string]any{"managedFields": entries("kpt")}})
	if _, _, err := records[1].Undo(other, records[:1]); err == nil {
		t.Error("an object that others have written must be an error")
	}
}
