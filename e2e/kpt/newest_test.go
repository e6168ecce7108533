package kpt

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// TestNewest renders a large package with the newest kpt that the Go module proxy serves: what kpt
// shows and keeps of the results does not grow with the package, and a second render changes
// nothing.
func TestNewest(t *testing.T) {
	t.Parallel()
	const objects, shown = 300, 20
	files := harness.Tree{
		"Kptfile":    kptfile + "  - exec: krm-fields\n    configPath: rules.yaml\n",
		"rules.yaml": strings.Replace(stripReplicas, "ignoreFields:", "action: Annotate\nignoreFields:", 1),
	}
	for i := range objects {
		files[fmt.Sprintf("web-%03d.yaml", i)] = fmt.Sprintf(
			"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-%03d\nspec:\n  replicas: %d\n", i, i)
	}
	folder := harness.CopyPackage(t, shop, files)
	newest, err := filepath.Abs(filepath.Join(harness.Root(), "bin", "kpt-newest"))
	if err != nil {
		t.Fatal(err)
	}
	renderNewest := func() string {
		return harness.Succeed(t, filepath.Dir(folder), newest, "fn", "render", filepath.Base(folder), "--allow-exec", "--results-dir", "results").Stderr
	}
	first := renderNewest()
	if got := strings.Count(first, "[info]"); got != shown+1 {
		t.Errorf("kpt shows %d infos, want %d:\n%s", got, shown+1, first)
	}
	results := harness.ReadTree(t, filepath.Join(filepath.Dir(folder), "results"))["results.yaml"]
	if got := strings.Count(results, "reason: FieldsAnnotated"); got != shown+1 {
		t.Errorf("kpt keeps %d results, want %d", got, shown+1)
	}
	if kept := harness.ReadTree(t, folder)["Kptfile"]; strings.Count(kept, "\n") > 80 {
		t.Errorf("the Kptfile must stay below 80 lines, found:\n%s", kept)
	}
	before := harness.ReadTree(t, folder)
	if second := renderNewest(); strings.Contains(second, "[info]") {
		t.Errorf("the second render must have no results, found:\n%s", second)
	}
	harness.Unchanged(t, before, folder)
}
