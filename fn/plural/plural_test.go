package plural

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestOfGuessesAsTheAPIMachinery(t *testing.T) {
	for _, kind := range []string{
		"", "Deployment", "Pod", "Ingress", "NetworkPolicy", "Endpoints", "MyEndpoints", "Endpoint", "Gateway", "Proxy", "Y", "S",
		"StorageClass", "PodMetrics", "CSIDriver", "ManifestWork", "DNS", "DNSPolicy", "x", "ΣΊΣΥΦΟΣ",
	} {
		want, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
		if got := Of(kind); got != want.Resource {
			t.Errorf("%q: %q, want %q", kind, got, want.Resource)
		}
	}
}
