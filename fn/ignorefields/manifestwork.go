package ignorefields

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// workGroup is the group of ManifestWork and ManifestWorkReplicaSet
// (https://github.com/open-cluster-management-io/api/tree/main/work).
const workGroup = "work.open-cluster-management.io"

// work is a ManifestWork or a ManifestWorkReplicaSet with its rules compiled.
type work struct {
	// isReplicaSet is true for a ManifestWorkReplicaSet, whose status has no
	// place for single manifests.
	isReplicaSet bool
	// spec is where the ManifestWorkSpec stands.
	spec    locate.Location
	configs []workConfig
}

// workOf returns the work that the item is, without its configs; nil for any
// other object.
func workOf(item *object.Object) *work {
	if !item.Mentions(workGroup) {
		return nil // without a need to parse it
	}
	spec := locate.Location{locate.Key("spec")}
	switch ref := report.RefOf(item.Root()); {
	case ref.APIVersion == workGroup+"/v1" && ref.Kind == "ManifestWork":
		return &work{spec: spec}
	case ref.APIVersion == workGroup+"/v1alpha1" && ref.Kind == "ManifestWorkReplicaSet":
		return &work{spec: spec.With(locate.Key("manifestWorkTemplate")), isReplicaSet: true}
	}
	return nil
}

// workManifest is a manifest of a work.
type workManifest struct {
	*match.Object
	root *yaml.Node
	at   locate.Location // spec.workload.manifests[2]
	// ordinal is the index among the manifests.
	ordinal int
}

// manifests returns the manifests of the work at root, without what is no
// object.
func (w *work) manifests(root *yaml.Node) []workManifest {
	at := w.spec.With(locate.Key("workload")).With(locate.Key("manifests"))
	var manifests []workManifest
	for i, n := range tree.Elements(locate.At(root, at)) {
		if tree.GetString(n, "apiVersion") == "" || tree.GetString(n, "kind") == "" {
			continue
		}
		manifests = append(manifests, workManifest{
			Object: match.Of(n), root: tree.Deref(n), at: at.With(locate.Index(i)), ordinal: i,
		})
	}
	return manifests
}

// String names the manifest: `spec.workload.manifests[2] (Deployment default/web)`.
func (m workManifest) String() string {
	return m.at.String() + " (" + m.Object.String() + ")"
}

// compileWorks compiles the rules of the works among the items, and returns the
// faults of all of them. What shows the state of the cluster is left out.
func (r *run) compileWorks(items []*object.Object) []report.Result {
	if r.config.ManifestWorks == policyIgnore {
		return nil
	}
	r.works = map[*object.Object]*work{}
	var faults []report.Result
	for _, item := range items {
		w := workOf(item)
		if w == nil || r.config.Live.isLive(item) {
			continue
		}
		root := item.Root()
		found := w.compile(root, r.limits)
		faults = append(faults, report.FaultResults(found, report.RefOf(root), item.File())...)
		if len(found) == 0 {
			r.works[item] = w
		}
	}
	return faults
}

// compile compiles the rules of the work at root and returns their faults.
func (w *work) compile(root *yaml.Node, limits jq.Limits) []report.Fault {
	c := workCompiler{compiler: compiler{limits: limits, allHints: true}}
	w.configs = c.configs(root, w.spec.With(locate.Key("manifestConfigs")))
	return c.faults
}

// tryWork tries the rules of the item out on its manifests, if it is a work, and
// under Report writes the outcome to its status. The error is that of an
// expression that hit a limit, which ends the run; under Report it is one more
// outcome and ends nothing.
func (r *run) tryWork(item *object.Object) ([]report.Result, error) {
	w := r.works[item]
	if w == nil {
		return nil, nil
	}
	t := newTrial(r.config, w, item)
	if err := t.run(); err != nil {
		return t.results, err
	}
	if t.reports() {
		t.writeStatus(item)
	}
	return t.results, nil
}
