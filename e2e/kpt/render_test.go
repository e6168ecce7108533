package kpt

import (
	"path/filepath"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const kptfile = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: shop
  annotations:
    config.kubernetes.io/local-config: "true"
pipeline:
  mutators:
`

const stripReplicas = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: strip-replicas
  annotations:
    config.kubernetes.io/local-config: "true"
ignoreFields:
- jsonPointers: [/spec/replicas]
`

func TestRender(t *testing.T) {
	tests := []struct {
		name  string
		files harness.Tree
	}{
		{"render-selectors-of-kptfile", harness.Tree{
			"Kptfile": kptfile + `  - exec: krm-fields
    configPath: strip.yaml
    selectors:
    - apiVersion: apps/v1
    exclude:
    - name: worker
`,
			"strip.yaml": stripReplicas,
		}},
		{"render-own-selectors", harness.Tree{
			"Kptfile": kptfile + `  - exec: krm-fields
    configPath: strip.yaml
`,
			"strip.yaml": stripReplicas + `selectors:
- group: apps
exclude:
- name: work*
`,
		}},
		{"render-two-functions", harness.Tree{
			"Kptfile": kptfile + `  - exec: krm-fields
    configPath: strip.yaml
  - exec: krm-fields
    configMap:
      jsonPointers: /spec/ports/0/nodePort
      kind: Service
`,
			"strip.yaml": stripReplicas,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := harness.CopyPackage(t, shop, test.files)
			before := harness.ReadTree(t, folder)
			outcome := render(t, folder)
			if outcome.Code != 0 {
				t.Errorf("exit code: got %d, want 0", outcome.Code)
			}
			harness.ExpectTree(t, filepath.Join(expectedFolder(test.name), "package.txtar"), before, harness.ReadTree(t, folder))
			expectOutput(t, expectedFolder(test.name), filepath.Dir(folder), outcome)
		})
	}
}

func TestSecondRenderChangesNothing(t *testing.T) {
	t.Parallel()
	folder := harness.CopyPackage(t, shop, harness.Tree{
		"Kptfile":    kptfile + "  - exec: krm-fields\n    configPath: strip.yaml\n",
		"strip.yaml": stripReplicas,
	})
	render(t, folder)
	first := harness.ReadTree(t, folder)
	outcome := render(t, folder)
	if outcome.Code != 0 {
		t.Errorf("exit code: got %d, want 0", outcome.Code)
	}
	harness.Unchanged(t, first, folder)
}

func TestExamples(t *testing.T) {
	for _, example := range harness.Examples(t, "Kptfile") {
		t.Run(example.Name, func(t *testing.T) {
			t.Parallel()
			folder := harness.CopyPackage(t, example.Folder, example.Live(t))
			before := harness.Rendered(t, folder)
			harness.Succeed(t, folder, "kpt", "fn", "render", "--allow-exec")
			harness.ExpectTree(t, example.Expected(), before, harness.Rendered(t, folder))
		})
	}
}

// render renders the package in place. The results go to the folder results beside it.
func render(t *testing.T, folder string) harness.Outcome {
	t.Helper()
	return harness.Run(t, filepath.Dir(folder),
		"kpt", "fn", "render", filepath.Base(folder), "--allow-exec", "--results-dir", "results")
}
