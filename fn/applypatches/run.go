package applypatches

import (
	"slices"
	"strconv"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// run is one run of the kind over a list.
type run struct {
	parameters any
	patches    []patch
	// targets are those of the patches and then those of removes.
	targets []*target
	byName  selector.Index // of targets
	// stop ends the jobs of other objects when an expression hits a limit.
	stop parallel.Stop
	// objects are those that expressions can look up.
	objects *objects
	// sawSecret is true if a forEach has looked up a Secret.
	sawSecret bool
	mask      *redact.Mask
}

// Run runs the functionConfig on the items. It returns the items that come out and the results;
// where a result is an error, the items are of no use. The mask gets the values that expressions
// have made of Secrets.
func Run(functionConfig *tree.Node, items []*object.Object, mask *redact.Mask) ([]*object.Object, []report.Result) {
	var c Config
	faults := config.Decode(functionConfig, "", &c)
	r, moreFaults := compile(c, functionConfig)
	if faults = append(faults, report.WithoutFollowUps(moreFaults, faults)...); len(faults) > 0 {
		return items, report.FaultResults(faults, report.RefOf(functionConfig), report.FileOf(functionConfig))
	}
	r.objects, r.mask = &objects{items: items}, mask
	if results := r.loopOver(functionConfig); len(results) > 0 {
		return items, results
	}
	var outcomes []itemOutcome
	if r.readsObjects() {
		outcomes = r.patchByPatch(items)
	} else {
		outcomes = r.process(items)
	}
	var left []*object.Object
	var results []report.Result
	for i, o := range outcomes {
		if len(o.derived) > 0 {
			mask.Add(redact.Values(o.derived...))
		}
		if !o.removed {
			left = append(left, items[i])
		}
		results = append(results, o.results...)
	}
	if !slices.ContainsFunc(outcomes, func(o itemOutcome) bool { return o.ended }) {
		results = append(results, r.noMatches(functionConfig, items)...)
	}
	if !slices.ContainsFunc(results, func(r report.Result) bool { return r.Severity == report.SeverityError }) {
		results = append(append(results, r.operationsWithoutMatch(functionConfig)...), advice(c, functionConfig)...)
	}
	return left, results
}

// loopOver evaluates every forEach, and returns an error for each that fails.
func (r *run) loopOver(functionConfig *tree.Node) []report.Result {
	var results []report.Result
	reader := &reader{objects: r.objects, namespace: func() string { return "" }}
	for _, t := range r.targets {
		failed := func(err error) report.Result {
			at := t.at + ".forEach"
			result := report.New(report.SeverityError, report.ReasonPatchError, at+": "+r.mask.Error(err, r.sawSecret)).At(at)
			result.Tags["expression"] = t.forEach.String()
			return result.Of(report.RefOf(functionConfig), report.FileOf(functionConfig))
		}
		err := t.loopOver(cel.Input{
			Variables: map[string]any{cel.Parameters: r.parameters}, Objects: reader.lookup, Reporter: guard.ReporterFunc(failed),
		})
		r.sawSecret = reader.sawSecret
		if err != nil {
			results = append(results, failed(err))
		}
	}
	return results
}

// itemOutcome is the outcome of the run for one item.
type itemOutcome struct {
	results []report.Result
	// removed is true if the object leaves the list.
	removed bool
	// derived are the values that expressions have made of Secrets.
	derived []*tree.Node
	// ended is true if an expression or an operation hit a limit on it, which ends the run.
	ended bool
}

// process runs the patches on the items in parallel: they are independent, so all patches on one
// object and then on the next give the same as one patch on all objects after another. It ends
// early if an expression hits a limit; then the outcomes are those of the objects up to that one
// that were processed by then.
func (r *run) process(items []*object.Object) []itemOutcome {
	outcomes := make([]itemOutcome, len(items))
	// The error is in the outcomes already, or says that the job was stopped.
	_ = parallel.EachUntil(len(items), func(i int) error {
		var fatal error
		outcomes[i], fatal = r.item(items[i])
		return fatal
	}, r.stop.Cancel)
	if ended := slices.IndexFunc(outcomes, func(o itemOutcome) bool { return o.ended }); ended >= 0 {
		clear(outcomes[ended+1:])
	}
	return outcomes
}

// patchByPatch runs each patch on all objects before the next, one after the other, since they look
// at each other. It ends if an expression or an operation hits a limit; then the outcomes are those
// of the objects up to that one.
func (r *run) patchByPatch(items []*object.Object) []itemOutcome {
	jobs := make([]*job, len(items))
	for i, item := range items {
		if item.IsObject() {
			jobs[i] = newJob(r, item)
		}
	}
	last := len(jobs) - 1
steps:
	for step := range r.targets {
		for i, j := range jobs {
			if j == nil {
				continue
			}
			if j.step(step); guard.IsLimit(j.err) {
				last = i
				break steps
			}
		}
	}
	outcomes := make([]itemOutcome, len(items))
	for i, j := range jobs[:last+1] {
		if j != nil {
			outcomes[i], _ = j.finish() // the outcome holds the limit
		}
	}
	return outcomes
}

// item processes one item. The error is that of an expression that hit a limit, or that of r.stop.
func (r *run) item(item *object.Object) (itemOutcome, error) {
	if !item.IsObject() {
		return itemOutcome{}, nil
	}
	j := newJob(r, item)
	for step, ok := j.next(-1); ok; step, ok = j.next(step) {
		j.step(step)
	}
	return j.finish()
}

// noMatches returns a warning for each target that selected no object.
func (r *run) noMatches(functionConfig *tree.Node, items []*object.Object) (results []report.Result) {
	for _, t := range r.targets {
		if message := t.noMatch(items); message != "" {
			results = append(results, noMatch(functionConfig, t.at+".target", message))
		}
	}
	return results
}

// operationsWithoutMatch returns a warning for each operation that found nothing in any object that
// its target selected.
func (r *run) operationsWithoutMatch(functionConfig *tree.Node) (results []report.Result) {
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
	return report.New(report.SeverityWarning, report.ReasonNoMatch, message).Of(report.RefOf(functionConfig), report.FileOf(functionConfig)).At(path)
}

// directive is the key by which a strategic merge patch of kustomize deletes or replaces.
const directive = "$patch"

// advice warns of values that hold a directive of a strategic merge patch, which is an ordinary key
// here.
func advice(c Config, functionConfig *tree.Node) []report.Result {
	var results []report.Result
	for i, p := range c.Patches {
		for _, o := range p.all("patches[" + strconv.Itoa(i) + "]") {
			if tree.Get(o.Value, directive) == nil {
				continue
			}
			at := o.at + ".value." + directive
			results = append(results, report.New(report.SeverityWarning, report.ReasonLikelyMistake, at+": "+directive+
				" is a directive of strategic merge patches, and an ordinary key here; to delete a list element or a field, write op: remove",
			).Of(report.RefOf(functionConfig), report.FileOf(functionConfig)).At(at))
		}
	}
	return results
}
