// Package parallel renders ten packages at once, each in a process of its own, and holds the
// outcomes to those of one process at a time. Processes share the cores, so limits in time are
// near, and may share nothing else.
package parallel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const (
	packages = 10
	objects  = 2000 // in each
)

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m))
}

// configs are the functionConfigs, one of each kind. The packages take them in turn.
var configs = []string{
	`apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
metadata:
  name: owned-by-others
selectors:
- kind: Deployment
ignoreFields:
- jsonPointers: [/spec/replicas]
  jsonPaths: [.metadata.annotations.prometheus\.io/port]
  jqPathExpressions: ['.spec.template.spec.containers[] | select(.name == "proxy")']
`,
	`apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyPatches
metadata:
  name: scrape
patches:
- target:
    kind: Deployment
    where: ${resource.spec.replicas > 1}
  operations:
  - op: replace
    path: /spec/template/spec/containers[?(@.name=='application')]/image
    value: registry.example.com/${resource.metadata.name}:2.0.0
`,
	`apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyOperations
metadata:
  name: day-two
operations:
- operation: JQPatch
  kind: Deployment
  name: web-7
  jqFilter: .spec.replicas += 1
- operation: Delete
  kind: Deployment
  name: web-1999
`,
}

// A rendering is one package with its functionConfig, as a host passes it to the function.
type rendering struct {
	config   string
	manifest string
}

func renderings() []rendering {
	var all []rendering
	for i := range packages {
		all = append(all, rendering{config: configs[i%len(configs)], manifest: manifest(i)})
	}
	return all
}

// TestFunction passes ResourceLists on stdin.
func TestFunction(t *testing.T) {
	var lists []string
	for _, r := range renderings() {
		lists = append(lists, resourceList(r))
	}
	render := func(i int) harness.Outcome { return harness.RunWith(t, ".", lists[i], "krm-fields") }
	var oneAtATime []harness.Outcome
	for i := range lists {
		outcome := render(i)
		if outcome.Code != 0 || !strings.Contains(outcome.Stdout, "\nresults:\n") {
			t.Fatalf("package %d: exit code %d, must be 0, with results\n%s", i, outcome.Code, outcome.Stderr)
		}
		oneAtATime = append(oneAtATime, outcome)
	}
	atOnce := make([]harness.Outcome, len(lists))
	together(len(lists), func(i int) { atOnce[i] = render(i) })
	for i := range lists {
		if oneAtATime[i] != atOnce[i] {
			t.Errorf("package %d differs (-one at a time +at once):\n%s", i, cmp.Diff(oneAtATime[i], atOnce[i]))
		}
	}
}

// TestInPlace renders packages in place that lie side by side in one folder.
func TestInPlace(t *testing.T) {
	before := harness.Tree{}
	for i, r := range renderings() {
		before[fmt.Sprintf("package-%d/config.yaml", i)] = r.config
		before[fmt.Sprintf("package-%d/manifests/deployments.yaml", i)] = r.manifest
	}
	folders := []string{t.TempDir(), t.TempDir()}
	for _, folder := range folders {
		harness.WriteTree(t, folder, before)
	}
	render := func(folder string, i int) string {
		outcome := harness.Run(t, filepath.Join(folder, fmt.Sprintf("package-%d", i)), "krm-fields", "run", "--config",
			"config.yaml", "--in-place", "manifests")
		return fmt.Sprintf("exit code %d\n%s", outcome.Code, outcome.Stderr)
	}
	oneAtATime, atOnce := make([]string, packages), make([]string, packages)
	for i := range packages {
		oneAtATime[i] = render(folders[0], i)
		if !strings.HasPrefix(oneAtATime[i], "exit code 0\n") || !strings.HasSuffix(oneAtATime[i], "wrote manifests/deployments.yaml\n") {
			t.Fatalf("package %d must be written:\n%s", i, oneAtATime[i])
		}
	}
	together(packages, func(i int) { atOnce[i] = render(folders[1], i) })
	if diff := cmp.Diff(oneAtATime, atOnce); diff != "" {
		t.Errorf("what is said differs (-one at a time +at once):\n%s", diff)
	}
	harness.Unchanged(t, harness.ReadTree(t, folders[0]), folders[1])
}

// together does all at once and waits for the last.
func together(n int, do func(int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// manifest returns the Deployments of a package, as YAML documents. Those of two packages differ.
func manifest(number int) string {
	var text strings.Builder
	for i := range objects {
		fmt.Fprintf(&text, `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%d
  annotations:
    prometheus.io/port: '8080' # of the monitoring tool
    example.com/package: "%d"
spec:
  replicas: %d # at least
  template:
    spec:
      containers:
      # Put in by the mesh.
      - name: proxy
        image: registry.example.com/proxy:2.7.1
      - name: application
        image: "registry.example.com/web:1.%d.%d"
`, i, number, 1+i%3, number, i)
	}
	return text.String()
}

// resourceList makes a list of the documents, and the functionConfig.
func resourceList(r rendering) string {
	var list strings.Builder
	list.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	list.WriteString(strings.ReplaceAll(indent(r.manifest), "  ---\n  api", "- api"))
	list.WriteString("functionConfig:\n" + indent(r.config))
	return list.String()
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}
