package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
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

// TestOperations runs each kind of operation, beside another writer where that matters.
func TestOperations(t *testing.T) { follow(t, "testdata/operations.md") }

// TestNamespaceOfClusterScopedKind runs operations on an object of a cluster-scoped kind whose file
// has a namespace, on files and on the cluster: the object is in none.
func TestNamespaceOfClusterScopedKind(t *testing.T) {
	namespace(t, "scopes")
	const role = `{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "scopes", "namespace": "scopes"}, "rules": []}`
	for _, test := range []struct{ operation, files, cluster string }{
		{`{operation: MergePatch, kind: ClusterRole, name: scopes, mergePatch: {metadata: {labels: {a: b}}}}`, "[Patched]", "patched"},
		{`{operation: CreateOrUpdate, object: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole,
			metadata: {name: scopes, namespace: other, labels: {a: b}}}}`, "[Updated]", "patched"},
		{`{operation: MergePatch, kind: ClusterRole, namespace: scopes, name: scopes, ignoreMissingObject: true,
			mergePatch: {metadata: {labels: {a: b}}}}`, "did you mean ClusterRole scopes", "not there"},
		{`{operation: DeleteInBackground, kind: clusterroles, namespace: scopes, name: scopes}`, "did you mean ClusterRole scopes", "not there"},
		{`{operation: DeleteInBackground, kind: clusterroles, name: scopes}`, "[Deleted]", "deleted"},
	} {
		applied(t, role)
		config, manifest := operations(t, test.operation), file(t, "role.json", role)
		if run := asAdmin.run(t, "krm-fields", "run", "-c", config, manifest); !strings.Contains(run.err, test.files) {
			t.Errorf("%s: the run on files must say %s, prints %q", test.operation, test.files, run.err)
		}
		if out := asAdmin.succeed(t, "krm-fields", "apply", "-c", config); !strings.Contains(out, "ClusterRole") || !strings.HasSuffix(out, ": 1 "+test.cluster) {
			t.Errorf("%s: the object of the cluster must be %s, prints %q", test.operation, test.cluster, out)
		}
		asAdmin.succeed(t, "kubectl", "delete", "clusterrole", "scopes", "--ignore-not-found")
	}
}

// TestMetrics parses the metrics of a call as Prometheus does.
func TestMetrics(t *testing.T) {
	namespace(t, "metrics")
	path := filepath.Join(t.TempDir(), "apply.prom")
	config := operations(t, `{operation: Create, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: metrics}}}`)
	asAdmin.succeed(t, "krm-fields", "apply", "-c", config, "--metrics", path)
	text, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hook_run_conflicts_total", "operation_retries_total", "operation_seconds_total"} {
		if families["krm_fields_"+name] == nil {
			t.Errorf("there must be %s, has %v", name, families)
		}
	}
	if got := families["krm_fields_operations_total"].String(); !strings.Contains(got, `value:"Create"`) || !strings.Contains(got, `value:"created"`) {
		t.Errorf("the creation must be counted, has %s", got)
	}
}
