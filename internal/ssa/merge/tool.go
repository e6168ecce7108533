package merge

import (
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// A Tool is a program that applies, with what it does beside the request.
type Tool struct {
	Name string
	// Manager is its usual field manager.
	Manager string
	// Forces tells that it always forces conflicts.
	Forces bool
	// Keeps tells that a field that leaving out would not leave to its owner keeps its live value.
	Keeps bool
	// old are the managers whose entries the tool makes its own before it applies, each with the
	// operation. A manager may end in "*".
	old []oldEntry
	// migrates tells that after its apply the tool takes over those who applied on the client's
	// side, and applies again.
	migrates bool
	// cleans are annotations and labels that the tool removes before it applies.
	cleans []string
	// adds are annotations and labels that the tool itself adds to the package.
	adds []string
}

type oldEntry struct{ manager, operation string }

// Tools are the tools in the order of the documentation, kubectl first. The sources are
// https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/cmd/apply/apply.go (which kpt uses, too),
// https://github.com/argoproj/argo-cd/blob/v3.6.1/gitops-engine/pkg/sync/sync_context.go,
// https://github.com/fluxcd/kustomize-controller/blob/main/internal/controller/kustomization_controller.go
// and https://github.com/helm/helm/blob/v4.3.1/pkg/kube/client.go.
var Tools = []*Tool{
	{Name: "kubectl", Manager: kubectl, migrates: true},
	{Name: "krm-fields", Manager: kubectl, migrates: true, Keeps: true},
	{Name: "argocd", Manager: "argocd-controller", Forces: true,
		old:  []oldEntry{{"kubectl-client-side-apply", Update}},
		adds: []string{"argocd.argoproj.io/tracking-id", "argocd.argoproj.io/installation-id", "app.kubernetes.io/instance"}},
	{Name: "flux", Manager: "kustomize-controller", Forces: true,
		old:    []oldEntry{{"kubectl*", Applied}, {"kubectl*", Update}, {beforeFirstApply, Update}, {"kustomize-controller", Update}},
		cleans: []string{lastAppliedAnnotation, "kustomize.toolkit.fluxcd.io/checksum", "fluxcd.io/sync-checksum", "fluxcd.io/sync-gc-mark"},
		adds:   []string{"kustomize.toolkit.fluxcd.io/name", "kustomize.toolkit.fluxcd.io/namespace"}},
	{Name: "helm", Manager: "helm", old: []oldEntry{{"helm", Update}},
		adds: []string{"meta.helm.sh/release-name", "meta.helm.sh/release-namespace", "app.kubernetes.io/managed-by"}},
	{Name: "kpt", Manager: kubectl, migrates: true, adds: []string{"config.k8s.io/owning-inventory"}},
}

// ToolNamed returns a tool, or nil.
func ToolNamed(name string) *Tool {
	if i := slices.IndexFunc(Tools, func(t *Tool) bool { return t.Name == name }); i >= 0 {
		return Tools[i]
	}
	return nil
}

// Own returns whether a manager is the tool itself under a name that it has or had.
func (t *Tool) Own(applier, manager string) bool {
	return manager == applier || manager == "kubectl-client-side-apply" && t.migrates ||
		slices.ContainsFunc(t.old, func(e oldEntry) bool { return e.matches(manager, e.operation) })
}

func (e oldEntry) matches(manager, operation string) bool {
	prefix, isPrefix := strings.CutSuffix(e.manager, "*")
	return operation == e.operation && (manager == e.manager || isPrefix && strings.HasPrefix(manager, prefix))
}

// prepare is what the tool does before its apply: it adds to the package what it adds itself, if
// the live object has that, and takes over old entries.
func (p *predictor) prepare(s *state) {
	t := p.apply.As
	if t == nil || p.apply.Live == nil {
		return
	}
	s.config = withNamespace(withAdded(s.config, s.live, t.adds), s.live)
	s.live = s.clean(t.cleans)
	for _, name := range s.managers.list() {
		if name.Subresource == "" && slices.ContainsFunc(t.old, func(e oldEntry) bool { return e.matches(name.Name, name.Operation) }) {
			s.managers.takeOver(name.Name, name.Operation, p.applier())
		}
	}
}

// withAdded is the package with those labels and annotations of the live object.
func withAdded(config, live map[string]any, keys []string) map[string]any {
	for _, field := range []string{"labels", "annotations"} {
		old, _ := metadataField(live, field).(map[string]any)
		own, _ := metadataField(config, field).(map[string]any)
		for _, key := range keys {
			text, isThere := old[key]
			if _, isOwn := own[key]; !isThere || isOwn {
				continue
			}
			config = maps.Clone(config)
			metadata, _ := config["metadata"].(map[string]any)
			metadata = maps.Clone(metadata)
			config["metadata"] = metadata
			if own = maps.Clone(own); own == nil {
				own = map[string]any{}
			}
			own[key], metadata[field] = text, own
		}
	}
	return config
}

// withNamespace is the package with the namespace of the live object, which every tool sends.
func withNamespace(config, live map[string]any) map[string]any {
	namespace := metadataField(live, "namespace")
	if namespace == nil || metadataField(config, "namespace") != nil {
		return config
	}
	config = maps.Clone(config)
	metadata, _ := config["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	metadata["namespace"], config["metadata"] = namespace, metadata
	return config
}

func metadataField(object map[string]any, field string) any {
	metadata, _ := object["metadata"].(map[string]any)
	return metadata[field]
}

// clean removes labels and annotations from the live object and from all managers.
func (s *state) clean(keys []string) map[string]any {
	live := s.live
	for _, field := range []string{"labels", "annotations"} {
		for _, key := range keys {
			all, _ := metadataField(live, field).(map[string]any)
			if _, ok := all[key]; !ok {
				continue
			}
			all = maps.Clone(all)
			delete(all, key)
			live = maps.Clone(live)
			metadata, _ := live["metadata"].(map[string]any)
			metadata = maps.Clone(metadata)
			metadata[field], live["metadata"] = all, metadata
			gone := fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", field, key))
			if len(all) == 0 {
				delete(metadata, field)
				gone.Insert(fieldpath.MakePathOrDie("metadata", field))
			}
			for id, set := range s.managers.fields {
				s.managers.fields[id] = fieldpath.NewVersionedSet(set.Set().Difference(gone), set.APIVersion(), set.Applied())
				strip(s.managers.fields, id)
			}
		}
	}
	return live
}

// takeOver makes the fields of the entries of a manager the applier's own, as
// k8s.io/client-go/util/csaupgrade does: those of the version of the applier's entry, or of the
// first one if it has none. It tells whether anything changed.
func (m *managers) takeOver(name, operation, applier string) bool {
	target := m.fields[applier]
	var taken []Manager
	for _, manager := range m.list() {
		if manager.Name == name && manager.Operation == operation && manager.Subresource == "" && manager.id() != applier {
			taken = append(taken, manager)
		}
	}
	if len(taken) == 0 {
		return false
	}
	if target == nil {
		first := taken[0]
		target = fieldpath.NewVersionedSet(fieldpath.NewSet(), fieldpath.APIVersion(first.APIVersion), true)
		m.times[applier] = first.Time
	}
	set := target.Set()
	for _, manager := range taken {
		if manager.APIVersion == string(target.APIVersion()) {
			set = set.Union(manager.Fields)
		}
		delete(m.fields, manager.id())
	}
	m.fields[applier] = fieldpath.NewVersionedSet(set, target.APIVersion(), true)
	return true
}

// lastAppliedManager is the manager under which kubectl keeps the annotation of client-side apply.
const lastAppliedManager = "kubectl-last-applied"

var (
	lastAppliedPath = fieldpath.MakePathOrDie("metadata", "annotations", lastAppliedAnnotation)
	lastAppliedSet  = fieldpath.NewSet(lastAppliedPath)
)

// migrate is what kubectl does after its apply: it keeps the annotation of client-side apply, takes
// over who has written it, and tells whether it applies again.
func (p *predictor) migrate(c *converter, s *state) (bool, error) {
	text, ok := annotations(s.live)[lastAppliedAnnotation]
	if !ok {
		return false, nil
	}
	var names []string
	isKept := false
	for _, manager := range s.managers.list() {
		switch {
		case !manager.Fields.Has(lastAppliedPath):
		case manager.Operation == Applied:
			isKept = true
		default:
			names = append(names, manager.Name)
		}
	}
	if !isKept && p.apply.Manager == kubectl {
		keeper := &predictor{schemas: p.schemas, kind: p.kind, version: p.version, reset: p.reset, updater: p.updater,
			apply: Apply{Live: p.apply.Live, Manager: lastAppliedManager, Now: p.apply.Now}}
		only := map[string]any{"apiVersion": s.live["apiVersion"], "kind": s.live["kind"],
			"metadata": map[string]any{"annotations": map[string]any{lastAppliedAnnotation: text}}}
		_, after, err := keeper.applyOnce(c, state{live: s.live, config: only, managers: s.managers}, false)
		if err != nil {
			return false, err
		}
		after.times[keeper.applier()] = p.now()
		s.managers = after
	}
	changed := false
	for _, name := range names {
		changed = s.managers.takeOver(name, Update, p.applier()) || changed
	}
	return changed, nil
}

// A Leftover is a field that an old entry of the tool keeps, although the package does not have it:
// no apply removes it.
type Leftover struct {
	Manager  Manager
	Location location.Location
	Value    any
}

// Leftovers returns the fields that old entries of the tool keep.
func (p *Prediction) Leftovers(t *Tool, applier string) []Leftover {
	if p.details == nil || p.details.old == nil {
		return nil
	}
	var all []Leftover
	for _, manager := range p.After {
		if manager.Operation != Update || manager.Subresource != "" || !t.Own(applier, manager.Name) {
			continue
		}
		rest := manager.Fields.Difference(p.details.config).Leaves()
		for _, other := range p.After {
			if other.id() != manager.id() {
				rest = rest.Difference(other.Fields)
			}
		}
		for path := range rest.All() {
			found, at, ok := p.values.find(p.kind.Type, path, p.details.merged)
			if m, isMap := found.(map[string]any); ok && (!isMap || len(m) == 0) && !path.Equals(lastAppliedPath) {
				all = append(all, Leftover{Manager: manager, Location: at, Value: found})
			}
		}
	}
	return all
}
