package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// A sign is an annotation, or another field, by which a tool treats an object differently from an
// apply of the package would.
type sign struct {
	// path leads to the field, and values are those that count; none for all.
	path   []string
	values []string
	says   string
	// by is the tool that does not prune the object; "" where the sign is not about that.
	by string
}

// signs are from the documentation of the tools: Argo CD (sync options, resource hooks, compare
// options), Flux (kustomize-controller), Helm (hooks, resource policies), cli-utils of kpt, Config
// Sync, kapp, and the API of Kubernetes.
var signs = []sign{
	{annotation("argocd.argoproj.io/skip-reconcile"), []string{"true"}, "Argo CD does not reconcile it", ""},
	{annotation("argocd.argoproj.io/hook"), nil, "Argo CD runs it as a hook", ""},
	{annotation("argocd.argoproj.io/sync-options"), []string{"Prune=false"}, "Argo CD does not prune it", "argocd"},
	{annotation("argocd.argoproj.io/sync-options"), nil, "Argo CD syncs it with options of its own", ""},
	{annotation("argocd.argoproj.io/compare-options"), nil, "Argo CD compares it with options of its own", ""},
	{annotation("kustomize.toolkit.fluxcd.io/reconcile"), []string{"disabled", "Disabled"}, "Flux does not apply it", "flux"},
	{annotation("kustomize.toolkit.fluxcd.io/ssa"), nil, "Flux applies it in another way", ""},
	{annotation("kustomize.toolkit.fluxcd.io/prune"), []string{"disabled", "Disabled"}, "Flux does not prune it", "flux"},
	{annotation("helm.sh/hook"), nil, "Helm runs it as a hook", ""},
	{annotation("helm.sh/resource-policy"), []string{"keep"}, "Helm does not delete it", "helm"},
	{annotation("client.lifecycle.config.k8s.io/mutation"), []string{"ignore"}, "Config Sync does not update it", ""},
	{annotation("client.lifecycle.config.k8s.io/deletion"), []string{"detach"}, "kpt and Config Sync do not delete it", "kpt"},
	{annotation("cli-utils.sigs.k8s.io/on-remove"), []string{"keep"}, "kpt does not delete it", "kpt"},
	{annotation("configmanagement.gke.io/managed"), []string{"disabled"}, "Config Sync does not manage it", ""},
	{annotation("kapp.k14s.io/noop"), nil, "kapp does not apply it", ""},
	{[]string{"spec", "suspend"}, []string{"true"}, "it is suspended", ""},
	{[]string{"spec", "paused"}, []string{"true"}, "it is paused", ""},
}

func annotation(name string) []string { return []string{"metadata", "annotations", name} }

// on tells whether an object has the sign: one of its values, which may be one of a list.
func (s sign) on(root *tree.Node) (value string, ok bool) {
	n := tree.Get(root, s.path...)
	if n == nil {
		return "", false
	}
	has := func(value string) bool { return slices.Contains(s.values, strings.TrimSpace(value)) }
	return n.Text(), s.values == nil || slices.ContainsFunc(strings.Split(n.Text(), ","), has)
}

// signsOn say how tools treat an object of the package, and on the cluster. A path counts once.
func signsOn(o, live *object.Object, counts func(sign) bool) (texts []string) {
	roots := []*tree.Node{o.Root()}
	if live != nil {
		roots = append(roots, live.Root())
	}
	told := map[string]bool{}
	for _, s := range signs {
		name := s.path[len(s.path)-1]
		for i, root := range roots {
			value, isOn := s.on(root)
			if !isOn || told[name] || !counts(s) {
				continue
			}
			told[name] = true
			if i > 0 {
				value += " on the cluster"
			}
			texts = append(texts, fmt.Sprintf("%s (%s: %s)", s.says, name, value))
		}
	}
	return texts
}

// remarks are what a reviewer should know of an object of the package beside its plan.
func (x *comparison) remarks(m *match) []string {
	var texts []string
	if m.isTwice {
		texts = append(texts, "the package has the object twice: the last one that is applied wins")
	}
	if !x.isSameKind(m.head) {
		texts = append(texts, "the change is of the CustomResourceDefinition of its kind, too, which must be applied first")
	}
	texts = append(texts, signsOn(m.head.object, m.head.live, func(sign) bool { return true })...)
	return append(texts, m.lacks...)
}

// pruning says why the tools do not prune an object that leaves the package, or what goes with it.
func (x *comparison) pruning(m *match) (texts []string, isKept bool) {
	as := x.base.As.Name
	keeps := func(s sign) bool { return s.by != "" && (s.by == as || as == managedfields.Tools[0].Name) } // kubectl may stand for any
	if texts = signsOn(m.base.object, m.base.live, keeps); texts != nil {
		return texts, true
	}
	isIn := inside(m.base)
	if isIn == nil {
		return nil, false
	}
	ofPackage := map[*object.Object]bool{}
	for _, p := range x.headPairs {
		ofPackage[p.live] = true
	}
	all, own := 0, 0
	for _, o := range x.base.Live {
		if isIn(o.Ref()) {
			all++
		}
		if isIn(o.Ref()) && ofPackage[o] {
			own++
		}
	}
	if all > 0 {
		texts = []string{fmt.Sprintf("with it goes what is in it: %s on the cluster, %d of them in the package", words.Count(all, "object"), own)}
	}
	return texts, false
}

// inside tells what is in a namespace, or of the kind of a definition; nil for other objects.
func inside(p *pair) func(report.Ref) bool {
	switch {
	case world.IsNamespace(p.object.Ref()):
		return func(ref report.Ref) bool { return ref.Namespace == p.identity.Name }
	case hostless.IsDefinition(p.object):
		kind := world.DefinedBy(p.object)
		return func(ref report.Ref) bool { return selector.KindOf(ref) == kind }
	}
	return nil
}

// available is what a cluster has, or the package makes: nothing of namespaces or of custom kinds
// where the live objects have none, and so say nothing of them.
func (p *planner) available() world.Made {
	if p.has == nil {
		has, own := world.MadeBy(p.Live), world.MadeBy(slices.DeleteFunc(slices.Clone(p.Objects), hostless.IsLocal))
		if len(has.Namespaces) > 0 {
			maps.Copy(has.Namespaces, own.Namespaces)
		}
		if len(has.Kinds) > 0 {
			maps.Copy(has.Kinds, own.Kinds)
		}
		p.has = &has
	}
	return *p.has
}

// lacking says that a cluster lacks the namespace or the definition of a new object.
func (p *planner) lacking(of *pair) (texts []string) {
	if of.live != nil || !of.isSent || p.Unread[of.object] != nil {
		return nil
	}
	ref, has := of.object.Ref(), p.available()
	namespace := cmp.Or(of.identity.Namespace, of.identity.Assumed)
	if len(has.Namespaces) > 0 && namespace != "" && !has.Namespaces[namespace] {
		texts = append(texts, world.NoNamespace(namespace))
	}
	isCustom := strings.Contains(ref.Group(), ".") && p.schemas.Kind(schema.ParseGVK(ref.APIVersion, ref.Kind)).Origin != schema.Kubernetes
	if isCustom && len(has.Kinds) > 0 && !has.Kinds[selector.KindOf(ref)] {
		texts = append(texts, fmt.Sprintf("the cluster has no CustomResourceDefinition of the kind %s of %s, and the package does not create it",
			ref.Kind, ref.APIVersion))
	}
	return texts
}
