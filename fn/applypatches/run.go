package applypatches

import (
	"context"
	"errors"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/cel"
	"github.com/krm-fields/krm-fields/fn/config"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/parallel"
	"github.com/krm-fields/krm-fields/fn/quota"
	"github.com/krm-fields/krm-fields/fn/report"
)

// run is one run of the kind over a list.
type run struct {
	parameters any
	patches    []patch
	removes    []*target
	// stop ends the work on other objects where an expression hits a limit.
	stop parallel.Stop
	// quota is what all operations may make and do.
	quota *quota.Run
	// heavy is held by the job on an object of which operations make much.
	heavy sync.Mutex
}

// Run carries out the functionConfig on the items. It returns the items that
// come out and the results; where a result is an error, the items are of no
// use.
func Run(functionConfig *yaml.Node, items []*object.Object) ([]*object.Object, []report.Result) {
	var c Config
	faults := config.Decode(functionConfig, "", &c)
	r, moreFaults := compile(c)
	if faults = append(faults, withoutFollowUps(moreFaults, faults)...); len(faults) > 0 {
		return items, report.FaultResults(faults, report.RefOf(functionConfig), report.FileOf(functionConfig))
	}
	r.quota = c.Limits.Quota(len(items))
	if results := r.loopOver(functionConfig); len(results) > 0 {
		return items, results
	}
	outcomes := r.process(items)
	if r.quota.IsOver() {
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
	if !slices.ContainsFunc(results, func(r report.Result) bool { return r.Severity == report.Error }) {
		results = append(results, r.operationsWithoutMatch(functionConfig)...)
	}
	return left, results
}

// targets returns those of the patches and then those of removes.
func (r *run) targets() []*target {
	targets := make([]*target, 0, len(r.patches)+len(r.removes))
	for _, p := range r.patches {
		targets = append(targets, p.target)
	}
	return append(targets, r.removes...)
}

// loopOver evaluates every forEach, and returns an error for each that fails.
func (r *run) loopOver(functionConfig *yaml.Node) []report.Result {
	var results []report.Result
	account := r.quota.Elements()
	for _, t := range r.targets() {
		err := t.loopOver(r.parameters, account)
		if err == nil {
			continue
		}
		results = append(results, report.Result{
			Message: t.at + ".forEach: " + err.Error(), Severity: report.Error,
			Ref: report.RefOf(functionConfig), File: report.FileOf(functionConfig),
			Field: report.Field{Path: t.at + ".forEach"},
			Tags:  map[string]string{"reason": report.PatchError, "expression": t.forEach.String()},
		})
	}
	return results
}

// outcome is what the run did to one item.
type outcome struct {
	results []report.Result
	// removed is true where the object leaves the list.
	removed bool
	// ended is true where an expression or an operation hit a limit on it, which ends
	// the run.
	ended bool
}

// process works on the items in parallel: an object is patched without a look
// at the others, so that doing all patches to one and then to the next gives
// what doing one patch to all gives. It ends early where an expression hits a
// limit; then the outcomes are those of the objects up to that one on which work
// was done by then.
func (r *run) process(items []*object.Object) []outcome {
	outcomes := make([]outcome, len(items))
	// The error is that of an expression whose result is in the outcomes, or says that it was stopped.
	_ = parallel.Each(len(items), func(i int) error {
		var fatal error
		if outcomes[i], fatal = r.item(items[i]); outcomes[i].ended {
			r.stop.Soon()
		}
		return fatal
	})
	if ended := slices.IndexFunc(outcomes, func(o outcome) bool { return o.ended }); ended >= 0 {
		clear(outcomes[ended+1:])
	}
	return outcomes
}

// inOrder works on the items anew, one after the other: where all together come to a
// limit, which of them does must not depend on who was first.
func inOrder(c Config, items []*object.Object) (*run, []outcome) {
	r, _ := compile(c)
	r.quota = c.Limits.Quota(len(items))
	r.loopOver(nil)
	outcomes := make([]outcome, len(items))
	for i, item := range items {
		item.Reset()
		var fatal error
		if outcomes[i], fatal = r.item(item); fatal != nil {
			break
		}
	}
	return r, outcomes
}

// item works on one item. The error is that of an expression that hit a limit, or
// that of r.stop.
func (r *run) item(item *object.Object) (outcome, error) {
	if !item.IsObject() {
		return outcome{}, nil
	}
	j := newJob(r, item)
	defer j.end()
	removed, err := j.work()
	if errors.Is(err, context.Canceled) {
		return outcome{}, err
	}
	if err == nil {
		j.resetUnchanged()
	}
	result, hasResult := j.result(removed, err)
	if settleError := item.Settle(); settleError != nil && err == nil {
		result, hasResult = j.failed(settleError), true
	}
	o := outcome{removed: removed}
	if hasResult {
		o.results = []report.Result{result}
	}
	if isLimit(err) {
		o.ended = true
		return o, err
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

// noMatches returns a warning for each target that has chosen no object.
func (r *run) noMatches(functionConfig *yaml.Node, items []*object.Object) []report.Result {
	var results []report.Result
	for _, t := range r.targets() {
		if message := t.noMatch(items); message != "" {
			results = append(results, noMatch(functionConfig, t.at+".target", message))
		}
	}
	return results
}

// operationsWithoutMatch returns a warning for each operation that found nothing
// in any of the objects that its target has chosen.
func (r *run) operationsWithoutMatch(functionConfig *yaml.Node) []report.Result {
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

func noMatch(functionConfig *yaml.Node, path, message string) report.Result {
	return report.Result{
		Message: message, Severity: report.Warning,
		Ref: report.RefOf(functionConfig), File: report.FileOf(functionConfig),
		Field: report.Field{Path: path}, Tags: map[string]string{"reason": report.NoMatch},
	}
}
