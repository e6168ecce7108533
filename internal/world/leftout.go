package world

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// serverSet are the fields of metadata that the server sets, and those that identify the object.
var serverSet = slices.Concat(schema.ServerSet, []string{"name", "namespace"})

// controllerAnnotations are written by the controllers of Kubernetes and by kubectl apply, and
// serverAnnotations are all that controllers and appliers use internally.
var (
	controllerAnnotations = []string{
		"deployment.kubernetes.io/revision", "deprecated.daemonset.template.generation", "batch.kubernetes.io/job-tracking",
		"pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller", "volume.kubernetes.io/selected-node",
		"volume.kubernetes.io/storage-provisioner", "volume.beta.kubernetes.io/storage-provisioner", managedfields.LastApplied,
	}
	serverAnnotations = append(slices.Clip(controllerAnnotations), "open-cluster-management.io/object-hash")
)

// hostAnnotations are the prefixes of annotations that never reach a cluster, or are for
// krm-fields.
var hostAnnotations = []string{
	"config.kubernetes.io/", "internal.config.kubernetes.io/", "config.k8s.io/", "internal.config.k8s.io/",
	"kustomize.config.k8s.io/", "fn.kpt.dev/",
}

// Annotations are those of an object.
var Annotations = location.Location{location.Key("metadata"), location.Key("annotations")}

// IsLeftOut tells whether a field is not compared.
func IsLeftOut(l location.Location) bool {
	switch {
	case len(l) == 1:
		return slices.Contains([]string{"apiVersion", "kind", "status"}, l[0].Key)
	case len(l) == 2 && l[0].Key == "metadata":
		return slices.Contains(serverSet, l[1].Key)
	case len(l) == 3 && l[0].Key == "metadata" && l[1].Key == "annotations":
		return IsServerAnnotation(l[2].Key)
	}
	return false
}

// IsServerAnnotation tells whether only controllers, appliers or hosts use an annotation.
func IsServerAnnotation(key string) bool {
	return slices.Contains(serverAnnotations, key) ||
		slices.ContainsFunc(hostAnnotations, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

// RemoveServerSet removes the fields that are not compared from an object, except its name.
func RemoveServerSet(o *object.Object) {
	var locations []location.Location
	for depth := range len(Annotations) + 1 {
		for key := range tree.Entries(location.At(o.Root(), Annotations[:depth])) {
			l := Annotations[:depth].With(location.Key(key))
			isName := depth == 0 && key != "status" || depth == 1 && (key == "name" || key == "namespace")
			if IsLeftOut(l) && !isName {
				locations = append(locations, l)
			}
		}
	}
	o.Remove(locations)
	if annotations := location.At(o.Root(), Annotations); annotations != nil && len(annotations.Content) == 0 {
		o.Remove([]location.Location{Annotations})
	}
}
