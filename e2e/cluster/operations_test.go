package cluster

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// operations is a functionConfig with operations of JSON.
func operations(t *testing.T, texts ...string) string {
	return file(t, "operations.yaml", "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyOperations\nmetadata: {name: operations}\noperations:\n- "+
		strings.Join(texts, "\n- ")+"\n")
}

// TestDeletions deletes an owner in each of the ways, and checks what the API server and the
// garbage collector were asked to do, and what happens to the dependent.
func TestDeletions(t *testing.T) {
	namespace(t, "deletions")
	for _, test := range []struct {
		operation string
		// collector is the request to the garbage collector.
		collector []string
		// dependent is the dependent's owner references in the output of kubectl get; "gone" if it
		// does not exist.
		dependent string
	}{
		{operation: "Delete", collector: []string{"foreground owner"}, dependent: "gone"},
		// The collector finds and deletes objects whose owner no longer exists by itself, at any
		// time.
		{operation: "DeleteInBackground", dependent: "owner"},
		{operation: "DeleteNonCascading", collector: []string{"orphan owner"}, dependent: ""},
	} {
		t.Run(test.operation, func(t *testing.T) {
			applied(t, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner", "namespace": "deletions"}}`)
			uid := asAdmin.succeed(t, "kubectl", "get", "configmap", "owner", "--namespace", "deletions", "-o", "jsonpath={.metadata.uid}")
			applied(t, fmt.Sprintf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dependent", "namespace": "deletions",
				"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": %q, "blockOwnerDeletion": true}]}}`, uid))
			defer asAdmin.succeed(t, "kubectl", "delete", "configmap", "dependent", "--namespace", "deletions", "--ignore-not-found")
			config := operations(t, fmt.Sprintf("{operation: %s, apiVersion: v1, kind: ConfigMap, namespace: deletions, name: owner}", test.operation))
			var out string
			did := collecting(t, "deletions", func() { out = asAdmin.succeed(t, "krm-fields", "apply", "-c", config) })
			if want := "ConfigMap deletions/owner: deleted\n1 object: 1 deleted"; out != want {
				t.Errorf("must print %q, prints %q", want, out)
			}
			if did = slices.Compact(did); !slices.Equal(did, test.collector) {
				t.Errorf("the garbage collector must be asked for %q, was for %q", test.collector, did)
			}
			dependent := asAdmin.run(t, "kubectl", "get", "configmap", "dependent", "--namespace", "deletions", "-o", "jsonpath={.metadata.ownerReferences[*].name}")
			if dependent.code != 0 {
				dependent.out = "gone"
			}
			if dependent.out != test.dependent {
				t.Errorf("the dependent must have the owner %q, has %q", test.dependent, dependent.out)
			}
			asAdmin.succeed(t, "kubectl", "wait", "--for=delete", "configmap/owner", "--namespace", "deletions", "--timeout=1m")
		})
	}
}

// TestDeletionThatDoesNotEnd has no garbage collector: the deletion in the foreground ends with its
// timeout.
func TestDeletionThatDoesNotEnd(t *testing.T) {
	namespace(t, "deletions")
	applied(t, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "stuck", "namespace": "deletions"}}`)
	config := operations(t, "{operation: Delete, apiVersion: v1, kind: ConfigMap, namespace: deletions, name: stuck}")
	got := asAdmin.run(t, "krm-fields", "apply", "-c", config, "--timeout=1s")
	if got.code != 1 || !strings.Contains(got.err, "timed out waiting for the condition") || !strings.HasPrefix(got.out, "ConfigMap deletions/stuck: failed\n") {
		t.Errorf("must fail with the timeout, has exit code %d\n%s%s", got.code, got.out, got.err)
	}
	asAdmin.succeed(t, "kubectl", "patch", "configmap", "stuck", "--namespace", "deletions", "--type=merge", "--patch", `{"metadata": {"finalizers": null}}`)
}

// racing is a kubectl that changes the object before it patches it, as many times as a file has
// lines.
const racing = `#!/bin/sh
if [ "$1" = patch ] && [ -s races ]; then
  sed -i 1d races
  %[1]s annotate configmap raced --namespace races --overwrite "race=$(wc -l < races)" >/dev/null
fi
exec %[1]s "$@"
`

// TestRace changes the object between reading and patching.
func TestRace(t *testing.T) {
	namespace(t, "races")
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	if kubectl, err = filepath.Abs(kubectl); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "kubectl"), fmt.Appendf(nil, racing, kubectl), 0o755); err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("krm-fields")
	if err != nil {
		t.Fatal(err)
	}
	if program, err = filepath.Abs(program); err != nil {
		t.Fatal(err)
	}
	racer := command{user: admin, folder: folder, env: []string{"PATH=" + folder + string(os.PathListSeparator) + os.Getenv("PATH")}}
	patch := "operation: JQPatch, apiVersion: v1, kind: ConfigMap, namespace: races, name: raced, jqFilter: '.data.a = \"%s\"'"
	for _, test := range []struct {
		name, operation, value string
		races                  int
		limit, want            string
	}{
		{name: "twice", operation: "{" + fmt.Sprintf(patch, "2") + "}", races: 2, limit: "2m", value: "2", want: "patched"},
		{name: "longer than it is tried", operation: "{" + fmt.Sprintf(patch, "3") + "}", races: 99, limit: "1s", value: "1", want: "conflict: the object was changed meanwhile: "},
		{
			name: "raw", operation: "{operation: MergePatch, apiVersion: v1, kind: cm, namespace: races, name: raced, mergePatch: {data: {a: '5'}}}",
			races: 9, limit: "0s", value: "5", want: "patched",
		},
		{name: "once, locked", operation: "{" + fmt.Sprintf(patch, "4") + ", resourceVersion: '%s'}", races: 1, limit: "2m", value: "1",
			want: "conflict: the object was changed meanwhile: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			applied(t, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "raced", "namespace": "races"}, "data": {"a": "1"}}`)
			var live struct {
				Metadata struct{ ResourceVersion string }
			}
			text := asAdmin.succeed(t, "kubectl", "get", "configmap", "raced", "--namespace", "races", "-o", "json")
			if err := json.Unmarshal([]byte(text), &live); err != nil {
				t.Fatal(err)
			}
			operation := test.operation
			if strings.Contains(operation, "%s") {
				operation = fmt.Sprintf(operation, live.Metadata.ResourceVersion)
			}
			if err := os.WriteFile(filepath.Join(folder, "races"), []byte(strings.Repeat("x\n", test.races)), 0o644); err != nil {
				t.Fatal(err)
			}
			got := racer.run(t, program, "apply", "--retry-timeout", test.limit, "-c", operations(t, operation))
			code := 0
			if test.want != "patched" {
				code = 3 // conflicts are all that failed
			}
			if !strings.Contains(got.out+got.err, test.want) || got.code != code {
				t.Errorf("must say %q, has exit code %d\n%s%s", test.want, got.code, got.out, got.err)
			}
			value := asAdmin.succeed(t, "kubectl", "get", "configmap", "raced", "--namespace", "races", "-o", "jsonpath={.data.a} {.metadata.annotations.race}")
			if !strings.HasPrefix(value, test.value+" ") {
				t.Errorf("the value must be %s, is %s", test.value, value)
			}
			asAdmin.succeed(t, "kubectl", "delete", "configmap", "raced", "--namespace", "races")
		})
	}
}

// TestOperations runs each kind of operation, beside another writer where that matters.
func TestOperations(t *testing.T) { follow(t, "testdata/operations.md") }
