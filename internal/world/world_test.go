package world_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

func parse(t *testing.T, texts ...string) (objects []*object.Object) {
	t.Helper()
	for _, text := range texts {
		o, err := object.ParseDocument([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, o)
	}
	return objects
}

// TestPair finds the live object of one of the package.
func TestPair(t *testing.T) {
	const (
		head  = "apiVersion: v1\nkind: ConfigMap\nmetadata: "
		valid = `{manager: a, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {}}}`
	)
	tests := map[string]struct {
		desired string
		live    []string
		// isLive tells that there is a live object, entries how many of its managedFields count.
		isLive  bool
		entries int
		reasons []string
	}{
		"not there": {
			desired: head + "{name: c, namespace: d}\n", live: []string{head + "{name: other, namespace: d}\n"}, reasons: []string{report.ReasonNotLive},
		},
		"there": {
			desired: head + "{name: c, namespace: d}\n", live: []string{head + "{name: c, namespace: d, managedFields: [" + valid + "]}\n"},
			isLive: true, entries: 1,
		},
		"without a namespace": {
			desired: head + "{name: c}\n", live: []string{head + "{name: c, namespace: d}\n"}, isLive: true,
		},
		"without a namespace, in two": {
			desired: head + "{name: c}\n", live: []string{head + "{name: c, namespace: d}\n", head + "{name: c, namespace: e}\n"},
			reasons: []string{report.ReasonAmbiguousLive},
		},
		"an entry that can't be read": {
			desired: head + "{name: c, namespace: d}\n",
			live:    []string{head + "{name: c, namespace: d, managedFields: [" + valid + ", {manager: b, operation: Update, fieldsV1: [1]}]}\n"},
			isLive:  true, entries: 1, reasons: []string{report.ReasonInvalidManagedFields},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := &world.World{Objects: parse(t, test.desired), Live: parse(t, test.live...), HasLive: true}
			p, results := w.Pair(w.Objects[0])
			if (p.Live != nil) != test.isLive || len(p.Entries) != test.entries {
				t.Errorf("live must be %t with %d entries, found %v, %v", test.isLive, test.entries, p.Live, p.Entries)
			}
			var reasons []string
			for _, r := range results {
				reasons = append(reasons, r.Tags["reason"])
			}
			if diff := cmp.Diff(test.reasons, reasons); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

// TestClean leaves what a person would write, and tells what may be of the server.
func TestClean(t *testing.T) {
	const server = "  uid: u\n  resourceVersion: \"1\"\n  generation: 2\n  creationTimestamp: \"2026-01-01T00:00:00Z\"\n"
	const own = `  managedFields:
  - manager: kubectl
    operation: Apply
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1: {"f:spec": {"f:selector": {}}}
`
	for name, test := range map[string]struct{ in, want, reason string }{
		"metadata, status and defaults": {
			"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n" + server +
				"spec:\n  replicas: 2\n  progressDeadlineSeconds: 600\n  selector: {matchLabels: {app: web}}\nstatus: {replicas: 2}\n",
			"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n",
			"",
		},
		"what the server has allocated": {
			"apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n" + own + "spec:\n  clusterIP: 10.0.0.1\n  selector: {app: web}\n",
			"apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  selector: {app: web}\n",
			"",
		},
		"serviceAccount beside serviceAccountName": {
			"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  serviceAccount: web\n  serviceAccountName: web\n  nodeSelector: {a: b}\n" +
				"  containers: [{name: web, image: web}]\n",
			"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  serviceAccountName: web\n  nodeSelector: {a: b}\n" +
				"  containers: [{name: web, image: web}]\n",
			"",
		},
		"serviceAccount alone": {
			"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: web\nspec:\n  template: {spec: {serviceAccount: web, containers: [{name: web, image: web}]}}\n",
			"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: web\nspec:\n  template: {spec: {serviceAccount: web, containers: [{name: web, image: web}]}}\n",
			"",
		},
		"finalizers of controllers, and others": {
			"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: a\n  finalizers:\n  - kubernetes.io/pvc-protection\n  - example.com/backup\n",
			"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: a\n  finalizers:\n  - example.com/backup\n",
			"",
		},
		"finalizers of controllers alone": {
			"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: a\n  finalizers:\n  - kubernetes.io/pvc-protection\n  - foregroundDeletion\n",
			"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: a\n",
			"",
		},
		"the finalizer of a Namespace": {
			"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n  labels: {kubernetes.io/metadata.name: a, b: c}\nspec:\n  finalizers:\n  - kubernetes\n",
			"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n  labels: {b: c}\n",
			"",
		},
		"generated Secrets of a ServiceAccount": {
			"apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: a\nsecrets:\n- name: a-token-x7k2p\n- name: mine\n" +
				"imagePullSecrets:\n- name: a-dockercfg-abcde\n",
			"apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: a\nsecrets:\n- name: mine\n",
			"",
		},
		"externalTrafficPolicy by default": {
			"apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  type: LoadBalancer\n  externalTrafficPolicy: Cluster\n",
			"apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  type: LoadBalancer\n",
			"",
		},
		"externalTrafficPolicy by default, beside a node port": {
			"apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  type: LoadBalancer\n  externalTrafficPolicy: Cluster\n  ports:\n  - port: 80\n    targetPort: 8080\n",
			"apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  type: LoadBalancer\n  ports:\n  - port: 80\n    targetPort: 8080\n",
			"",
		},
		"what may be allocated": {
			"apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  clusterIP: 10.0.0.1\n  selector: {app: web}\n",
			"apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  clusterIP: 10.0.0.1\n  selector: {app: web}\n",
			report.ReasonNoManagedFields,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := parse(t, test.in)[0]
			var reasons []string
			for _, r := range world.Clean(o, &schema.Schemas{}, nil) {
				reasons = append(reasons, r.Tags["reason"])
			}
			got, err := o.Text()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{test.want, test.reason}, []string{string(got), strings.Join(reasons, " ")}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
