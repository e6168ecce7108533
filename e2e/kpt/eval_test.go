package kpt

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const threeDialects = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: owned-by-others
ignoreFields:
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

const secretPassword = `apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: session-key
selectors:
- kind: Secret
ignoreFields:
- jsonPointers: [/data/password]
objectHash:
  emit: false
`

// A function that copies its input shows what kpt itself does to the package: nothing. So every
// difference in the expected files is ours.
func TestHostAloneChangesNothing(t *testing.T) {
	t.Parallel()
	folder := harness.CopyPackage(t, shop, nil)
	before := harness.ReadTree(t, folder)
	harness.Succeed(t, folder, "kpt", "fn", "eval", ".", "--exec", "cat")
	harness.Unchanged(t, before, folder)
}

func TestEvalConfigFile(t *testing.T) {
	for name, config := range map[string]string{
		"eval-three-dialects": threeDialects,
		"eval-secret":         secretPassword,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := harness.CopyPackage(t, shop, nil)
			outcome := evalConfig(t, folder, config)
			if outcome.Code != 0 {
				t.Errorf("exit code: got %d, want 0", outcome.Code)
			}
			harness.ExpectTree(t, filepath.Join(expectedFolder(name), "package.txtar"), harness.ReadTree(t, shop), harness.ReadTree(t, folder))
			expectOutput(t, expectedFolder(name), filepath.Dir(folder), outcome)
		})
	}
}

func TestEvalArguments(t *testing.T) {
	for name, args := range map[string][]string{
		"eval-arguments": {"jsonPointers=/spec/replicas", "kind=Deployment"},
		"eval-arguments-lines": {
			"jsonPaths=.spec.replicas\n.spec.serviceName", "group=apps", "excludeName=web", "objectHash=false",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := harness.CopyPackage(t, shop, nil)
			outcome := eval(t, folder, append([]string{"--"}, args...)...)
			if outcome.Code != 0 {
				t.Errorf("exit code: got %d, want 0", outcome.Code)
			}
			harness.ExpectTree(t, filepath.Join(expectedFolder(name), "package.txtar"), harness.ReadTree(t, shop), harness.ReadTree(t, folder))
			expectOutput(t, expectedFolder(name), filepath.Dir(folder), outcome)
		})
	}
}

func TestOrderOfResources(t *testing.T) {
	t.Parallel()
	folder := harness.CopyPackage(t, shop, nil)
	copied := harness.Succeed(t, folder, "kpt", "fn", "eval", ".", "--exec", "cat", "-o", "unwrap")
	run := harness.Succeed(t, folder, "kpt", "fn", "eval", ".", "--exec", "krm-fields", "-o", "unwrap",
		"--", "jsonPointers=/spec/replicas", "objectHash=false")
	if diff := cmp.Diff(names(copied.Stdout), names(run.Stdout)); diff != "" {
		t.Errorf("kinds and names in the order of the output (-copied +run):\n%s", diff)
	}
}

var kindOrName = regexp.MustCompile(`(?m)^(kind|  name): .*$`)

// names returns the kinds and names of a stream of manifests, in its order.
func names(manifests string) []string {
	return kindOrName.FindAllString(manifests, -1)
}

func TestSecondRunChangesNothing(t *testing.T) {
	t.Parallel()
	folder := harness.CopyPackage(t, shop, nil)
	evalConfig(t, folder, threeDialects)
	first := harness.ReadTree(t, folder)
	outcome := evalConfig(t, folder, threeDialects)
	if outcome.Code != 0 {
		t.Errorf("exit code: got %d, want 0", outcome.Code)
	}
	harness.Unchanged(t, first, folder)
}

// evalConfig evaluates the package with a functionConfig that lies beside it.
func evalConfig(t *testing.T, folder, config string) harness.Outcome {
	t.Helper()
	harness.WriteTree(t, filepath.Dir(folder), harness.Tree{"config.yaml": config})
	return eval(t, folder, "--fn-config", "config.yaml")
}

// eval evaluates the package in place. The results go to the folder results beside it.
func eval(t *testing.T, folder string, args ...string) harness.Outcome {
	t.Helper()
	command := []string{"fn", "eval", filepath.Base(folder), "--exec", "krm-fields", "--results-dir", "results"}
	return harness.Run(t, filepath.Dir(folder), "kpt", append(command, args...)...)
}
