package suggest

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/tree"
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

// RemoveServerSet takes off an object what is not compared, but for its name.
func RemoveServerSet(o *object.Object) {
	var locations []locate.Location
	note := func(l locate.Location) {
		isName := len(l) == 2 && (l[1].Key == "name" || l[1].Key == "namespace")
		if isLeftOut(l) && !isName && (len(l) > 1 || l[0].Key == "status") {
			locations = append(locations, l)
		}
	}
	for key := range tree.Entries(o.Root()) {
		note(locate.Location{locate.Key(key)})
	}
	for key := range tree.Entries(tree.Get(o.Root(), "metadata")) {
		note(locate.Location{locate.Key("metadata"), locate.Key(key)})
	}
	for key := range tree.Entries(locate.At(o.Root(), annotationsAt)) {
		note(annotationsAt.With(locate.Key(key)))
	}
	if len(locations) > 0 {
		o.Remove(locations)
	}
	if annotations := locate.At(o.Root(), annotationsAt); annotations != nil && isNothing(annotations) {
		o.Remove([]locate.Location{annotationsAt})
	}
}
