package plan

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Options are what a plan is made of, besides the world.
type Options struct {
	*world.World
	Force bool
	// Merged asks for the objects as they would be stored.
	Merged bool
	// Ask has the API server check applies, and returns what it would store, or why it refuses;
	// nil if it is not asked.
	Ask func([]*object.Object) (stored map[*object.Object]*object.Object, refused map[*object.Object]error, err error)
	// Look gets each pair that is planned and sent, before its data is released; nil for nobody.
	Look func(*Looked)
	// Count gets each object with its outcome, of which then nothing else is found out; nil for a
	// whole plan.
	Count func(*PlannedObject)
}

// Looked is an object of the package with its live one, after the rules.
type Looked struct {
	*PlannedObject
	File    report.File
	Live    *object.Object
	Schemas *schema.Schemas
	// Package is what is applied, and Left are the fields that rules leave to others.
	Package map[string]any
	Left    *fieldpath.Set
	Shown   redact.Object
}

// run is one run of rules: with the objects that went into it, and what they were if it is not the
// first one.
type run struct {
	trace   *ignorefields.Trace
	objects []*object.Object
	data    []map[string]any
	// texts are the expressions of each rule, once they are compared.
	texts [][]string
}

// pair is an object of the package with its live one.
type pair struct {
	object *object.Object
	// live is nil if the cluster does not have the object.
	live *object.Object
	// isSent is false if the object is not sent, since the cluster has it as it is.
	isSent bool
	// stages are the indices of the object in what went into the runs; -1 where it did not.
	stages []int
	// identity names the object as it comes out.
	identity selector.Identity
	// isCounted is true if only the outcome is asked for.
	isCounted bool
}

// Make runs the functionConfigs, and plans the apply of what comes out. The results are those of
// the runs, one of which may have failed: then there is no plan. A result that is an error only by
// onHandover or onNoMatch does not count as one, since the plan reports it. A tool that keeps live
// values does so for its field manager. Warnings are what the plan could not know.
func Make(o Options) (made *Plan, results, warnings []report.Result, err error) {
	p := newPlanner(o)
	outcome, results, failed := p.run()
	if failed {
		return nil, results, nil, nil
	}
	if err := p.objects(p.pairs(outcome)); err != nil {
		return nil, results, nil, err
	}
	p.rules()
	p.warnOfOperations()
	p.warnOfNoOwners()
	return p.plan, results, p.warnings, nil
}

func newPlanner(o Options) *planner {
	return &planner{Options: o, plan: &Plan{
		Objects: []*PlannedObject{}, Rules: []*RuleVerdict{}, NotModelled: NotModelled, manager: o.Manager, as: o.As, counted: map[string]int{},
		hasRules: slices.ContainsFunc(o.Steps, func(s hostless.ConfigStep) bool { return s.Work == nil }), isOfWorks: len(o.Appliers) > 0,
	}}
}

// run runs the functionConfigs, each on the output of the one before it, up to the first that
// fails.
func (p *planner) run() (outcome hostless.ChunkOutcome, results []report.Result, failed bool) {
	errorReasons := make([][]string, len(p.Steps))
	runs := *p.World
	runs.Steps = nil
	for i, step := range p.Steps {
		trace := &ignorefields.Trace{}
		step.Options = &ignorefields.Options{Trace: trace, Purpose: func(c *ignorefields.Config) {
			p.Purpose(c)
			if p.As.Keeps {
				ignorefields.Apply(p.Manager)(c)
			}
			ignorefields.Plan(p.Manager, &errorReasons[i])(c)
			if step.Work != nil {
				ignorefields.OfWork(step.Work)(c)
			}
		}}
		runs.Steps, p.runs = append(runs.Steps, step), append(p.runs, &run{trace: trace})
	}
	settings := hostless.Settings{}
	settings.Before = func(step int, objects []*object.Object) {
		r := p.runs[step]
		r.objects = slices.Clone(objects)
		for _, o := range objects {
			if step > 0 {
				data, _ := tree.KubectlObject(o.Root()) // of which predict tells
				r.data = append(r.data, data)
			}
		}
	}
	settings.After = func(step int, results []report.Result) {
		for i := range results {
			if slices.Contains(errorReasons[step], results[i].Tags["reason"]) {
				results[i].Severity = report.SeverityError
			}
		}
	}
	session := runs.Session(settings)
	outcome, _ = session.Run(slices.Clone(p.Objects))
	results, _ = session.End()
	results = slices.DeleteFunc(results, func(r report.Result) bool { // which the plan tells of each object
		return r.Tags["reason"] == report.ReasonInvalidManagedFields
	})
	if !session.HasFailed() && fn.HasError(results) {
		results = append(results, report.New(report.SeverityError, report.ReasonPlanAssumption,
			"with these errors, a run of the functionConfigs fails, and nothing is applied; the plan treats them as warnings"))
	}
	return outcome, results, session.HasFailed()
}

// pairs finds the live objects of those that come out, and of those that a run has left out because
// the cluster has them as they are. It also adds the custom kinds: those of the definitions take
// precedence over those of the cluster, and these over those of the package.
func (p *planner) pairs(outcome hostless.ChunkOutcome) []pair {
	sent := map[*object.Object]bool{}
	for _, o := range outcome.Out {
		sent[o] = true
	}
	var all []pair
	at := map[*object.Object]int{}
	add := func(o *object.Object) {
		if _, ok := at[o]; !ok {
			at[o] = len(all)
			all = append(all, pair{object: o, isSent: sent[o], stages: slices.Repeat([]int{-1}, len(p.runs)), isCounted: p.Count != nil})
		}
	}
	isLeft := map[*object.Object]bool{}
	for _, o := range p.Objects {
		add(o)
	}
	for number, r := range p.runs {
		for i, o := range r.objects {
			add(o)
			all[at[o]].stages[number] = i
			isLeft[o] = p.Steps[number].Kind().ReadsLive && (i >= len(r.trace.Objects) || r.trace.Objects[i] == nil || !r.trace.Objects[i].IsLive)
		}
	}
	for _, o := range outcome.Out {
		add(o)
	}
	after := *p.World // with the definitions that come out
	after.Objects = slices.Concat(p.Objects, outcome.Out)
	p.defineKinds(&after)
	kept := all[:0]
	for _, pair := range all {
		if !pair.isSent && !isLeft[pair.object] || outcome.IsLocal(pair.object) {
			continue
		}
		identity, live, fault := p.Find(pair.object)
		pair.identity, pair.live = identity, live
		if kept = append(kept, pair); fault != nil {
			p.NoteUnread(pair.object, fault)
		}
	}
	return kept
}

// defineKinds makes the schemas. The API server refuses a definition that can't be read, unless the
// live object has what the package leaves out.
func (p *planner) defineKinds(w *world.World) {
	schemas, faults := w.Schemas()
	p.schemas = schemas
	for _, o := range slices.Concat(w.Live, w.Definitions) {
		if fault := faults[o]; fault != nil {
			p.warn(o.Ref(), fault.Error()+", so its kind is not known")
		}
	}
	isCompleted := map[report.Ref]bool{}
	for _, o := range w.Live {
		isCompleted[o.Ref()] = faults[o] == nil
	}
	for _, o := range w.Objects {
		if fault := faults[o]; fault != nil && !isCompleted[o.Ref()] {
			p.NoteUnread(o, &merge.RefusedError{Cause: fault})
		}
	}
}

func dataOf(o *object.Object) map[string]any {
	if o == nil {
		return nil
	}
	data, _ := tree.Value(o.Root()).(map[string]any)
	return data
}

func (p *planner) warn(ref report.Ref, message string) {
	p.warnings = append(p.warnings, report.Result{
		Message: message, Severity: report.SeverityWarning, Ref: ref, Tags: map[string]string{"reason": report.ReasonPlanAssumption},
	})
}

// warnOfOperations says what of operations is planned.
func (p *planner) warnOfOperations() {
	for _, s := range p.Steps {
		if s.Kind().IsImperative {
			p.warn(report.Ref{}, fmt.Sprintf("%s: the plan carries out the operations on the package, as kpt and kustomize do; krm-fields apply carries "+
				"them out on the cluster, which krm-fields run --config %s --diff FILE shows on a dump of it", s.Path, words.Shell([]string{s.Path})))
		}
	}
}

// warnOfNoOwners says first that live objects have no managedFields.
func (p *planner) warnOfNoOwners() {
	if len(p.withoutOwners) == 0 {
		return
	}
	p.warn(report.Ref{}, world.NoOwners(len(p.withoutOwners), p.withoutOwners[0])+": the plan says what values change, and nothing of owners and conflicts")
	last := len(p.warnings) - 1
	p.warnings = slices.Insert(p.warnings[:last], 0, p.warnings[last])
}

// warnOf notes what the plan of an object with a live one could not know.
func (p *planner) warnOf(s *state) {
	ref := report.RefOf(s.live)
	for _, fault := range s.faults {
		p.warnings = append(p.warnings, fault.Of(fault.Ref, s.pair.object.File()))
	}
	if fields := s.deletedOnClientSide(); len(fields) > 0 {
		p.warn(ref, fmt.Sprintf("the object is under client-side apply, which would delete %s: the plan is that of kubectl apply --server-side",
			strings.Join(fields, ", ")))
	}
	if !s.hasOwners && s.pair.isSent && len(s.faults) == 0 {
		p.withoutOwners = append(p.withoutOwners, ref)
	}
	gvk := schema.ParseGVK(ref.APIVersion, ref.Kind)
	if !p.assumed[gvk] && p.schemas.Kind(gvk).Origin == schema.Assumed {
		if p.assumed == nil {
			p.assumed = map[schema.GVK]bool{}
		}
		p.assumed[gvk] = true
		p.warn(ref, fmt.Sprintf("there is no schema of the kind %s of %s, so its lists count as atomic; give its "+
			"CustomResourceDefinition by --crds", ref.Kind, ref.APIVersion))
	}
}

// deletedOnClientSide returns the fields that rules strip and that the last client-side apply has
// set: the next one deletes them, whoever owns them.
func (s *state) deletedOnClientSide() []string {
	isOf := func(e managedfields.Entry) bool { return e.Manager == managedfields.ClientSideApply }
	annotation := tree.Get(s.live, "metadata", "annotations", managedfields.LastApplied)
	if !s.pair.isSent || annotation == nil || !slices.ContainsFunc(s.entries, isOf) {
		return nil
	}
	before, err := tree.ParseJSON([]byte(annotation.Text()))
	if err != nil {
		return nil // kubectl apply refuses such an annotation
	}
	var fields []string
	for _, traced := range s.traced {
		if traced == nil {
			continue
		}
		for _, f := range traced.Found {
			if location.At(before, f.Location) != nil && location.At(s.root, f.Location) == nil {
				fields = append(fields, f.Location.String())
			}
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}
