package applypatches

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/quota"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// run is one run of the kind over a list.
type run struct {
	parameters any
	patches    []patch
	removes    []*target
	// stop ends the jobs of other objects when an expression hits a limit.
	stop parallel.Stop
	// quota bounds what all operations make and do.
	quota *quota.Run
	// objects are those that expressions can look up.
	objects *objects
	// secrets are the Secrets that a forEach has looked up.
	secrets []*tree.Node
	// heavy is held by the job of a heavy object.
	heavy sync.Mutex
}

// Run runs the functionConfig on the items. It returns the items that come out and the results;
// where a result is an error, the items are of no use.
func Run(functionConfig *tree.Node, items []*object.Object) ([]*object.Object, []report.Result) {
	var c Config
	faults := config.Decode(functionConfig, "", &c)
	r, moreFaults := compile(c)
	if faults = append(faults, report.WithoutFollowUps(moreFaults, faults)...); len(faults) > 0 {
		return items, report.FaultResults(faults, report.RefOf(functionConfig), report.FileOf(functionConfig))
	}
	r.begin(c, items)
	if results := r.loopOver(functionConfig); len(results) > 0 {
		return items, results
	}
	var outcomes []outcome
	if r.readsObjects() {
		outcomes = r.patchByPatch(items)
	} else if outcomes = r.process(items); r.quota.IsOver() {
		r, outcomes = inOrder(c, items)
	}
	var left []*object.Object
	var results []report.Result
	for i, o := range outcomes {
		if !o.removed {
			left = append(left, items[i])
		}
		results = append(results, o.results...)
	}
	if !slices.ContainsFunc(outcomes, func(o outcome) bool { return o.ended }) {
		results = append(results, r.noMatches(functionConfig, items)...)
	}
	if !slices.ContainsFunc(results, func(r report.Result) bool { return r.Severity == report.SeverityError }) {
		results = append(append(results, r.operationsWithoutMatch(functionConfig)...), advice(c, functionConfig)...)
	}
	return left, results
}

// begin sets the limits and the objects of the run.
func (r *run) begin(c Config, items []*object.Object) {
	r.quota, r.objects = c.Limits.Quota(len(items)), &objects{items: items}
}

// targets returns the targets of the patches and then those of removes.
func (r *run) targets() []*target {
	targets := make([]*target, 0, len(r.patches)+len(r.removes))
	for _, p := range r.patches {
		targets = append(targets, p.target)
	}
	return append(targets, r.removes...)
}

// loopOver evaluates every forEach, and returns an error for each that fails.
func (r *run) loopOver(functionConfig *tree.Node) []report.Result {
	var results []report.Result
	reader := &reader{objects: r.objects, account: r.quota.Elements(), namespace: func() string { return "" }}
	for _, t := range r.targets() {
		err := t.loopOver(r.parameters, reader)
		r.secrets = reader.secrets
		if err == nil {
			continue
		}
		results = append(results, report.Result{
			Message: t.at + ".forEach: " + redact.New(r.secrets...).Error(err), Severity: report.SeverityError,
			Ref: report.RefOf(functionConfig), File: report.FileOf(functionConfig),
			Field: report.Field{Path: t.at + ".forEach"},
			Tags:  map[string]string{"reason": report.ReasonPatchError, "expression": t.forEach.String()},
		})
	}
	return results
}

// outcome is the outcome of the run for one item.
type outcome struct {
	results []report.Result
	// removed is true if the object leaves the list.
	removed bool
	// ended is true if an expression or an operation hit a limit on it, which ends the run.
	ended bool
}

// process runs the patches on the items in parallel: they are independent, so all patches on one
// object and then on the next give the same as one patch on all objects after another. It ends
// early if an expression hits a limit; then the outcomes are those of the objects up to that one
// that were processed by then.
func (r *run) process(items []*object.Object) []outcome {
	outcomes := make([]outcome, len(items))
	// The error is in the outcomes already, or says that the job was stopped.
	_ = parallel.EachUntil(len(items), func(i int) error {
		var fatal error
		outcomes[i], fatal = r.item(items[i])
		return fatal
	}, r.stop.Cancel)
	if ended := slices.IndexFunc(outcomes, func(o outcome) bool { return o.ended }); ended >= 0 {
		clear(outcomes[ended+1:])
	}
	return outcomes
}

// inOrder processes the items again, one after the other: if a limit on all together is hit, the
// object that hits it must not depend on scheduling.
func inOrder(c Config, items []*object.Object) (*run, []outcome) {
	r, _ := compile(c)
	for _, item := range items {
		item.Reset()
	}
	r.begin(c, items)
	r.loopOver(nil)
	outcomes := make([]outcome, len(items))
	for i, item := range items {
		var fatal error
		if outcomes[i], fatal = r.item(item); fatal != nil {
			break
		}
	}
	return r, outcomes
}

// patchByPatch runs each patch on all objects before the next, one after the other, since they look
// at each other. It ends if an expression or an operation hits a limit; then the outcomes are those
// of the objects up to that one.
func (r *run) patchByPatch(items []*object.Object) []outcome {
	jobs := make([]*job, len(items))
	for i, item := range items {
		if item.IsObject() {
			jobs[i] = newJob(r, item)
		}
	}
	last := len(jobs) - 1
steps:
	for step := range r.targets() {
		for i, j := range jobs {
			if j == nil {
				continue
			}
			j.step(step)
			j.end()
			if isLimit(j.err) {
				last = i
				break steps
			}
		}
	}
	outcomes := make([]outcome, len(items))
	for i, j := range jobs[:last+1] {
		if j != nil {
			outcomes[i], _ = j.finish() // the outcome holds the limit
		}
	}
	return outcomes
}

// item processes one item. The error is that of an expression that hit a limit, or that of r.stop.
func (r *run) item(item *object.Object) (outcome, error) {
	if !item.IsObject() {
		return outcome{}, nil
	}
	j := newJob(r, item)
	defer j.end()
	for step := range r.targets() {
		j.step(step)
	}
	return j.finish()
}

// finish returns the outcome of the job. The error is as in item.
func (j *job) finish() (outcome, error) {
	if errors.Is(j.err, context.Canceled) {
		return outcome{}, j.err
	}
	if j.err == nil {
		j.resetUnchanged()
	}
	if len(j.run.secrets)+len(j.reader.secrets) > 0 {
		j.object.HideEdits()
	}
	var result report.Result
	hasResult := false
	err := j.object.Use(func() {
		result, hasResult = j.result(j.removed, j.err)
		if j.err != nil {
			j.object.Reset() // its edits are of no use, and writing them could take much memory
		}
	})
	if err != nil {
		result, hasResult = j.failed(err), true
	}
	o := outcome{removed: j.removed && j.err == nil}
	if hasResult {
		o.results = []report.Result{result}
	}
	if isLimit(j.err) {
		o.ended = true
		return o, j.err
	}
	return o, nil
}

// isLimit tells whether an error ends the run.
func isLimit(err error) bool {
	if _, ok := errors.AsType[*cel.LimitError](err); ok {
		return true
	}
	_, ok := errors.AsType[*quota.Error](err)
	return ok
}

// noMatches returns a warning for each target that selected no object.
func (r *run) noMatches(functionConfig *tree.Node, items []*object.Object) []report.Result {
	var results []report.Result
	for _, t := range r.targets() {
		if message := t.noMatch(items); message != "" {
			results = append(results, noMatch(functionConfig, t.at+".target", message))
		}
	}
	return results
}

// operationsWithoutMatch returns a warning for each operation that found nothing in any object that
// its target selected.
func (r *run) operationsWithoutMatch(functionConfig *tree.Node) []report.Result {
	var results []report.Result
	for _, p := range r.patches {
		for _, o := range p.operations {
			if message := o.noMatch(); message != "" {
				results = append(results, noMatch(functionConfig, o.at, message))
			}
		}
	}
	return results
}

func noMatch(functionConfig *tree.Node, path, message string) report.Result {
	return report.Result{
		Message: message, Severity: report.SeverityWarning,
		Ref: report.RefOf(functionConfig), File: report.FileOf(functionConfig),
		Field: report.Field{Path: path}, Tags: map[string]string{"reason": report.ReasonNoMatch},
	}
}
