package words

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestPluralGuessesAsTheAPIMachinery(t *testing.T) {
	for _, kind := range []string{
		"", "Deployment", "Pod", "Ingress", "NetworkPolicy", "Endpoints", "MyEndpoints", "Endpoint", "Proxy", "Y", "S",
		"StorageClass", "PodMetrics", "CSIDriver", "ManifestWork", "DNS", "DNSPolicy", "x", "ΣΊΣΥΦΟΣ",
	} {
		want, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
		if got := Plural(kind); got != want.Resource {
			t.Errorf("%q: %q, want %q", kind, got, want.Resource)
		}
	}
	// Where it guesses gatewaies, every CustomResourceDefinition says gateways.
	for kind, want := range map[string]string{"Gateway": "gateways", "APIKey": "apikeys", "y": "ies"} {
		if got := Plural(kind); got != want {
			t.Errorf("%q: %q, want %q", kind, got, want)
		}
	}
}
