package image

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// hardened are the restrictions under which the function must work: those of kpt and kustomize, and
// more.
var hardened = []string{
	"run", "--rm", "--interactive", "--network", "none", "--user", "nobody", "--read-only", "--cap-drop", "ALL",
	"--security-opt", "no-new-privileges", "--memory", "256m",
}

const config = `functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: IgnoreFields
  metadata:
    name: owned-by-others
  ignoreFields:
  - jsonPointers: [/spec/replicas]
    jsonPaths: [.metadata.annotations.prometheus\.io/port]
    jqPathExpressions: ['.spec.template.spec.containers[] | select(.name == "proxy")']
`

const patches = `functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: ApplyPatches
  metadata:
    name: raise
  patches:
  - target: {kind: Deployment}
    operations:
    - {op: replace, path: /spec/replicas, value: "${resource.spec.replicas + 1}"}
`

const operations = `functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: ApplyOperations
  metadata:
    name: raise
  operations:
  - {operation: JQPatch, kind: Deployment, name: web-1, jqFilter: .spec.replicas += 1}
`

// jq returns a functionConfig with a rule that takes what the guard of jq forbids. The limit of the
// container is no other than that of the guard, so the guard must act before the engine does.
func jq(condition string) string {
	return strings.Replace(config, `.name == "proxy"`, condition, 1)
}

func TestHardened(t *testing.T) {
	tests := []struct {
		name  string
		stdin string
		code  int
	}{
		{"success", resourceList(3) + config, 0},
		{"five-thousand-objects", resourceList(5000) + config, 0},
		{"faulty-config", resourceList(3) + strings.Replace(config, "/spec", "spec", 1), 1},
		{"no-resource-list", "kind: List\n", 1},
		{"patches", resourceList(3) + patches, 0},
		{"operations", resourceList(3) + operations, 0},
		{"jq-takes-memory", resourceList(1) + jq(`("x" * 1000000000) != ""`), 1},
		{"jq-takes-time", resourceList(1) + jq("last(range(1e12)) > 0"), 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := harness.RunWith(t, ".", test.stdin, "krm-fields")
			if want.Code != test.code {
				t.Fatalf("exit code without a container: got %d, want %d\n%s", want.Code, test.code, want.Stderr)
			}
			got := harness.RunWith(t, ".", test.stdin, "docker", append(hardened, image)...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("without a container and in one (-without +in):\n%s", diff)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	outcome := harness.Succeed(t, ".", "docker", append(hardened, image, "--version")...)
	if !strings.Contains(outcome.Stdout, version) {
		t.Errorf("--version must print %q, prints %q", version, outcome.Stdout)
	}
}

// resourceList returns the part of a ResourceList before its functionConfig, with n Deployments.
func resourceList(n int) string {
	var list strings.Builder
	list.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for i := range n {
		fmt.Fprintf(&list, `- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web-%d
    annotations:
      prometheus.io/port: '8080' # kept apart
      note: "stays"
  spec:
    replicas: 3 # at least
    template:
      spec:
        containers:
        # Put in by the mesh.
        - name: proxy
          image: registry.example.com/proxy:2.7.1
        - name: application
          image: "registry.example.com/web:1.4.2"
`, i)
	}
	return list.String()
}

// There is nothing to run in the image but the function.
func TestNoShell(t *testing.T) {
	for _, shell := range []string{"sh", "/bin/sh", "/bin/bash", "/bin/busybox"} {
		outcome := harness.Run(t, ".", "docker", "run", "--rm", "--entrypoint", shell, image, "-c", "true")
		if outcome.Code != 127 {
			t.Errorf("%s: exit code %d, want 127, not found\n%s", shell, outcome.Code, outcome.Stderr)
		}
	}
}
