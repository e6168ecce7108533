package selector

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
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

// IsClusterScoped tells whether objects of the kind are known to be in no namespace. The API server
// then ignores the namespace of an object.
func (k GroupKind) IsClusterScoped() bool { return slices.Contains(clusterScoped[k.Group], k.Kind) }

// KindOf returns the kind of an object with those names.
func KindOf(ref report.Ref) GroupKind { return GroupKind{Group: ref.Group(), Kind: ref.Kind} }

// DefinesClusterScoped returns the kind that an object defines if it is in no namespace, else the
// zero Kind.
func DefinesClusterScoped(root *tree.Node) GroupKind {
	if KindOf(report.RefOf(root)) != (GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}) ||
		tree.GetString(root, "spec", "scope") != "Cluster" {
		return GroupKind{}
	}
	return DefinedBy(root)
}

// DefinedBy returns the kind that a CustomResourceDefinition defines.
func DefinedBy(root *tree.Node) GroupKind {
	return GroupKind{Group: tree.GetString(root, "spec", "group"), Kind: tree.GetString(root, "spec", "names", "kind")}
}
