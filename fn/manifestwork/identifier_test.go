package manifestwork

import (
	"testing"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
)

func TestIdentifierNames(t *testing.T) {
	deployment := workManifest{Candidate: &selector.Candidate{
		Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "default", Name: "my-app",
	}}
	pod := workManifest{Candidate: &selector.Candidate{Version: "v1", Kind: "Pod", Namespace: "default", Name: "my-app"}}
	node := workManifest{Candidate: &selector.Candidate{Version: "v1", Kind: "Node", Name: "my-app"}}
	gateway := workManifest{Candidate: &selector.Candidate{
		Group: "gateway.networking.k8s.io", Version: "v1", Kind: "Gateway", Namespace: "default", Name: "my-app",
	}}
	tests := []struct {
		group, resource, namespace, name string
		manifest                         workManifest
		names                            bool
		fix                              string
	}{
		{"apps", "deployments", "default", "my-app", deployment, true, ""},
		{"apps", "deployments", "def*", "*", deployment, true, ""},
		{"apps", "deployments", "*", "*-app*", deployment, true, ""},
		{"apps", "deployments", "default", "app", deployment, false, ""},
		{"apps", "deployments", "", "my-app", deployment, false, ""},
		{"apps/v1", "deployments", "default", "my-app", deployment, true, "group: apps"},
		{"apps/v1", "deployment", "default", "my-app", deployment, true, "group: apps and resource: deployments"},
		{"apps/v1beta1", "deployments", "default", "my-app", deployment, false, ""},
		{"apps", "Deployment", "default", "my-app", deployment, true, "resource: deployments"},
		{"apps", "Deployments", "default", "my-app", deployment, true, "resource: deployments"},
		{"apps", "deploy", "default", "my-app", deployment, false, ""},
		{"", "deployments", "default", "my-app", deployment, false, ""},
		{"*", "deployments", "default", "my-app", deployment, false, ""},
		{"", "pods", "default", "my-app", pod, true, ""},
		{"core", "pods", "default", "my-app", pod, true, `group: ""`},
		{"v1", "pod", "default", "my-app", pod, true, `group: "" and resource: pods`},
		{"", "nodes", "", "my-app", node, true, ""},
		{"", "nodes", "*", "my-app", node, true, ""},
		{"gateway.networking.k8s.io", "gateways", "default", "my-app", gateway, true, ""},
		{"gateway.networking.k8s.io", "gatewaies", "default", "my-app", gateway, true, "resource: gateways"},
	}
	for _, test := range tests {
		identifier := ResourceIdentifier{test.group, test.resource, test.namespace, test.name}
		if got := identifier.names(test.manifest); got != test.names {
			t.Errorf("%s names %s: %v, want %v", identifier, test.manifest.Kind, got, test.names)
		}
		if !test.names {
			continue
		}
		if got := identifier.fix(test.manifest); got != test.fix {
			t.Errorf("%s for %s: fix %q, want %q", identifier, test.manifest.Kind, got, test.fix)
		}
	}
}
