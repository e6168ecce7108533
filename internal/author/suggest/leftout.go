package suggest

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// serverSet are the fields of metadata that the server sets, and those that identify the object.
var serverSet = slices.Concat(schema.ServerSet, []string{"name", "namespace"})

// serverAnnotations are annotations that controllers and appliers use internally.
var serverAnnotations = []string{
	"deployment.kubernetes.io/revision", "kubectl.kubernetes.io/last-applied-configuration",
	"open-cluster-management.io/object-hash",
}

// hostAnnotations are the prefixes of annotations that never reach a cluster, or are for
// krm-fields.
var hostAnnotations = []string{
	"config.kubernetes.io/", "internal.config.kubernetes.io/", "config.k8s.io/", "internal.config.k8s.io/",
	"kustomize.config.k8s.io/", "fn.kpt.dev/",
}

// isLeftOut tells whether a field is not compared.
func isLeftOut(l location.Location) bool {
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

// RemoveServerSet removes the fields that are not compared from an object, except its name.
func RemoveServerSet(o *object.Object) {
	var locations []location.Location
	for depth := range len(annotationsAt) + 1 {
		for key := range tree.Entries(location.At(o.Root(), annotationsAt[:depth])) {
			l := annotationsAt[:depth].With(location.Key(key))
			isName := depth == 0 && key != "status" || depth == 1 && (key == "name" || key == "namespace")
			if isLeftOut(l) && !isName {
				locations = append(locations, l)
			}
		}
	}
	o.Remove(locations)
	if annotations := location.At(o.Root(), annotationsAt); annotations != nil && isNothing(annotations) {
		o.Remove([]location.Location{annotationsAt})
	}
}
