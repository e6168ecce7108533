//go:build nopatches

package engine

import (
	"encoding/json"
	"testing"
)

// TestWithoutPatches asks an engine without ApplyPatches for it: the page must learn which other
// engine has it.
func TestWithoutPatches(t *testing.T) {
	const config = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyPatches\npatches:\n- "
	for _, op := range []string{"run", "complete", "convert", "formats", "fromError"} {
		text, err := json.Marshal(map[string]any{"id": 1, "op": op, "config": config, "line": 4, "column": 3})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(Answer(text)), `{"id":1,"needs":"patches"}`; got != want {
			t.Errorf("%s: got %s, want %s", op, got, want)
		}
	}
}

// TestWithoutPatchesTheOthersRun runs a functionConfig of a kind that the engine has.
func TestWithoutPatchesTheOthersRun(t *testing.T) {
	got := ask[runAnswer](t, map[string]string{
		"op": "run", "manifests": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {b: c}\n",
		"config": "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: a}\nignoreFields:\n- jsonPointers: [/data]\n",
	})
	if got.Failed || len(got.Matches) != 1 {
		t.Errorf("one field must be found, found %v, %v", got.Matches, got.Errors)
	}
}
