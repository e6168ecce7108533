// Package kustomize runs krm-fields under the real kustomize, as an executable.
package kustomize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/e2e/harness"
)

const shop = "../testdata/shop"

const resources = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
- workloads.yaml
- config.yaml
- secret.yaml
- network/service.yaml
`

const inputOrder = `sortOptions:
  order: fifo
`

const transformer = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: owned-by-others
  annotations:
    config.kubernetes.io/function: |
      exec:
        path: krm-fields
`

const threeDialects = transformer + `ignoreFields:
- jsonPaths:
  - .spec.ports[?(@.name=="http")].nodePort
  jsonPointers:
  - /metadata/annotations/prometheus.io~1scrape
  - /metadata/annotations/prometheus.io~1port
  jqPathExpressions:
  - .spec.template.spec.containers[]? | select(.name != "application")
  - .data | to_entries? | map(select(.key | startswith("dynamic-"))) | from_entries
- jsonPointers: [/spec/replicas]
  selectors:
  - group: apps
    kind: Deployment
`

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, "bin/kustomize"))
}

func TestBuild(t *testing.T) {
	tests := []struct {
		name  string
		files harness.Tree
	}{
		{"three-dialects", harness.Tree{
			"kustomization.yaml": resources + inputOrder + "transformers: [ignore.yaml]\n",
			"ignore.yaml":        threeDialects,
		}},
		{"order-of-kustomize", harness.Tree{
			"kustomization.yaml": resources + "transformers: [ignore.yaml]\n",
			"ignore.yaml":        threeDialects,
		}},
		{"after-prefix-and-namespace", harness.Tree{
			"kustomization.yaml": resources + "transformers: [ignore.yaml]\nnamePrefix: eu-\nnamespace: shop-eu\n",
			"ignore.yaml": transformer + `selectors:
- name: eu-w*
  namespace: shop-eu
  kind: Deployment
ignoreFields:
- jsonPointers: [/spec/replicas]
`,
		}},
		{"owners-after-prefix", harness.Tree{
			"kustomization.yaml": resources + "- hpa.yaml\ntransformers: [ignore.yaml]\nnamePrefix: eu-\nnamespace: shop-eu\n",
			"hpa.yaml": `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: shop
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 9
`,
			"ignore.yaml": transformer + "ignoreFields:\n- fromOwners: true\nobjectHash: {emit: false}\n",
		}},
		{"rules-in-an-overlay", harness.Tree{
			"kustomization.yaml":       "resources: [base]\nreplicas: [{name: web, count: 5}]\ntransformers: [rules]\n",
			"base/kustomization.yaml":  "resources: [deployment.yaml]\n",
			"base/deployment.yaml":     "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3, paused: false}\n",
			"rules/kustomization.yaml": "resources: [ignore.yaml]\n",
			"rules/ignore.yaml":        transformer + "ignoreFields:\n- jsonPointers: [/spec/replicas]\n",
		}},
		{"two-transformers", harness.Tree{
			"kustomization.yaml": resources + "transformers: [annotate.yaml, strip.yaml]\n",
			"annotate.yaml":      transformer + "action: Annotate\nignoreFields:\n- jsonPointers: [/spec/replicas]\n",
			"strip.yaml": strings.Replace(transformer, "owned-by-others", "strip", 1) +
				"ignoreFields:\n- fromAnnotation: true\n",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := harness.CopyPackage(t, shop, test.files)
			before := harness.ReadTree(t, folder)
			outcome := build(t, folder)
			if outcome.Code != 0 {
				t.Errorf("exit code: got %d, want 0\n%s", outcome.Code, outcome.Stderr)
			}
			golden.ExpectFile(t, filepath.Join("../testdata/kustomize", test.name, "output.yaml"), outcome.Stdout)
			harness.Unchanged(t, before, folder)
		})
	}
}

// kustomize drops results. What it shows of a failure is the function's stderr.
func TestFailedBuildShowsEveryFault(t *testing.T) {
	for name, config := range map[string]string{
		"failure-many-faults": transformer + `ignoreField: []
ignoreFields:
- jsonPointers: [spec/replicas, /metadata/name]
  jsonPaths: ['.spec.containers[']
- condition: Sometimes
`,
		"failure-no-match": transformer + `ignoreFields:
- jsonPointers: [/spec/replicas, /spec/paused]
onNoMatch: Error
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := harness.CopyPackage(t, shop, harness.Tree{
				"kustomization.yaml": resources + "transformers: [ignore.yaml]\n",
				"ignore.yaml":        config,
			})
			outcome := build(t, folder)
			if outcome.Code != 1 {
				t.Errorf("exit code: got %d, want 1", outcome.Code)
			}
			if outcome.Stdout != "" {
				t.Errorf("stdout must be empty, is:\n%s", outcome.Stdout)
			}
			golden.ExpectFile(t, filepath.Join("../testdata/kustomize", name, "stderr.txt"), outcome.Stderr)
		})
	}
}

func TestExamples(t *testing.T) {
	for _, example := range harness.Examples(t, "kustomization.yaml") {
		t.Run(example.Name, func(t *testing.T) {
			t.Parallel()
			outcome := build(t, example.Folder)
			if outcome.Code != 0 {
				t.Fatalf("exit code: got %d, want 0\n%s", outcome.Code, outcome.Stderr)
			}
			expected := filepath.Join("../testdata/examples", example.Name, "kustomize.yaml")
			golden.ExpectFile(t, expected, outcome.Stdout)
		})
	}
}

func build(t *testing.T, folder string) harness.Outcome {
	t.Helper()
	kustomize, err := filepath.Abs("../../bin/kustomize")
	if err != nil {
		t.Fatal(err)
	}
	return harness.Run(t, folder, kustomize, "build", "--enable-alpha-plugins", "--enable-exec", ".")
}
