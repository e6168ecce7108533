package redact_test

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FuzzTexts looks for Secrets in any string, which must end, and leave a text without one as it is.
func FuzzTexts(f *testing.F) {
	for _, text := range []string{
		"the kind of a Secret", `"\x41"`, `'"\u0041 kind of Secret"'`, "|\n kind Secret", "- kind\n- Secret", "kind: Secret\ndata: {a: aGlkZGVu}",
		"a kind\n---\nSecret", "&a kind Secret", "!!str kind Secret", "\ufeff{\"kind\": \"Secret\"}", "kind: [Secret", `\L`, `"\Lkind Secret"`, "kind: Secret\n0: !0",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root := tree.NewMap("kind", "ConfigMap", "data", tree.NewMap("a", text))
		shown := redact.Of(root)
		before, after := shown.Copies(root, root)
		if !shown.HasSecret() && (!tree.Equal(before, root) || !tree.Equal(after, root)) {
			t.Errorf("without a Secret the copies must be equal to %q", text)
		}
	})
}
