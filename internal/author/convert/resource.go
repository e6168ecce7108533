package convert

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/fn/manifestwork"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// operatorKinds are kinds of widespread operators, by their group. Their resources are the plurals
// that words.Plural makes.
var operatorKinds = map[string][]string{
	"argoproj.io":                     {"AppProject", "Application", "ApplicationSet", "Rollout", "Workflow"},
	"cert-manager.io":                 {"Certificate", "ClusterIssuer", "Issuer"},
	"helm.toolkit.fluxcd.io":          {"HelmRelease"},
	"kustomize.toolkit.fluxcd.io":     {"Kustomization"},
	"monitoring.coreos.com":           {"PodMonitor", "PrometheusRule", "ServiceMonitor"},
	"networking.istio.io":             {"DestinationRule", "EnvoyFilter", "Gateway", "ServiceEntry", "Sidecar", "VirtualService"},
	"gateway.networking.k8s.io":       {"GRPCRoute", "Gateway", "GatewayClass", "HTTPRoute"},
	"work.open-cluster-management.io": {"AppliedManifestWork", "ManifestWork", "ManifestWorkReplicaSet"},
}

// knownKinds are the kinds of Kubernetes and those of operators, by their group.
var knownKinds = sync.OnceValue(func() map[string][]string {
	known := maps.Clone(operatorKinds)
	for _, gvk := range schema.Kinds() {
		if !slices.Contains(known[gvk.Group], gvk.Kind) {
			known[gvk.Group] = append(slices.Clip(known[gvk.Group]), gvk.Kind)
		}
	}
	return known
})

// groupOf returns the one group that has a kind in the table; false if none or several do.
func groupOf(kind string) (string, bool) {
	group, count := "", 0
	for g, kinds := range knownKinds() {
		if slices.Contains(kinds, kind) {
			group = g
			count++
		}
	}
	return group, count == 1
}

// kindOf returns the kind of a resource in a group: that of one of the manifests, or one of the
// table; else the word that the plural is guessed to come from, and then known is false.
func kindOf(id manifestwork.ResourceIdentifier, group string, manifests []*tree.Node) (kind string, known bool) {
	for _, manifest := range manifests {
		if m := selector.Of(manifest); m.Group == group && id.HasResource(m.Kind) {
			return m.Kind, true
		}
	}
	if kind, ok := lists.Find(knownKinds()[group], id.HasResource); ok {
		return kind, true
	}
	return guessKind(id.Resource), false
}

// guessKind makes a kind of a resource: certificaterequests becomes Certificaterequest.
func guessKind(resource string) string {
	name := strings.TrimSuffix(resource, "s")
	if stem, isPlural := strings.CutSuffix(resource, "ies"); isPlural {
		name = stem + "y"
	} else if stem, isPlural := strings.CutSuffix(resource, "sses"); isPlural {
		name = stem + "ss"
	}
	first, size := utf8.DecodeRuneInString(name)
	if size == 0 {
		return resource
	}
	return string(unicode.ToUpper(first)) + name[size:]
}
