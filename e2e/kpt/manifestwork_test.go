package kpt

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// works has the ManifestWorks and the ManifestWorkReplicaSet of the examples in the proposal
// "Enhanced IgnoreField Selectors for ManifestWork".
const works = "../testdata/works"

const validateWorks = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: works
manifestWorks: Validate
`

var reportWorks = strings.Replace(validateWorks, "Validate", "Report", 1)

func TestEvalValidatesWorks(t *testing.T) {
	t.Parallel()
	folder := harness.CopyPackage(t, works, nil)
	before := harness.ReadTree(t, folder)
	outcome := evalConfig(t, folder, validateWorks)
	if outcome.Code != 0 {
		t.Errorf("exit code: got %d, want 0", outcome.Code)
	}
	harness.Unchanged(t, before, folder)
	expectOutput(t, expectedFolder("works-validate"), filepath.Dir(folder), outcome)
}

// brokenWorks change one of the works in each of the ways that the proposal lists under "Runtime
// errors include", and in one that its webhook refuses.
var brokenWorks = map[string]struct {
	file, from, to string
	config         string
}{
	"works-timeout": {
		file: "app-pod.yaml", from: ".spec.initContainers[]?", to: ".spec.containers[] | until(false; .)", config: validateWorks,
	},
	"works-type-mismatch": {
		file: "deployment-with-hpa.yaml", from: "jsonPointers:\n          - /spec/replicas",
		to: "jqPathExpressions:\n          - .spec.replicas[]", config: validateWorks,
	},
	"works-function-error": {
		file: "app-pod.yaml", from: ".spec.initContainers[]?", to: ".metadata.labels | fromjson", config: validateWorks,
	},
	"works-pointer-error": {
		file: "deployment-with-hpa.yaml", from: "/spec/replicas", to: "/spec/nonexistent",
		config: validateWorks + "onMissing: Error\n",
	},
	"works-syntax-error": {
		file: "rollout-config.yaml", from: ".spec.http[].route[].weight", to: ".spec.http[.route[].weight", config: validateWorks,
	},
}

func TestEvalRefusesBrokenWorks(t *testing.T) {
	for name, broken := range brokenWorks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := packageWith(t, broken.file, broken.from, broken.to)
			before := harness.ReadTree(t, folder)
			outcome := evalConfig(t, folder, broken.config)
			if outcome.Code != 1 {
				t.Errorf("exit code: got %d, want 1", outcome.Code)
			}
			harness.Unchanged(t, before, folder)
			expectOutput(t, expectedFolder(name), filepath.Dir(folder), outcome)
		})
	}
}

// Under Report the run succeeds, and the status tells.
func TestEvalReportsBrokenWorks(t *testing.T) {
	t.Parallel()
	broken := brokenWorks["works-function-error"]
	folder := packageWith(t, broken.file, broken.from, broken.to)
	before := harness.ReadTree(t, folder)
	outcome := evalConfig(t, folder, reportWorks)
	if outcome.Code != 0 {
		t.Errorf("exit code: got %d, want 0", outcome.Code)
	}
	first := harness.ReadTree(t, folder)
	harness.ExpectTree(t, filepath.Join(expectedFolder("works-report"), "package.txtar"), before, first)
	expectOutput(t, expectedFolder("works-report"), filepath.Dir(folder), outcome)
	if outcome := evalConfig(t, folder, reportWorks); outcome.Code != 0 {
		t.Errorf("exit code of the second run: got %d, want 0", outcome.Code)
	}
	harness.Unchanged(t, first, folder)
}

// packageWith makes a package of one of the works, with one text in it replaced.
func packageWith(t *testing.T, file, from, to string) string {
	t.Helper()
	content := harness.ReadTree(t, works)[file]
	if !strings.Contains(content, from) {
		t.Fatalf("%s must have %q", file, from)
	}
	folder := filepath.Join(t.TempDir(), "works")
	harness.WriteTree(t, folder, harness.Tree{file: strings.Replace(content, from, to, 1)})
	return folder
}
