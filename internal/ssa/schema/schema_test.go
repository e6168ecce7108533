package schema

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// TestAt prints one location per line: the type of its value, what the schema knows, the outermost
// atomic list or map, and why the field is required.
func TestAt(t *testing.T) {
	tests := []struct{ kind, pointer, want string }{
		{"v1 ConfigMap", "/data/key", "string declared"},
		{"v1 ConfigMap", "/metadata/finalizers", "list(set) declared"},
		{"v1 ConfigMap", "/metadata/finalizers/0", "string declared"},
		{"v1 ConfigMap", "/metadata/ownerReferences", "list(map uid) declared"},
		{"v1 ConfigMap", "/metadata/ownerReferences/0/uid", "string declared, inside /metadata/ownerReferences/0, required by schema"},
		{"v1 ConfigMap", "/metadata/managedFields/0/manager", "string declared, inside /metadata/managedFields"},
		{"v1 ConfigMap", "/spec/replicas", "any excluded"},
		{"apps/v1 Deployment", "/spec/replicas", "numeric declared"},
		{"apps/v1 Deployment", "/spec", "map declared, required by schema"},
		{"apps/v1 Deployment", "/status", "map declared"},
		{"apps/v1 Deployment", "/spec/strategy", "map declared"},
		{"apps/v1 Deployment", "/spec/template/spec", "map declared, required by schema"},
		{"apps/v1 Deployment", "/spec/template/metadata/labels", "map declared, required by apps/validation/validation.go"},
		{"apps/v1 Deployment", "/spec/template/metadata/labels/app", "string declared"},
		{"v1 Service", "/spec", "map declared"},
		{"apps/v1 Deployment", "/spec/selector", "map(atomic) declared, required by schema"},
		{"apps/v1 Deployment", "/spec/selector/matchLabels/app", "string declared, inside /spec/selector"},
		{"apps/v1 Deployment", "/spec/template/spec/containers", "list(map name) declared, required by schema"},
		{"apps/v1 Deployment", "/spec/template/spec/containers/0/image",
			"string declared, required by core/validation/validation.go"},
		{"apps/v1 Deployment", "/spec/template/spec/containers/0/name", "string declared, required by schema"},
		{"apps/v1 Deployment", "/spec/template/spec/containers/0/args", "list(atomic) declared"},
		{"apps/v1 Deployment", "/spec/template/spec/containers/0/args/1",
			"string declared, inside /spec/template/spec/containers/0/args"},
		{"apps/v1 Deployment", "/spec/template/spec/containers/0/ports", "list(map containerPort protocol) declared"},
		{"apps/v1 Deployment", "/spec/template/spec/containers/0/ports/0/protocol", "string declared"},
		{"apps/v1 Deployment", "/spec/template/spec/containers/0/resources/limits/cpu", "untyped declared"},
		{"apps/v1 Deployment", "/spec/template/spec/containers/0/env/0/valueFrom/secretKeyRef/name",
			"string declared, inside /spec/template/spec/containers/0/env/0/valueFrom/secretKeyRef"},
		{"apps/v1 Deployment", "/spec/strategy/rollingUpdate/maxSurge", "any declared"},
		{"v1 Service", "/spec/ports", "list(map port protocol) declared"},
		{"v1 Service", "/spec/ports/0/port", "numeric declared, required by schema"},
		{"v1 Service", "/spec/clusterIPs/0", "string declared, inside /spec/clusterIPs"},
		{"v1 Service", "/spec/selector", "map(atomic) declared"},
		{"v1 PersistentVolumeClaim", "/spec/resources/requests/storage",
			"untyped declared, required by core/validation/validation.go"},
		{"batch/v1 CronJob", "/spec/jobTemplate/spec/template/spec/restartPolicy",
			"string declared, required by batch/validation/validation.go"},
		{"networking.k8s.io/v1 Ingress", "/spec/rules/0/host", "string declared, inside /spec/rules"},
		{"rbac.authorization.k8s.io/v1 ClusterRole", "/rules/0/verbs/0", "string declared, inside /rules"},
		{"apiextensions.k8s.io/v1 CustomResourceDefinition", "/spec/versions/0/schema/openAPIV3Schema/properties/a",
			"map declared, inside /spec/versions"},
		{"networking.istio.io/v1 VirtualService", "/spec/http/0/route/0/weight", "numeric declared, inside /spec/http"},
		{"networking.istio.io/v1beta1 VirtualService", "/spec/http", "list(atomic) declared"},
		{"gateway.networking.k8s.io/v1 HTTPRoute", "/spec/rules/0/backendRefs/0/weight",
			"numeric declared, inside /spec/rules"},
		{"argoproj.io/v1alpha1 Rollout", "/spec/replicas", "numeric declared"},
		{"argoproj.io/v1alpha1 Rollout", "/spec/strategy/canary/steps/0/setWeight",
			"numeric declared, inside /spec/strategy/canary/steps"},
		{"argoproj.io/v1alpha1 Rollout", "/spec/template/spec/containers", "list(map name) declared, required by schema"},
		{"flagger.app/v1beta1 Canary", "/spec/analysis/webhooks/0/url", "untyped declared, inside /spec/analysis/webhooks, required by schema"},
		{"cert-manager.io/v1 Certificate", "/spec/dnsNames/0", "string declared, inside /spec/dnsNames"},
		{"keda.sh/v1alpha1 ScaledObject", "/spec/triggers/0/metadata/value", "string declared, inside /spec/triggers"},
		{"example.com/v1 Thing", "/spec/list/0/a", "any unknown, inside /spec/list"},
		{"example.com/v1 Thing", "/spec/map/key", "any unknown"},
		{"example.com/v1 Thing", "/metadata/finalizers", "list(set) declared"},
		{"test.krm-fields.dev/v1 Widget", "/spec/ports", "list(map name proto) declared"},
		{"test.krm-fields.dev/v1 Widget", "/spec/ports/0/name", "string declared, required by schema"},
		{"test.krm-fields.dev/v1 Widget", "/spec/ports/0/proto", "string declared"},
		{"test.krm-fields.dev/v1 Widget", "/spec/nodes/0/id", "string declared, required as key"},
		{"test.krm-fields.dev/v1 Widget", "/spec/tags", "list(set) declared"},
		{"test.krm-fields.dev/v1 Widget", "/spec/hosts/0", "string declared, inside /spec/hosts"},
		{"test.krm-fields.dev/v1 Widget", "/spec/limits/cpu", "any declared, inside /spec/limits"},
		{"test.krm-fields.dev/v1 Widget", "/spec/free/a/b", "any unknown"},
		{"test.krm-fields.dev/v1 Widget", "/spec/free/known", "string declared"},
		{"test.krm-fields.dev/v1 Widget", "/spec/open/list/0", "any unknown, inside /spec/open/list"},
		{"test.krm-fields.dev/v1 Widget", "/spec/object/metadata/finalizers", "list(set) declared"},
		{"test.krm-fields.dev/v1 Widget", "/spec/object/spec/other", "any unknown"},
		{"test.krm-fields.dev/v1 Widget", "/spec/nothing", "any excluded"},
		{"test.krm-fields.dev/v1 Widget", "/metadata/ownerReferences", "list(map uid) declared"},
		{"test.krm-fields.dev/v2 Widget", "/spec/ports", "list(atomic) declared"},
		{"autoscaling/v2 HorizontalPodAutoscaler", "/spec/maxReplicas", "numeric declared, required by schema"},
		{"autoscaling/v2 HorizontalPodAutoscaler", "/status/desiredReplicas", "numeric declared"},
	}
	var schemas Schemas
	if err := schemas.AddCRD(readCRD(t, "testdata/widget.yaml")); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		apiVersion, kind, _ := strings.Cut(test.kind, " ")
		place := schemas.Kind(ParseGVK(apiVersion, kind)).At(locationOf(test.pointer))
		if got := describe(place); got != test.want {
			t.Errorf("%s %s:\n got %s\nwant %s", test.kind, test.pointer, got, test.want)
		}
	}
}

// locationOf parses a pointer, with numbers as indices.
func locationOf(pointer string) location.Location {
	var l location.Location
	for _, segment := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		var index int
		if _, err := fmt.Sscanf(segment, "%d", &index); err == nil {
			l = append(l, location.Index(index))
			continue
		}
		l = append(l, location.Key(segment))
	}
	return l
}

func describe(place FieldSchema) string {
	words := []string{valueOf(place.Type), " ", [...]string{"unknown", "declared", "excluded"}[place.Known]}
	if place.Atomic != nil {
		words = append(words, ", inside ", place.Atomic.Pointer())
	}
	switch required := place.Required; {
	case required == nil:
	case required.Key:
		words = append(words, ", required as key")
	case required.Source == "":
		words = append(words, ", required by schema")
	default:
		_, file, _ := strings.Cut(required.Source, "/"+KubernetesVersion()+"/pkg/apis/")
		words = append(words, ", required by ", file)
	}
	return strings.Join(words, "")
}

func valueOf(t *Type) string {
	switch {
	case t.Scalar != "" && t.Map != nil:
		return "any"
	case t.Scalar != "":
		return string(t.Scalar)
	case t.List != nil && t.List.Kind == Atomic:
		return "list(atomic)"
	case t.List != nil && t.List.Kind == SetOf:
		return "list(set)"
	case t.List != nil:
		return "list(map " + strings.Join(t.List.Keys, " ") + ")"
	case t.Map.Atomic:
		return "map(atomic)"
	}
	return "map"
}

func readCRD(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var crd map[string]any
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

func TestKind(t *testing.T) {
	var schemas Schemas
	if err := schemas.AddCRD(readCRD(t, "testdata/widget.yaml")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		gvk      GVK
		origin   Origin
		source   string
		status   bool
		versions []string
	}{
		{GVK{"apps", "v1", "Deployment"}, Kubernetes, "Kubernetes " + KubernetesVersion(), true, []string{"v1"}},
		{GVK{"", "v1", "ConfigMap"}, Kubernetes, "Kubernetes " + KubernetesVersion(), false, []string{"v1"}},
		{GVK{"autoscaling", "v2", "HorizontalPodAutoscaler"}, Kubernetes, "Kubernetes " + KubernetesVersion(), true,
			[]string{"v1", "v2"}},
		{GVK{"keda.sh", "v1alpha1", "ScaledObject"}, Shipped, "KEDA v2.20.2 https://raw.githubusercontent.com/kedacore/keda/" +
			"v2.20.2/config/crd/bases/keda.sh_scaledobjects.yaml", true, []string{"v1alpha1"}},
		{GVK{"test.krm-fields.dev", "v1", "Widget"}, Given, "CustomResourceDefinition widgets.test.krm-fields.dev", true,
			[]string{"v1", "v2"}},
		{GVK{"test.krm-fields.dev", "v0", "Widget"}, Assumed, "", false, nil},
		{GVK{"apps", "v1beta1", "Deployment"}, Kubernetes, "Kubernetes " + KubernetesVersion() + ", version v1", true,
			[]string{"v1", "v1beta1"}},
		{GVK{"autoscaling", "v2beta2", "HorizontalPodAutoscaler"}, Kubernetes, "Kubernetes " + KubernetesVersion() + ", version v2", true,
			[]string{"v1", "v2", "v2beta2"}},
		{GVK{"extensions", "v1beta1", "Deployment"}, Assumed, "", false, nil},
	}
	for _, test := range tests {
		kind := schemas.Kind(test.gvk)
		if kind.Origin != test.origin || kind.Source != test.source || kind.StatusSubresource != test.status ||
			!cmp.Equal(kind.Versions, test.versions) {
			t.Errorf("%v: got origin %d, source %q, status %v, versions %q", test.gvk, kind.Origin, kind.Source,
				kind.StatusSubresource, kind.Versions)
		}
	}
}

func TestAddCRDFaults(t *testing.T) {
	tests := []struct{ crd, want string }{
		{`{"metadata":{"name":"a"}}`, "CustomResourceDefinition a: spec.group must be a string"},
		{`{"spec":{"group":"g"}}`, "CustomResourceDefinition : spec.names.kind must be a string"},
		{`{"spec":{"group":"g","names":{"kind":"K"}}}`, "CustomResourceDefinition : spec.versions must be a list"},
		{`{"spec":{"group":"g","names":{"kind":"K"},"versions":[1]}}`,
			"CustomResourceDefinition : spec.versions[0] must be a map"},
		{`{"spec":{"group":"g","names":{"kind":"K"},"versions":[{}]}}`,
			"CustomResourceDefinition : spec.versions[0].name must be a string"},
	}
	for _, test := range tests {
		var crd map[string]any
		if err := json.Unmarshal([]byte(test.crd), &crd); err != nil {
			t.Fatal(err)
		}
		err := new(Schemas).AddCRD(crd)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.crd, err, test.want)
		}
	}
}

// TestTable checks that the table is of the version of Kubernetes that the cluster tests run, and
// limits its size.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("../../../e2e/cluster/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`(?m)^\s*k8s\.io/kubernetes (\S+)`).FindSubmatch(text)
	if match == nil || string(match[1]) != KubernetesVersion() {
		t.Errorf("the table is of Kubernetes %s, the cluster tests run %q; run go generate ./internal/ssa/schema",
			KubernetesVersion(), match[1])
	}
	if len(tableFile) > 100_000 {
		t.Errorf("the table must not be larger than 100 kB, it has %d bytes", len(tableFile))
	}
}

func BenchmarkReadTable(b *testing.B) {
	for b.Loop() {
		ReadTable(tableFile)
	}
}
