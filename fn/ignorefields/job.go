package ignorefields

import (
	"slices"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/objecthash"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/livevalue"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// job is the work on one object.
type job struct {
	run    *run
	index  int // of the item
	object *object.Object
	// view is a copy of the object, from which the found fields are removed.
	view  object.Object
	rules []rules.Rule
	ref   report.Ref
	file  report.File
	// shown is what may be shown of the object.
	shown    redact.Object
	resolver rules.Resolver
	outcome  itemOutcome
	// told counts the results of each notice; more than a message names are not needed.
	told  map[*noticeKey]int
	owned ownedFields
	// inLive is what the rules found in the live object. taking is what is taken from it, and
	// takers what found each of these, by number.
	inLive []rules.Found
	taking livevalue.ChangeSet
	takers []rules.Found
	// inside is what is taken in documents in strings.
	inside []*takingInside
	// name is the identity of the live object; live is the object, or nil.
	name selector.Identity
	live *tree.Node
	// read is for the function managed.
	read *managedFields
	// takesChanges is true if fields with OnSpokeChange are taken from the live object, too.
	takesChanges bool
	// isLocal is true for an object that is not for a cluster.
	isLocal bool
	// places are locations for use within a function.
	places []location.Location
}

// jobs are reused: one for each object would be much of the garbage.
var jobs = sync.Pool{New: func() any { return new(job) }}

// maxKept bounds the places of a job that is reused.
const maxKept = 1000

// free returns the job to the pool, without references to the object.
func (j *job) free() {
	j.resolver.Free()
	if cap(j.places) > maxKept {
		j.places = nil
	}
	clear(j.places[:cap(j.places)])
	*j = job{resolver: j.resolver, places: j.places[:0]}
	jobs.Put(j)
}

// begin makes the job that of an object.
func (j *job) begin(r *run, index int, item *object.Object, identity *selector.Candidate, applied []rules.Rule) {
	*j = job{
		resolver: j.resolver, places: j.places, run: r, index: index, object: item, rules: applied, ref: identity.Ref(), file: item.File(),
		name: identity.Identity(item.AssumedNamespace), isLocal: identity.IsLocal(),
	}
	j.resolver.Reporter = j
	item.View(&j.view)
	root := j.view.Original()
	if text, isWhole := item.WholeText(); !isWhole || item.HidesEdits() || redact.MayHold(text) {
		j.shown = item.Shown(root)
	}
}

// kind is that of the object.
func (j *job) kind() selector.GroupKind {
	return selector.GroupKind{Group: j.name.Group, Kind: j.name.Kind}
}

// schema is that of the object's kind.
func (j *job) schema() *schema.Kind {
	return j.run.schemas.kind(schema.ParseGVK(j.ref.APIVersion, j.ref.Kind))
}

// result returns a result about the object.
func (j *job) result(severity, message string, tags map[string]string) report.Result {
	return report.Result{Message: message, Severity: severity, Ref: j.ref, File: j.file, Tags: tags}
}

// expressionResult returns a result about an expression and the object.
func (j *job) expressionResult(severity, reason string, f rules.Failure) report.Result {
	where := ": "
	if f.InLive {
		where = ": in the live object: "
	}
	return j.result(severity, f.Path+where+j.shown.Text(j.run.mask.Error(f.Err, j.shown.HasSecret())), f.Tags(reason, f.Condition))
}

// resolve resolves the rules in the object, and in the live one if the action needs it.
func (j *job) resolve(keepsMissing bool) {
	j.pair()
	j.rules = j.withManaged(j.rules, j.view.Original())
	j.resolver.KeepsMissing = keepsMissing
	j.resolver.Resolve(&j.view, j.rules, j)
	switch {
	case j.live == nil || j.resolver.Fatal != nil:
	case j.run.comparesLive():
		j.resolveLive()
	default:
		j.addCounterparts()
	}
}

// ReportFailure implements rules.Reporter.
func (j *job) ReportFailure(f rules.Failure) report.Result {
	return j.expressionResult(report.SeverityError, report.ReasonSSAIgnoreFieldError, f).Redacted(j.run.mask)
}

// reportFailures reports what the expressions did not find, or failed on.
func (j *job) reportFailures() {
	add := func(severity, reason string, failures []rules.Failure) {
		for _, f := range failures {
			j.outcome.results = append(j.outcome.results, j.expressionResult(severity, reason, f))
		}
	}
	j.outcome.accounted = slices.Concat(j.resolver.Matched, j.resolver.Failed)
	j.outcome.costs = j.resolver.Costs
	j.outcome.leavesChanges = slices.ContainsFunc(j.resolver.Found, func(f rules.Found) bool { return f.Condition == rules.OnSpokeChange })
	j.warnOfEmptied()
	j.warnOfScalars()
	add(report.SeverityError, report.ReasonSSAIgnoreFieldError, j.resolver.Failures)
	add(report.SeverityWarning, report.ReasonAgentDiffers, j.resolver.PassedOver)
	add(report.SeverityInfo, report.ReasonDottedKey, j.resolver.Dotted)
	switch j.run.config.OnMissing {
	case policyError:
		add(report.SeverityError, report.ReasonSSAIgnoreFieldError, j.resolver.Missing)
	case policyWarn:
		add(report.SeverityWarning, report.ReasonNoMatch, j.resolver.Missing)
	}
}

// finish handles the found locations: it compares with the live object, runs the action, and sets
// the hash.
func (j *job) finish() error {
	action := j.run.action
	sum, err := j.hashOfCompared()
	if err != nil {
		return err
	}
	if err := j.prepare(action); err != nil {
		return err
	}
	if sum == "" {
		sum = j.hash()
	}
	decision := j.decide(sum)
	switch {
	case decision != report.ReasonUnchanged:
	case j.run.config.compared == "":
		j.outcome.dropped = true
		return nil
	case j.outcome.leavesChanges:
		j.takesChanges = true
		if err := j.prepare(action); err != nil {
			return err
		}
	}
	if decision != report.ReasonCreate || action.onCreate {
		if err := action.act(j); err != nil {
			return err
		}
	}
	if adds := ActionOf(j.run.config.compared).adds; adds != nil { // what is compared is what the action applies
		if err := adds(j, j.object); err != nil {
			return err
		}
	}
	// a rule that has read the object's record makes it needless
	hasServed := func(r rules.Rule) bool { return r.FromAnnotation != nil && !r.FromAnnotation.IsForCluster }
	if !action.ownsRecord && slices.ContainsFunc(j.rules, hasServed) && location.At(j.object.Original(), recordAt) != nil {
		removeAnnotation(j.object, recordAt)
		j.comment(nil)
	}
	if err := j.setHash(sum, decision); err != nil {
		return err
	}
	if j.run.config.PruneEmptied != pruneNever {
		j.pruneMetadata()
	}
	return nil
}

func (j *job) prepare(action Action) error {
	if action.prepare == nil {
		return nil
	}
	return action.prepare(j)
}

// hashOfCompared returns the hash of an object that is compared, as its own action leaves it; "" if
// that is what the comparison does, or nobody asks for the hash.
func (j *job) hashOfCompared() (string, error) {
	own := ActionOf(j.run.config.compared)
	if own.Name == "" || own.Effect == TakenFromLive || !j.outcome.leavesChanges {
		return "", nil
	}
	if err := j.prepare(own); err != nil {
		return "", err
	}
	return j.hash(), nil
}

// hash returns the hash of the view; "" if nobody asks for it.
func (j *job) hash() string {
	if j.isLocal && !j.run.live.areGiven() { // it is not local in the next run if it loses the annotation
		j.isLocal = selector.Of(j.view.Root()).IsLocal()
	}
	if !j.emitsHash() && !j.run.live.areGiven() {
		return ""
	}
	return objecthash.Compute(j.view.Root(), j.run.config.ObjectHash.Algorithm, j.run.config.ObjectHash.Annotation)
}

// setHash sets the annotation with the hash, if the object gets one. A Secret that gets none loses
// what an earlier run has set: it would confirm a guess, too.
func (j *job) setHash(sum, decision string) error {
	switch {
	case j.isHashable() && j.isSecretWithoutHash():
		j.outcome.onlyHash = len(j.resolver.Found) == 0 && j.run.isHashed(j.view.Original())
		removeAnnotation(j.object, j.run.hashAt)
		return nil
	case !j.emitsHash():
		return nil
	}
	if len(j.resolver.Found)+len(j.inLive) == 0 && decision != report.ReasonCreate {
		before, _ := annotation(j.object.Root(), j.run.config.ObjectHash.Annotation)
		j.outcome.onlyHash = before != sum
	}
	return SetAnnotation(j.object, j.run.hashAt, sum)
}

// isHashable tells whether a rule applies to the object, which is for a cluster, and the run hashes
// objects.
func (j *job) isHashable() bool {
	return j.run.config.ObjectHash.Emit && len(j.rules) > 0 && !j.isLocal
}

// isSecretWithoutHash tells whether the object has a Secret, and Secrets get no hash.
func (j *job) isSecretWithoutHash() bool {
	return !j.run.config.ObjectHash.Secrets && j.shown.HasSecret()
}

// emitsHash tells whether the object gets a hash: not if it is not for a cluster, or if the
// configuration leaves out Secrets. With live objects it does if a rule applies to it, and without
// them if a rule found a field, or if it has a hash, which would become outdated.
func (j *job) emitsHash() bool {
	if !j.isHashable() || j.isSecretWithoutHash() {
		return false
	}
	return j.run.live.areGiven() || len(j.resolver.Found) > 0 || j.run.isHashed(j.view.Original())
}
