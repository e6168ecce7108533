package kubectl

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// MemberLabel is the label by which kubectl knows the members of an ApplySet.
const MemberLabel = "applyset.kubernetes.io/part-of"

// parents are the kinds of Kubernetes that may be the parent of an ApplySet, by the names that
// kubectl knows them by.
var parents = map[string]string{
	"secret": "Secret", "secrets": "Secret", "configmap": "ConfigMap", "configmaps": "ConfigMap", "cm": "ConfigMap",
}

// MemberOf returns the value of the MemberLabel that kubectl gives the members of an ApplySet. Its
// parent in a namespace is named as for kubectl: RESOURCE/NAME, or the NAME of a Secret. It is ""
// for a parent of another kind, which only the cluster knows. The source is
// https://git.k8s.io/enhancements/keps/sig-cli/3659-kubectl-apply-prune.
func MemberOf(applySet, namespace string) string {
	resource, name, isNamed := strings.Cut(applySet, "/")
	if !isNamed {
		resource, name = "secrets", applySet
	}
	resource, _, _ = strings.Cut(strings.ToLower(resource), ".v1")
	kind := parents[resource]
	if kind == "" || namespace == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{name, namespace, kind, ""}, ".")))
	return "applyset-" + base64.RawURLEncoding.EncodeToString(sum[:]) + "-v1"
}
