package manifestwork

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
)

// clusterScoped are the kinds of Kubernetes, and of some widespread operators, that are in no
// namespace, by their group.
var clusterScoped = map[string][]string{
	"": {"ComponentStatus", "Namespace", "Node", "PersistentVolume"},
	"admissionregistration.k8s.io": {
		"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
	},
	"apiextensions.k8s.io":         {"CustomResourceDefinition"},
	"apiregistration.k8s.io":       {"APIService"},
	"certificates.k8s.io":          {"CertificateSigningRequest", "ClusterTrustBundle"},
	"flowcontrol.apiserver.k8s.io": {"FlowSchema", "PriorityLevelConfiguration"},
	"networking.k8s.io":            {"IPAddress", "IngressClass", "ServiceCIDR"},
	"node.k8s.io":                  {"RuntimeClass"},
	"rbac.authorization.k8s.io":    {"ClusterRole", "ClusterRoleBinding"},
	"scheduling.k8s.io":            {"PriorityClass"},
	"storage.k8s.io":               {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"},
	"cert-manager.io":              {"ClusterIssuer"},
	"gateway.networking.k8s.io":    {"GatewayClass"},
}

// onCluster returns the manifest's identity as the agent knows it: an object that is in no
// namespace has none, whatever its manifest says.
func onCluster(o *selector.Candidate) *selector.Candidate {
	if slices.Contains(clusterScoped[o.Group], o.Kind) {
		o.Namespace = ""
	}
	return o
}
