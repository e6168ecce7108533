package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// A sign is an annotation, or another field, by which a tool treats an object otherwise than an
// apply of the package would.
type sign struct {
	// path leads to the field, and values are those that count; none for all.
	path   []string
	values []string
	says   string
}

// signs are from the documentation of the tools: Argo CD (sync options, resource hooks, compare
// options), Flux (kustomize-controller), Helm (hooks, resource policies), cli-utils of kpt, Config
// Sync, kapp, and the API of Kubernetes.
var signs = []sign{
	{annotation("argocd.argoproj.io/skip-reconcile"), []string{"true"}, "Argo CD does not reconcile it"},
	{annotation("argocd.argoproj.io/hook"), nil, "Argo CD runs it as a hook"},
	{annotation("argocd.argoproj.io/sync-options"), nil, "Argo CD syncs it with options of its own"},
	{annotation("argocd.argoproj.io/compare-options"), nil, "Argo CD compares it with options of its own"},
	{annotation("kustomize.toolkit.fluxcd.io/reconcile"), []string{"disabled", "Disabled"}, "Flux does not apply it"},
	{annotation("kustomize.toolkit.fluxcd.io/ssa"), nil, "Flux applies it in another way"},
	{annotation("kustomize.toolkit.fluxcd.io/prune"), []string{"disabled", "Disabled"}, "Flux does not prune it"},
	{annotation("helm.sh/hook"), nil, "Helm runs it as a hook"},
	{annotation("helm.sh/resource-policy"), []string{"keep"}, "Helm does not delete it"},
	{annotation("client.lifecycle.config.k8s.io/mutation"), []string{"ignore"}, "Config Sync does not update it"},
	{annotation("client.lifecycle.config.k8s.io/deletion"), []string{"detach"}, "kpt and Config Sync do not delete it"},
	{annotation("configmanagement.gke.io/managed"), []string{"disabled"}, "Config Sync does not manage it"},
	{annotation("kapp.k14s.io/noop"), nil, "kapp does not apply it"},
	{[]string{"spec", "suspend"}, []string{"true"}, "it is suspended"},
	{[]string{"spec", "paused"}, []string{"true"}, "it is paused"},
}

func annotation(name string) []string { return []string{"metadata", "annotations", name} }

// remarks are what a reviewer should know of an object of the package beside its plan.
func (x *comparison) remarks(m *match) []string {
	var texts []string
	if m.isTwice && m.base == nil {
		texts = append(texts, "the package has the object twice: the last one that is applied wins")
	}
	roots := []*tree.Node{m.head.object.Root()}
	if m.head.live != nil {
		roots = append(roots, m.head.live.Root())
	}
	for _, s := range signs {
		for i, root := range roots {
			n := tree.Get(root, s.path...)
			if n == nil || s.values != nil && !slices.Contains(s.values, n.Text()) {
				continue
			}
			where := ""
			if i > 0 {
				where = " on the cluster"
			}
			texts = append(texts, fmt.Sprintf("%s (%s: %s%s)", s.says, s.path[len(s.path)-1], n.Text(), where))
			break
		}
	}
	if m.head.live == nil && m.after.Outcome != NotCompared {
		texts = append(texts, x.missing(m.after.Ref)...)
	}
	return texts
}

// missing says that a cluster lacks the namespace or the definition of a new object. Live objects
// without any namespace or definition say nothing of them.
func (x *comparison) missing(ref report.Ref) (texts []string) {
	if x.isMissing("Namespace", func(o *object.Object) bool { return o.Ref().Name == ref.Namespace }) && ref.Namespace != "" {
		texts = append(texts, fmt.Sprintf("the cluster has no namespace %q, and the package does not create it", ref.Namespace))
	}
	origin := x.head.schemas.Kind(schema.ParseGVK(ref.APIVersion, ref.Kind)).Origin
	isDefined := func(o *object.Object) bool {
		return tree.GetString(o.Root(), "spec", "group") == ref.Group() && tree.GetString(o.Root(), "spec", "names", "kind") == ref.Kind
	}
	if origin != schema.Kubernetes && strings.Contains(ref.Group(), ".") && x.isMissing("CustomResourceDefinition", isDefined) {
		texts = append(texts, fmt.Sprintf("the cluster has no CustomResourceDefinition of the kind %s of %s, and the package does not create it",
			ref.Kind, ref.APIVersion))
	}
	return texts
}

// isMissing tells whether the live objects have objects of a kind, and neither they nor the package
// has the one that is meant.
func (x *comparison) isMissing(kind string, isMeant func(*object.Object) bool) bool {
	live, created := x.ofKind(kind)
	return len(live) > 0 && !slices.ContainsFunc(live, isMeant) && !slices.ContainsFunc(created, isMeant)
}

// ofKind returns the objects of a kind on the cluster, and those that the package creates. They are
// looked for once, not for each new object.
func (x *comparison) ofKind(kind string) (live, created []*object.Object) {
	of, known := x.kinds[kind]
	if !known {
		isOther := func(o *object.Object) bool { return o.Ref().Kind != kind }
		w := x.head.World
		of.live = slices.DeleteFunc(slices.Clone(w.Live), isOther)
		of.created = slices.DeleteFunc(slices.Clone(w.Objects), func(o *object.Object) bool { return isOther(o) || hostless.IsLocal(o) })
		x.kinds[kind] = of
	}
	return of.live, of.created
}
