// Package manifestwork predicts what Open Cluster Management's hub and agent do with the
// ignoreFields of a ManifestWork or ManifestWorkReplicaSet: which they refuse, what each finds in
// the manifests, what the agent treats differently than intended, and the status that the agent
// would write. It never changes the manifests.
package manifestwork

import (
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// workGroup is the group of ManifestWork and ManifestWorkReplicaSet
// (https://github.com/open-cluster-management-io/api/tree/main/work).
const workGroup = "work.open-cluster-management.io"

// work is a ManifestWork or a ManifestWorkReplicaSet with its rules compiled.
type work struct {
	// isReplicaSet is true for a ManifestWorkReplicaSet, whose status has no place for single
	// manifests.
	isReplicaSet bool
	// spec is the location of the ManifestWorkSpec.
	spec    location.Location
	configs []workConfig
}

// workOf returns the work that the item is, without its configs; nil for any other object.
func workOf(item *object.Object) *work {
	if !item.Mentions(workGroup) {
		return nil // so that it need not be parsed
	}
	spec := location.Location{location.Key("spec")}
	switch ref := report.RefOf(item.Root()); {
	case ref.APIVersion == workGroup+"/v1" && ref.Kind == "ManifestWork":
		return &work{spec: spec}
	case ref.APIVersion == workGroup+"/v1alpha1" && ref.Kind == "ManifestWorkReplicaSet":
		return &work{spec: spec.With(location.Key("manifestWorkTemplate")), isReplicaSet: true}
	}
	return nil
}

// workManifest is a manifest of a work.
type workManifest struct {
	*selector.Candidate
	root *tree.Node
	at   location.Location // spec.workload.manifests[2]
	// ordinal is the index among the manifests.
	ordinal int
}

// manifests returns the manifests of the work at root, without what is no object.
func (w *work) manifests(root *tree.Node) []workManifest {
	at := w.spec.With(location.Key("workload")).With(location.Key("manifests"))
	var manifests []workManifest
	for i, n := range tree.Elements(location.At(root, at)) {
		if tree.GetString(n, "apiVersion") == "" || tree.GetString(n, "kind") == "" {
			continue
		}
		manifests = append(manifests, workManifest{
			Candidate: onCluster(selector.Of(n)), root: tree.Deref(n), at: at.With(location.Index(i)), ordinal: i,
		})
	}
	return manifests
}

// String names the manifest: `spec.workload.manifests[2] (Deployment default/web)`.
func (m workManifest) String() string {
	return m.at.String() + " (" + m.Candidate.String() + ")"
}

// Options say how outcomes are reported.
type Options struct {
	// Report is true if the outcome is written to the status of the work. Then no failure ends the
	// run.
	Report bool
	// Missing is the severity of an expression that finds nothing in one manifest, and NoMatch that
	// of one that finds nothing in any, and of an identifier that names none; "" for no result.
	Missing, NoMatch string
	// FromOwners is true if fields are also reported that have owners among the manifests.
	FromOwners bool
	Limits     jq.Limits
	Mask       *redact.Mask
}

// Works are the works among the items of a list, with their rules compiled.
type Works struct {
	options Options
	works   map[*object.Object]*work
}

// Compile compiles the rules of the works among the items, and returns the faults of all of them,
// each work's with its warnings of unknown fields, which may be why there is a fault.
func Compile(items []*object.Object, options Options) (Works, []report.Result) {
	all := Works{options: options, works: map[*object.Object]*work{}}
	var faults []report.Result
	for _, item := range items {
		w, found := compileWork(item, options)
		if faults = append(faults, found...); w != nil && len(found) == 0 {
			all.works[item] = w
		}
	}
	return all, faults
}

// compileWork compiles the rules of the item, if it is a work, or returns their faults.
func compileWork(item *object.Object, options Options) (*work, []report.Result) {
	w := workOf(item)
	if w == nil {
		return nil, nil
	}
	root := item.Root()
	c := workCompiler{Compiler: rules.Compiler{Limits: options.Limits, Ref: report.RefOf(root), File: item.File()}}
	c.workload(root, w.spec.With(location.Key("workload")))
	at := w.spec.With(location.Key("manifestConfigs"))
	for i, n := range c.elements(location.At(root, at), at.String()) {
		w.configs = append(w.configs, c.config(n, at.With(location.Index(i))))
	}
	if len(c.Faults) == 0 {
		return w, nil
	}
	t := newTrial(options, w, item)
	t.reportUnknown()
	return w, append(report.FaultResults(c.Faults, c.Ref, c.File), t.results...)
}

// Try tries the rules of the item on its manifests, if it is a work, and with Options.Report writes
// the outcome to its status. The error is that of an expression that hit a limit, which ends the
// run; with Options.Report it is an outcome like others.
func (w Works) Try(item *object.Object) ([]report.Result, error) {
	work := w.works[item]
	if work == nil {
		return nil, nil
	}
	t := newTrial(w.options, work, item)
	if err := t.run(); err != nil {
		return t.results, err
	}
	if t.options.Report {
		t.writeStatus(item)
	}
	return t.results, nil
}
