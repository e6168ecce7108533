package kpt

import (
	"path/filepath"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// Each of these fails, and every file stays as it was.
var failures = map[string]string{
	"failure-many-faults": `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: many-faults
ignoreField: []
ignoreFields:
- jsonPointers: [spec/replicas, /metadata/name]
  jsonPaths: ['.spec.containers[']
  jqPathExpressions: ['.spec | select(']
- condition: Sometimes
`,
	"failure-unknown-kind": `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreField
metadata:
  name: unknown-kind
`,
	"failure-missing-field": `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: missing-field
selectors:
- group: apps
ignoreFields:
- jsonPointers: [/spec/replicas, /spec/serviceName]
onMissing: Error
`,
	"failure-runtime-error": `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: runtime-error
ignoreFields:
- jqPathExpressions: ['.spec.ports[] | select(.name == "http")']
`,
	"failure-no-match": `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: no-match
ignoreFields:
- jsonPointers: [/spec/replicas, /spec/paused]
onNoMatch: Error
`,
}

func TestFailedEvalChangesNothing(t *testing.T) {
	for name, config := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := harness.CopyPackage(t, shop, nil)
			before := harness.ReadTree(t, folder)
			outcome := evalConfig(t, folder, config)
			if outcome.Code != 1 {
				t.Errorf("exit code: got %d, want 1", outcome.Code)
			}
			harness.Unchanged(t, before, folder)
			expectOutput(t, filepath.Join(expectedFolder(name), "eval"), filepath.Dir(folder), outcome)
		})
	}
}

func TestFailedRenderChangesNothing(t *testing.T) {
	for name, config := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := harness.CopyPackage(t, shop, harness.Tree{
				"Kptfile":     kptfile + "  - exec: krm-fields\n    configPath: config.yaml\n",
				"config.yaml": config,
			})
			before := harness.ReadTree(t, folder)
			outcome := render(t, folder)
			if outcome.Code != 1 {
				t.Errorf("exit code: got %d, want 1", outcome.Code)
			}
			harness.Unchanged(t, before, folder)
			expectOutput(t, filepath.Join(expectedFolder(name), "render"), filepath.Dir(folder), outcome)
		})
	}
}
