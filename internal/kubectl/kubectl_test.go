package kubectl_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
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
			var verbose bytes.Buffer
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
