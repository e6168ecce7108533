package merge

import (
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// TestFinder finds elements by their keys, one of which has a default, by their values and by their
// index.
func TestFinder(t *testing.T) {
	ports := []any{
		map[string]any{"containerPort": int64(80)},
		map[string]any{"containerPort": int64(80), "protocol": "UDP"},
		map[string]any{"containerPort": int64(80), "protocol": "TCP", "name": "twice"},
	}
	object := map[string]any{
		"metadata": map[string]any{"finalizers": []any{"a", "b"}},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "app", "ports": ports}}},
	}
	pod := (&schema.Schemas{}).Kind(schema.ParseGVK("v1", "Pod")).Type
	app := fieldpath.KeyByFields("name", "app")
	port := func(protocol string) fieldpath.PathElement {
		return fieldpath.PathElement{Key: fieldpath.KeyByFields("containerPort", 80, "protocol", protocol)}
	}
	b := value.NewValueInterface("b")
	second := 1
	for _, test := range []struct {
		path fieldpath.Path
		want string
		ok   bool
	}{
		{fieldpath.MakePathOrDie("spec", "containers", app, "ports", port("TCP")), "spec.containers[0].ports[0]", true},
		{fieldpath.MakePathOrDie("spec", "containers", app, "ports", port("UDP")), "spec.containers[0].ports[1]", true},
		{fieldpath.MakePathOrDie("spec", "containers", app, "ports", port("SCTP")), "spec.containers[0].ports[0]", false},
		{fieldpath.MakePathOrDie("metadata", "finalizers", b), "metadata.finalizers[1]", true},
		{fieldpath.MakePathOrDie("metadata", "finalizers", fieldpath.PathElement{Index: &second}), "metadata.finalizers[1]", true},
		{fieldpath.MakePathOrDie("spec", "volumes", fieldpath.KeyByFields("name", "v")), "spec.volumes[0]", false},
	} {
		var f finder
		if _, at, ok := f.find(pod, test.path, object); at.String() != test.want || ok != test.ok {
			t.Errorf("%s: found %s, %v, want %s, %v", test.path, at, ok, test.want, test.ok)
		}
	}
}
