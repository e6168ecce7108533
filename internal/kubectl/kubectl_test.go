package kubectl_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

const packageText = `apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: shop}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: b, namespace: shop}
---
apiVersion: v1
kind: Secret
metadata: {name: c}
`

// fake puts a script as kubectl on the PATH.
func fake(t *testing.T, script string) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "kubectl"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+"/usr/bin:/bin")
}

func objects(t *testing.T) []*object.Object {
	t.Helper()
	files, err := manifests.Read([]string{manifests.Stdin}, strings.NewReader(packageText))
	if err != nil {
		t.Fatal(err)
	}
	return manifests.Objects(files)
}

func names(objects []*object.Object) []string {
	var all []string
	for _, o := range objects {
		all = append(all, report.RefOf(o.Root()).String())
	}
	return all
}

const liveMap = `echo 'apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: shop, uid: "1"}'
`

// sharedBuffer is a buffer that calls of kubectl write to side by side.
type sharedBuffer struct {
	mutex sync.Mutex
	bytes.Buffer
}

func (b *sharedBuffer) Write(text []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.Buffer.Write(text)
}

func TestGet(t *testing.T) {
	for name, test := range map[string]struct {
		script, namespace string
		want, failed      []string
		calls             int
	}{
		"nothing there": {script: "", calls: 1},
		"an empty list": {script: "echo 'apiVersion: v1\nkind: List\nitems: []'", calls: 1},
		"one there":     {script: liveMap, want: []string{"ConfigMap shop/a"}, calls: 1},
		"a kind that is not known, and one that may not be read": {
			script: `
if [ "$1" = api-resources ]; then
  echo 'configmaps  cm  v1  true  ConfigMap'
  echo 'secrets         v1  true  Secret'
  exit 0
fi
text=$(cat)
case "$text" in *ConfigMap*) ` + liveMap + `;; esac
case "$text" in *Widget*) echo 'error: no matches for kind "Widget"' >&2; exit 1;; esac
case "$text" in *Secret*) echo 'Error from server (Forbidden)' >&2; exit 1;; esac
`,
			want: []string{"ConfigMap shop/a"}, failed: []string{"Secret c"}, calls: 4,
		},
		"a kind that is not known": {
			script: `
if [ "$1" = api-resources ]; then
  echo 'configmaps  cm  v1  true  ConfigMap'
  echo 'secrets         v1  true  Secret'
  exit 0
fi
case "$(cat)" in *Widget*) echo 'error: no matches for kind "Widget"' >&2; exit 1;; esac
` + liveMap,
			want: []string{"ConfigMap shop/a"}, calls: 3,
		},
		"a namespace for those that have none": {
			script: `
case "$*" in *"--namespace=shop"*) [ "$(cat | grep -c shop)" = 0 ] || { echo mismatch >&2; exit 1; };; esac
`,
			namespace: "shop", calls: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			fake(t, test.script)
			var verbose sharedBuffer
			found, err := kubectl.Kubectl{Verbose: &verbose, Namespace: test.namespace}.Get(objects(t))
			if err != nil {
				t.Fatal(err)
			}
			var failed []string
			for _, f := range found.Failures {
				failed = append(failed, report.RefOf(f.Object.Root()).String())
			}
			if !slices.Equal(names(found.Live), test.want) || !slices.Equal(failed, test.failed) {
				t.Errorf("live %q, failed %q", names(found.Live), failed)
			}
			if calls := strings.Count(verbose.String(), "kubectl "); calls != test.calls {
				t.Errorf("kubectl must be run %d times, was\n%s", test.calls, &verbose)
			}
		})
	}
}

// TestGetLists reads many objects of one kind and namespace at once, and by their names where that
// is not possible.
func TestGetLists(t *testing.T) {
	const count = 60
	manifestsOf := func(apiVersion, kind string) string {
		var text strings.Builder
		for i := range count {
			fmt.Fprintf(&text, "---\napiVersion: %s\nkind: %s\nmetadata: {name: m%d, namespace: d}\n", apiVersion, kind, i)
		}
		return text.String()
	}
	// listOf prints those of an even number and one that the package lacks.
	listOf := func(head, members string) string {
		items := `{` + members + `"metadata":{"name":"other","namespace":"d"}}`
		for i := 0; i < count; i += 2 {
			items += fmt.Sprintf(`,{%s"metadata":{"name":"m%d","namespace":"d"}}`, members, i)
		}
		return `printf '%s\n' '{` + head + `,"items":[` + items + `]}'`
	}
	// byName prints each object that kubectl reads by its name.
	const byName = `sed 's/$/\n---/'`
	script := func(list string) string {
		return `case "$*" in "get --raw="*) ` + list + `;; *) ` + byName + `;; esac`
	}
	const maps = `"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"}`
	for name, test := range map[string]struct {
		apiVersion, kind, list string
		live                   int
		calls                  []string
	}{
		"a list of Kubernetes' own kind": {
			"v1", "ConfigMap", listOf(maps, ""), count / 2, []string{"get --raw=/api/v1/namespaces/d/configmaps?limit=240"},
		},
		"a list of a custom kind": {
			"example.com/v1", "Policy",
			listOf(`"apiVersion":"example.com/v1","kind":"PolicyList"`, `"apiVersion":"example.com/v1","kind":"Policy",`), count / 2,
			[]string{"get --raw=/apis/example.com/v1/namespaces/d/policies?limit=240"},
		},
		"in no namespace": {
			"rbac.authorization.k8s.io/v1", "ClusterRole", `echo '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleList","items":[]}'`, 0,
			[]string{"get --raw=/apis/rbac.authorization.k8s.io/v1/clusterroles?limit=240"},
		},
		"a list that goes on": {
			"v1", "ConfigMap", listOf(strings.Replace(maps, `"resourceVersion"`, `"continue":"next","resourceVersion"`, 1), ""), count,
			[]string{"get --raw=/api/v1/namespaces/d/configmaps?limit=240", "get -f -"},
		},
		"no permission to list": {
			"v1", "ConfigMap", "echo 'Error from server (Forbidden)' >&2; exit 1", count,
			[]string{"get --raw=/api/v1/namespaces/d/configmaps?limit=240", "get -f -"},
		},
		"another answer": {"v1", "ConfigMap", "echo '{}'", count, []string{"get --raw=/api/v1/namespaces/d/configmaps?limit=240", "get -f -"}},
		"items that are no objects": {
			"v1", "ConfigMap", `echo '{"apiVersion":"v1","kind":"ConfigMapList","items":[null]}'`, count,
			[]string{"get --raw=/api/v1/namespaces/d/configmaps?limit=240", "get -f -"},
		},
		"Secrets": {"v1", "Secret", "exit 1", count, []string{"get -f -"}},
		"a name that is no part of a path": {
			"v1", "Config/../Map", "exit 1", count, []string{`get --raw=/api/v1/namespaces/d/config%2F..%2Fmaps?limit=240`, "get -f -"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			fake(t, script(test.list))
			files, err := manifests.Read([]string{manifests.Stdin}, strings.NewReader(manifestsOf(test.apiVersion, test.kind)))
			if err != nil {
				t.Fatal(err)
			}
			var verbose sharedBuffer
			found, err := kubectl.Kubectl{Verbose: &verbose}.Get(manifests.Objects(files))
			if err != nil || len(found.Failures) > 0 {
				t.Fatal(err, found.Failures)
			}
			for _, o := range found.Live {
				if ref := report.RefOf(o.Root()); ref.APIVersion != test.apiVersion || ref.Kind != test.kind || ref.Name == "other" {
					t.Errorf("%+v must not be read", ref)
				}
			}
			var calls []string
			for line := range strings.Lines(verbose.String()) {
				call, _, _ := strings.Cut(strings.Trim(strings.TrimPrefix(line, "kubectl "), "\n"), " -o ")
				calls = append(calls, strings.ReplaceAll(call, "'", ""))
			}
			if len(found.Live) != test.live || !slices.Equal(calls, test.calls) {
				t.Errorf("%d live objects by %q, want %d by %q", len(found.Live), calls, test.live, test.calls)
			}
		})
	}
}

func TestGetCannotAsk(t *testing.T) {
	fake(t, "echo 'The connection to the server was refused' >&2; exit 1")
	_, err := kubectl.Kubectl{}.Get(objects(t))
	failed, ok := errors.AsType[*kubectl.Error](err)
	if !ok || failed.Error() != "kubectl get: The connection to the server was refused" {
		t.Errorf("must be an Error with what kubectl said, found %v", err)
	}
}

func TestNoKubectl(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := kubectl.Kubectl{}.Run(nil, "version")
	if !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("must be that there is no kubectl, found %v", err)
	}
}

func TestVerbose(t *testing.T) {
	fake(t, "")
	var verbose bytes.Buffer
	if _, err := (kubectl.Kubectl{Verbose: &verbose}).Run(nil, "get", "-o", "jsonpath={.a}", "it's"); err != nil {
		t.Fatal(err)
	}
	if want := "kubectl get -o 'jsonpath={.a}' 'it'\\''s'\n"; verbose.String() != want {
		t.Errorf("found %q, want %q", verbose.String(), want)
	}
}

func TestRunLines(t *testing.T) {
	fake(t, "echo a; cat; echo; printf b; exit 3")
	var lines []string
	err := kubectl.Kubectl{}.RunLines([]byte("in\n"), func(line string) { lines = append(lines, line) }, "apply")
	if !kubectl.IsExit(err) || !slices.Equal(lines, []string{"a", "in", "b"}) {
		t.Errorf("lines %q, error %v", lines, err)
	}
}

// The log of kubectl's libraries is left out of an error, and so are lines that are there already;
// the others keep their indentation.
func TestErrorWithoutLog(t *testing.T) {
	const log = `E1124 10:16:03.742753   21407 memcache.go:265] "Unhandled Error" err="connection refused"`
	const refused = "The connection to the server localhost:8080 was refused - did you specify the right host or port?"
	for stderr, want := range map[string]string{
		log + "\n" + refused + "\n" + refused + "\n": refused,
		log + "\n":               log,
		"error: a\n\nerror: b\n": "error: a\nerror: b",
		"\n  conflict:\r\n* force it\n  with a flag\n": "conflict:\n* force it\n  with a flag",
		"": "exit status 1",
	} {
		err := &kubectl.Error{Args: []string{"get"}, Stderr: stderr, Cause: errors.New("exit status 1")}
		if got := err.Error(); got != "kubectl get: "+want {
			t.Errorf("%q:\ngot  %s\nwant kubectl get: %s", stderr, got, want)
		}
	}
}

// TestApplyOfObjectsThatFailAlike has the API server refuse all objects, or all but one: kubectl is
// not called for each.
func TestApplyOfObjectsThatFailAlike(t *testing.T) {
	const count = 100
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m%d, namespace: d}\n", i)
	}
	const script = `
echo "$*" >> "$(dirname "$0")/calls"
case "$*" in *--raw=*) exit;; esac
for name in $(sed -n 's/^metadata: {name: \(m[0-9]*\),.*/\1/p'); do
  if [ $name = "$GOOD" ]; then echo configmap/$name serverside-applied; else
    echo "Error from server (Forbidden): configmaps \"$name\" is forbidden" >&2; failed=1; fi
done
exit $failed
`
	for good, want := range map[string]struct{ applied, alike int }{"": {0, 60}, "m99": {1, 59}, "m5": {1, 59}} {
		t.Run(good, func(t *testing.T) {
			fake(t, script)
			t.Setenv("GOOD", good)
			outcomes, results := applied(t, text.String())
			alike := 0
			for _, r := range results {
				if strings.Contains(r.Message, "failed with others, of which 10 in a row had the same error: ") {
					alike++
				}
			}
			calls, _ := os.ReadFile(filepath.Join(strings.Split(os.Getenv("PATH"), ":")[0], "calls"))
			// four groups of 25: a call for all, ten for one each, one for the rest, and one that
			// asks for the server
			if count := bytes.Count(calls, []byte("\n")); count != 52 || alike != want.alike {
				t.Errorf("%d calls and %d objects that failed with others, want 52 and %d", count, alike, want.alike)
			}
			if outcomes[kubectl.Created] != want.applied || outcomes[kubectl.Failed] != count-want.applied || len(results) != count-want.applied {
				t.Errorf("outcomes %v, %d results, want %d applied and an error for each other", outcomes, len(results), want.applied)
			}
		})
	}
}

// applied applies manifests of which the cluster has none. It returns how many objects have each
// outcome, and the results.
func applied(t *testing.T, text string) (outcomes map[string]int, results []report.Result) {
	t.Helper()
	files, err := manifests.Read([]string{manifests.Stdin}, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	outcomes = map[string]int{}
	a := kubectl.Applier{
		Kubectl: kubectl.Kubectl{Mask: &redact.Mask{}, Verbose: io.Discard, Stderr: io.Discard},
		Live:    func(*object.Object) *object.Object { return nil }, Tell: func(o kubectl.Outcome) { outcomes[o.Outcome]++ },
	}
	a.Apply(t.Context(), manifests.Objects(files))
	return outcomes, a.Results()
}

// TestApplyOfAlikeNames has the API server refuse some of the objects of one name: which others it
// has applied is not known from the lines of kubectl, so each is sent alone.
func TestApplyOfAlikeNames(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: d%d}\n", i)
	}
	fake(t, `
case "$*" in *--raw=*) exit;; esac
for namespace in $(sed -n 's/^metadata: {name: m, namespace: d\([0-9]*\)}/\1/p'); do
  if [ $((namespace % 25)) -ge 12 ]; then echo configmap/m serverside-applied; else
    echo 'Error from server (Forbidden): configmaps "m" is forbidden' >&2; failed=1; fi
done
exit $failed
`)
	outcomes, _ := applied(t, text.String())
	if outcomes[kubectl.Created] != 52 || outcomes[kubectl.Failed] != 48 {
		t.Errorf("outcomes %v, want 52 created and 48 failed", outcomes)
	}
}
