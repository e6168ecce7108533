package plan

import (
	"cmp"
	"errors"
	"slices"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Maker makes a plan of functionConfigs and objects.
type Maker struct {
	steps   []hostless.Step
	entries []*entry
	live    []*object.Object
	// definitions are the CustomResourceDefinitions that are given beside them.
	definitions []*object.Object
	runs        []Run
}

// NewMaker returns the maker of a plan: of what comes of objects when steps were run on them, and
// the live objects are there. Definitions are CustomResourceDefinitions beside them.
func NewMaker(steps []hostless.Step, objects, live, definitions []*object.Object) *Maker {
	m := &Maker{steps: steps, live: live, definitions: definitions}
	for _, object := range objects {
		m.entries = append(m.entries, &entry{object: object})
	}
	return m
}

// entry is an object of the package, as the runs change it.
type entry struct {
	object *object.Object
	pair   Pair
	// isLeft is true if the object is not sent because the cluster has it as it is, and isGone if a
	// run has removed it.
	isLeft, isGone bool
	// isLocal is true if the object was not for a cluster before a run, which may have ignored the
	// annotation that says so.
	isLocal bool
}

// Run runs the functionConfigs, each on the output of the one before it, up to the first that
// fails. A result that is an error only by onHandover or onNoMatch does not count as one, since the
// plan reports it. A tool that keeps live values does so for its field manager.
func (m *Maker) Run(as *managedfields.Tool, manager string) (all []report.Result, failed bool) {
	for number, s := range m.steps {
		knowsLive := fn.KindOf(s.FunctionConfig).ReadsLive
		if knowsLive {
			m.noteLocal()
		}
		m.stage(number)
		items, at := m.items(knowsLive)
		var errorReasons []string
		trace := &ignorefields.Trace{}
		options := fn.Options{Trace: trace, Purpose: func(c *ignorefields.Config) {
			if as.Keeps {
				ignorefields.Apply(cmp.Or(manager, as.Manager))(c)
			}
			ignorefields.Plan(&errorReasons)(c)
		}}
		out, results := fn.ItemsWith(options, s.FunctionConfig, items)
		failed = fn.HasError(results)
		for i := range results {
			if slices.Contains(errorReasons, results[i].Tags["reason"]) {
				results[i].Severity = report.SeverityError
			}
		}
		hostless.NameFile(results, s.FunctionConfig, s.Path)
		all = append(all, results...)
		if failed {
			return all, true
		}
		for i, entry := range at {
			entry.pair.Traced = append(entry.pair.Traced, nil)
			if i < len(trace.Objects) {
				entry.pair.Traced[number] = trace.Objects[i]
			}
		}
		m.accept(slices.DeleteFunc(out, (*object.Object).IsLive), knowsLive, number)
		m.runs = append(m.runs, Run{Rules: trace.Rules, Effect: trace.Effect})
	}
	if fn.HasError(all) {
		all = append(all, report.Result{Severity: report.SeverityError, Tags: map[string]string{"reason": report.ReasonPlanAssumption}, Message: "with these errors, a run of the functionConfigs " +
			"fails, and nothing is applied; the plan treats them as warnings"})
	}
	return all, false
}

// noteLocal notes which objects are not for a cluster.
func (m *Maker) noteLocal() {
	for _, entry := range m.entries {
		entry.isLocal = entry.isLocal || entry.object.Mentions(selector.LocalConfig) && hostless.IsLocal(entry.object)
	}
}

// stage notes the objects as they come to a run.
func (m *Maker) stage(number int) {
	for _, entry := range m.entries {
		if entry.isLeft || entry.isGone {
			continue
		}
		for len(entry.pair.Stages) < number {
			entry.pair.Stages, entry.pair.Traced = append(entry.pair.Stages, nil), append(entry.pair.Traced, nil)
		}
		entry.pair.Stages = append(entry.pair.Stages, dataOf(entry.object))
	}
}

// items returns the items of a run, and the entries of the first of them. Only IgnoreFields tells
// live objects from those of the package.
func (m *Maker) items(withLive bool) ([]*object.Object, []*entry) {
	var items []*object.Object
	var at []*entry
	names := map[string]bool{}
	for _, entry := range m.entries {
		if !entry.isLeft && !entry.isGone {
			items, at = append(items, entry.object), append(at, entry)
			names[report.RefOf(entry.object.Root()).String()] = true
		}
	}
	if !withLive {
		return items, at
	}
	items = append(items, m.live...)
	for _, definition := range m.definitions {
		if !names[report.RefOf(definition.Root()).String()] { // else it would count as one of the cluster
			items = append(items, definition)
		}
	}
	return items, at
}

// accept updates the entries from the output of a run.
func (m *Maker) accept(out []*object.Object, ignores bool, number int) {
	known := map[*object.Object]*entry{}
	for _, entry := range m.entries {
		known[entry.object] = entry
	}
	comesOut := map[*object.Object]bool{}
	for _, o := range out {
		comesOut[o] = true
		if known[o] == nil {
			m.entries = append(m.entries, &entry{object: o})
		}
	}
	for _, entry := range m.entries {
		switch {
		case entry.isLeft || entry.isGone || comesOut[entry.object]:
		case ignores && !entry.isLiveIn(number):
			entry.isLeft = true
		default:
			entry.isGone = true
		}
	}
}

// isLiveIn tells whether a run takes the object for one of the cluster.
func (e *entry) isLiveIn(run int) bool {
	return run < len(e.pair.Traced) && e.pair.Traced[run] != nil && e.pair.Traced[run].IsLive
}

// Input pairs the objects with the live ones. Without a manager, it is the usual one of the tool.
func (m *Maker) Input(as *managedfields.Tool, manager string, force bool) (Input, error) {
	in := Input{Runs: m.runs, Schemas: &schema.Schemas{}, As: as, Manager: cmp.Or(manager, as.Manager), Force: force}
	names := make([]selector.Identity, len(m.live))
	for i, o := range m.live {
		names[i] = selector.Of(o.Root()).Identity(o.AssumedNamespace())
	}
	index := selector.NewLive(names)
	var faults []error
	for _, entry := range m.entries {
		if entry.isGone || entry.isLocal || hostless.IsLocal(entry.object) {
			continue
		}
		i, ok, err := index.Find(selector.Of(entry.object.Root()).Identity(entry.object.AssumedNamespace()))
		if err != nil {
			faults = append(faults, err)
		}
		if ok {
			entry.pair.Live = dataOf(m.live[i])
		}
		if !entry.isLeft {
			entry.pair.Applied = dataOf(entry.object)
		}
		in.Pairs = append(in.Pairs, entry.pair)
	}
	return in, errors.Join(append(faults, m.addKinds(in.Schemas))...)
}

// addKinds adds the custom kinds: those of --crds take precedence over those of the cluster, and
// these over those of the package.
func (m *Maker) addKinds(schemas *schema.Schemas) error {
	var objects []*object.Object
	for _, entry := range m.entries {
		objects = append(objects, entry.object)
	}
	var faults []error
	for _, o := range slices.Concat(objects, m.live, m.definitions) {
		if !hostless.IsDefinition(o.Root()) {
			continue
		}
		if err := schemas.AddCRD(dataOf(o)); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

func dataOf(o *object.Object) map[string]any {
	data, _ := tree.Value(o.Root()).(map[string]any)
	return data
}
