package suggest

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/locate"
)

// serverSet are the fields of metadata that the server sets, and those that name
// the object.
var serverSet = []string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields", "name", "namespace",
	"resourceVersion", "selfLink", "uid",
}

// serverAnnotations are annotations that controllers and appliers keep for
// themselves.
var serverAnnotations = []string{
	"deployment.kubernetes.io/revision", "kubectl.kubernetes.io/last-applied-configuration",
	"open-cluster-management.io/object-hash",
}

// hostAnnotations are what the annotations begin with that never reach a
// cluster, or are for krm-fields.
var hostAnnotations = []string{
	"config.kubernetes.io/", "internal.config.kubernetes.io/", "config.k8s.io/", "internal.config.k8s.io/",
	"kustomize.config.k8s.io/", "fn.kpt.dev/",
}

// isLeftOut tells whether a field is not compared.
func isLeftOut(l locate.Location) bool {
	switch {
	case len(l) == 1:
		return slices.Contains([]string{"apiVersion", "kind", "status"}, l[0].Key)
	case len(l) == 2 && l[0].Key == "metadata":
		return slices.Contains(serverSet, l[1].Key)
	case len(l) == 3 && l[0].Key == "metadata" && l[1].Key == "annotations":
		return isServerAnnotation(l[2].Key)
	}
	return false
}

func isServerAnnotation(key string) bool {
	return slices.Contains(serverAnnotations, key) ||
		slices.ContainsFunc(hostAnnotations, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}
