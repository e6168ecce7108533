package fn_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCores runs on lists that are long enough to be spread over the cores: the output must be that
// of one core.
func TestCores(t *testing.T) {
	var items strings.Builder
	for i := range 200 {
		kind := []string{"Deployment", "Secret", "ConfigMap"}[i%3]
		fmt.Fprintf(&items, "- apiVersion: v1\n  kind: %s\n  metadata:\n    name: n%d\n    annotations:\n      a: x # why\n", kind, i)
		if i%5 == 0 {
			items.WriteString("      fn.kpt.dev/ignore-fields: '[{jsonPaths: [.data.own]}]'\n")
		}
		fmt.Fprintf(&items, "  data: {own: a, password: c2VjcmV0LXZhbHVl, n: %d}\n  spec:\n    replicas: %d\n    list:\n    - a: 1\n    - b: 2\n", i, i)
	}
	for name, functionConfig := range map[string]string{
		"strip": `  kind: IgnoreFields
  jq: {timeout: 10m} # however busy the machine is
  ignoreFields:
  - jsonPointers: [/spec/replicas, /metadata/annotations/a]
    jsonPaths: ['.spec.list[*].a', .spec.replica]
    jqPathExpressions: ['.data | to_entries | map(select(.key == "n")) | from_entries', '.nothing[]?']
  - jsonPointers: [/data/password]
    selectors: [{kind: Secret}]
  - jsonPaths: [.data.own]
    exclude: [{kind: Nothing}]
`,
		"annotate": `  kind: IgnoreFields
  jq: {timeout: 10m}
  action: Annotate
  annotate: {comments: true}
  onMissing: Warn
  ignoreFields:
  - jqPathExpressions: ['.spec.list[] | .a?', '.spec.replicas | select(. > 100)']
`,
		"errors": `  kind: IgnoreFields
  jq: {timeout: 10m}
  ignoreFields:
  - jqPathExpressions: ['.data.password | if . == "x" then . else error end', '.spec.replicas[0]?, .spec.list[0].a.b']
`,
		"patches": `  kind: ApplyPatches
  parameters: {more: [x, y]}
  patches:
  - target: {kind: Deployment, where: resource.spec.replicas > 10}
    forEach: ${parameters.more}
    operations:
    - {op: ensure, path: /spec/list, key: name, value: {name: "${item}", of: "${resource.metadata.name}"}}
  - target: {kind: Secret}
    operations:
    - {op: replace, path: "/data/password", value: "${resource.data.n}"}
  removes:
  - target: {where: resource.spec.replicas % 7 == 3}
`,
	} {
		t.Run(name, func(t *testing.T) {
			input := []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + items.String() +
				"functionConfig:\n  apiVersion: fn.kpt.dev/v1alpha1\n  metadata: {name: cores}\n" + functionConfig)
			cores := runtime.GOMAXPROCS(1)
			defer runtime.GOMAXPROCS(cores)
			one, oneErrors, oneCode := run(input)
			runtime.GOMAXPROCS(max(cores, 4))
			many, manyErrors, manyCode := run(input)
			if diff := cmp.Diff(one+oneErrors, many+manyErrors); diff != "" || oneCode != manyCode {
				t.Errorf("exit codes %d and %d (-one core +many):\n%s", oneCode, manyCode, diff)
			}
			if wantFailure := name == "errors"; wantFailure != (oneCode == 1) {
				t.Errorf("exit code %d:\n%s", oneCode, oneErrors)
			}
		})
	}
}
