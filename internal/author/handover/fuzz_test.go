package handover

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FuzzUndo reads what --save has not written, and undoes it on any object.
func FuzzUndo(f *testing.F) {
	f.Add(`{"kind": "Handover", "objects": [{"kind": "A", "name": "a", "uid": "u", "before": [{"manager": "helm"}], "after": [{}, 1, null],
"removed": {"labels": {"a/b~c": "x"}, "other": {"": ""}}}]}`, `metadata: {uid: u, labels: [], managedFields: [1, {manager: helm, subresource: 2}]}`)
	f.Add(`{"kind": "Handover", "objects": [{"before": null, "after": [], "removed": {"annotations": {"a": "b"}}}]}`, `metadata: {managedFields: {}}`)
	f.Add(`[]`, `1`)
	f.Fuzz(func(t *testing.T, text, live string) {
		root, err := tree.Parse([]byte(live))
		if err != nil {
			return
		}
		path := filepath.Join(t.TempDir(), "saved.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		saved, err := ReadSaved(path)
		if err != nil {
			return
		}
		for i, r := range saved.Objects {
			removed, entries, err := r.Undo(root, saved.Objects[:i])
			if err != nil && (removed != nil || entries != nil) {
				t.Errorf("nothing must be put back with the error %q", err)
			}
			if removed != nil && entries == nil {
				t.Error("labels and annotations must not be put back without the entries")
			}
		}
	})
}
