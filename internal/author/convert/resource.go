package convert

import (
	"slices"
	"strings"
	"unicode"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// knownKinds are the kinds of Kubernetes v1.34 and of some widespread operators, by their group.
// Their resources are the plurals that words.Plural makes.
var knownKinds = map[string][]string{
	"": {
		"ConfigMap", "Endpoints", "Event", "LimitRange", "Namespace", "Node", "PersistentVolume", "PersistentVolumeClaim", "Pod",
		"PodTemplate", "ReplicationController", "ResourceQuota", "Secret", "Service", "ServiceAccount",
	},
	"admissionregistration.k8s.io": {
		"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
	},
	"apiextensions.k8s.io":            {"CustomResourceDefinition"},
	"apiregistration.k8s.io":          {"APIService"},
	"apps":                            {"ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"},
	"autoscaling":                     {"HorizontalPodAutoscaler"},
	"batch":                           {"CronJob", "Job"},
	"certificates.k8s.io":             {"CertificateSigningRequest"},
	"coordination.k8s.io":             {"Lease"},
	"discovery.k8s.io":                {"EndpointSlice"},
	"flowcontrol.apiserver.k8s.io":    {"FlowSchema", "PriorityLevelConfiguration"},
	"networking.k8s.io":               {"IPAddress", "Ingress", "IngressClass", "NetworkPolicy", "ServiceCIDR"},
	"node.k8s.io":                     {"RuntimeClass"},
	"policy":                          {"PodDisruptionBudget"},
	"rbac.authorization.k8s.io":       {"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"},
	"scheduling.k8s.io":               {"PriorityClass"},
	"storage.k8s.io":                  {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"},
	"argoproj.io":                     {"AppProject", "Application", "ApplicationSet", "Rollout", "Workflow"},
	"cert-manager.io":                 {"Certificate", "ClusterIssuer", "Issuer"},
	"helm.toolkit.fluxcd.io":          {"HelmRelease"},
	"kustomize.toolkit.fluxcd.io":     {"Kustomization"},
	"monitoring.coreos.com":           {"PodMonitor", "PrometheusRule", "ServiceMonitor"},
	"networking.istio.io":             {"DestinationRule", "EnvoyFilter", "Gateway", "ServiceEntry", "Sidecar", "VirtualService"},
	"gateway.networking.k8s.io":       {"GRPCRoute", "Gateway", "GatewayClass", "HTTPRoute"},
	"work.open-cluster-management.io": {"AppliedManifestWork", "ManifestWork", "ManifestWorkReplicaSet"},
}

// groupOf returns the one group that has a kind in the table; false if none or several do.
func groupOf(kind string) (string, bool) {
	group, count := "", 0
	for g, kinds := range knownKinds {
		if slices.Contains(kinds, kind) {
			group = g
			count++
		}
	}
	return group, count == 1
}

// kindOf returns the kind of a resource: that of one of the manifests, or one of the table; else
// the word that the plural is guessed to come from, and then known is false.
func kindOf(group, resource string, manifests []*tree.Node) (kind string, known bool) {
	for _, manifest := range manifests {
		if m := selector.Of(manifest); m.Group == group && isResource(resource, m.Kind) {
			return m.Kind, true
		}
	}
	for _, kind := range knownKinds[group] {
		if isResource(resource, kind) {
			return kind, true
		}
	}
	return guessKind(resource), false
}

// isResource tells whether a resource is the plural of a kind, or the kind itself in lower case,
// which is a common mistake.
func isResource(resource, kind string) bool {
	resource = strings.ToLower(resource)
	return kind != "" && (resource == words.Plural(kind) || resource == strings.ToLower(kind))
}

// guessKind makes a kind of a resource: certificaterequests becomes Certificaterequest.
func guessKind(resource string) string {
	name := resource
	switch {
	case strings.HasSuffix(name, "ies"):
		name = strings.TrimSuffix(name, "ies") + "y"
	case strings.HasSuffix(name, "sses"):
		name = strings.TrimSuffix(name, "es")
	default:
		name = strings.TrimSuffix(name, "s")
	}
	if name == "" {
		return resource
	}
	runes := []rune(name)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}
