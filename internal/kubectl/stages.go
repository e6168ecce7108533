package kubectl

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// A stage is objects of a package that are applied before those of the next one.
type stage struct {
	objects []*object.Object
	// anyOrder tells that none of the objects needs another one to be there.
	anyOrder bool
}

// definers are the kinds that make a place for all others: without it, the API server refuses them.
var definers = []selector.GroupKind{{Kind: "Namespace"}, {Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}}

// needed are the kinds whose objects the API server looks up when others are created:
// https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/ and
// https://kubernetes.io/docs/reference/access-authn-authz/rbac/#restrictions-on-role-binding-creation-or-update
var needed = []selector.GroupKind{
	{Kind: "LimitRange"}, {Kind: "ResourceQuota"}, {Kind: "ServiceAccount"},
	{Group: "networking.k8s.io", Kind: "IngressClass"},
	{Group: "node.k8s.io", Kind: "RuntimeClass"},
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}, {Group: "rbac.authorization.k8s.io", Kind: "Role"},
	{Group: "resource.k8s.io", Kind: "DeviceClass"},
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"},
	{Group: "storage.k8s.io", Kind: "StorageClass"}, {Group: "storage.k8s.io", Kind: "VolumeAttributesClass"},
}

// guards are the groups of what takes part in other requests once it is there, so that it comes
// last.
var guards = []string{"admissionregistration.k8s.io", "apiregistration.k8s.io"}

// stages splits the objects of a package: namespaces and definitions first, then what others need,
// then all other kinds of Kubernetes, in any order, and at the end custom kinds, since webhooks may
// look up anything, and what takes part in other requests. Within a stage, the order stays.
func stages(objects []*object.Object) []stage {
	var known schema.Schemas
	all := make([]stage, 4)
	all[2].anyOrder = true
	for _, o := range objects {
		i, kind := 2, kindOf(o)
		switch {
		case slices.Contains(definers, kind):
			i = 0
		case slices.Contains(needed, kind):
			i = 1
		case slices.Contains(guards, kind.Group) || known.Kind(gvkOf(o)).Origin != schema.Kubernetes:
			i = 3
		}
		all[i].objects = append(all[i].objects, o)
	}
	return slices.DeleteFunc(all, func(s stage) bool { return len(s.objects) == 0 })
}

// atOnce is how many calls run side by side.
const atOnce = 4

// shareOf is how many objects a call gets, at most a number, so that those side by side get about
// as many each.
func shareOf(count, most int) int {
	calls := (count + atOnce*most - 1) / (atOnce * most) * atOnce
	return (count + calls - 1) / max(calls, 1)
}
