package ignorefields

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/hash"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/take"
)

// job is the work on one object.
type job struct {
	run        *run
	index      int // of the item
	object     *object.Object
	rules      []rule
	ref        report.Ref
	file       report.File
	mask       redact.Mask
	resolution resolution
	outcome    outcome
	// inLive is what the rules found in the live object, taking what is taken from
	// it, and takers by number what found it; they are for the action TakeLive.
	inLive []found
	taking take.Outcome
	takers []found
	// name is what the live object is found by; there is that one, or nil.
	name  match.Identity
	there *yaml.Node
	// ambiguous is true where it can't be told which live object it is.
	ambiguous bool
	// isLocal is true for an object that is not for a cluster.
	isLocal bool
}

// jobs are used anew: one for each object would be a part of the garbage that counts.
var jobs = sync.Pool{New: func() any { return new(job) }}

// free gives the job back. What it held is given up.
func (j *job) free() {
	*j = job{}
	jobs.Put(j)
}

// begin makes the job that of an object.
func (j *job) begin(r *run, index int, item *object.Object, identity *match.Object, rules []rule) {
	root := item.Original()
	*j = job{
		run: r, index: index, object: item, rules: rules, ref: identity.Ref(), file: item.File(),
		name: identity.Identity(item.AssumedNamespace()), isLocal: identity.IsLocal(),
	}
	if item.Mentions("Secret") {
		j.mask = redact.New(root)
	}
	if !j.mask.IsZero() {
		hash, _ := annotation(root, r.config.ObjectHash.Annotation)
		j.mask = j.mask.With(hash)
	}
}

// dottedKeyError says that a JSONPath found its field by joining segments.
type dottedKeyError struct {
	expression, escaped string
}

func (e *dottedKeyError) Error() string {
	return fmt.Sprintf("the JSONPath '%s' found its field by joining segments with dots; write it as '%s'", e.expression, e.escaped)
}

// tags are the tags of a result that is about the source; they must not be
// changed. The condition is "" where it is not known: that of a record is known
// once the record is read.
func (s *source) tags(reason, condition string) map[string]string {
	if s.ignored["reason"] == reason && s.ignored["condition"] == condition {
		return s.ignored
	}
	tags := map[string]string{"rule": strconv.Itoa(s.rule)}
	if reason != "" {
		tags["reason"] = reason
	}
	if s.dialect != "" {
		tags["selector"], tags["expression"] = s.dialect, s.expression
	}
	if condition != "" {
		tags["condition"] = condition
	}
	return tags
}

// result returns a result about the object.
func (j *job) result(severity, message string, tags map[string]string) report.Result {
	return report.Result{Message: message, Severity: severity, Ref: j.ref, File: j.file, Tags: tags}.Redacted(j.mask)
}

// expressionResult returns a result about an expression and the object.
func (j *job) expressionResult(severity, reason string, f failure) report.Result {
	where := ": "
	if f.inLive {
		where = ": in the live object: "
	}
	return j.result(severity, f.path+where+j.mask.Error(f.err), f.tags(reason, f.condition))
}

// reportFailures reports what the expressions did not find, or failed on.
func (j *job) reportFailures() {
	add := func(severity, reason string, failures []failure) {
		for _, f := range failures {
			j.outcome.results = append(j.outcome.results, j.expressionResult(severity, reason, f))
		}
	}
	j.outcome.accounted = append(j.resolution.matched, j.resolution.failed...)
	j.outcome.leavesChanges = slices.ContainsFunc(j.resolution.found, func(f found) bool { return f.condition == onSpokeChange })
	j.warnOfEmptied()
	for _, h := range j.resolution.hints {
		h.text = j.mask.Text(h.text)
		h.kinds = []schema.GVK{schema.ParseGVK(j.ref.APIVersion, j.ref.Kind)}
		j.outcome.hints = append(j.outcome.hints, h)
	}
	add(report.Error, report.SSAIgnoreFieldError, j.resolution.failures)
	add(report.Info, report.DottedKey, j.resolution.dotted)
	switch j.run.config.OnMissing {
	case policyError:
		add(report.Error, report.SSAIgnoreFieldError, j.resolution.missing)
	case policyWarn:
		add(report.Warning, report.NoMatch, j.resolution.missing)
	}
}

// finish does what is to be done at the locations: it decides by the live
// object, acts, and sets the hash.
func (j *job) finish() error {
	action := j.run.action
	if action.prepare != nil {
		if err := action.prepare(j); err != nil {
			return err
		}
	}
	if j.isLocal && !j.run.live.given { // one that loses the annotation that says so is like others the next time
		j.isLocal = match.Of(j.object.Root()).IsLocal()
	}
	sum := ""
	if j.emitsHash() || j.run.live.given {
		sum = hash.Compute(j.object.Root(), j.run.config.ObjectHash.Algorithm, j.run.config.ObjectHash.Annotation)
	}
	decision := j.decide(sum)
	if decision == report.Unchanged {
		j.object.Reset()
		j.outcome.dropped = true
		return nil
	}
	if decision == report.Create && !action.onCreate {
		j.object.Reset()
	} else if err := action.act(j); err != nil {
		return err
	}
	if j.readsRecord() {
		removeAnnotation(j.object, recordAt)
		j.comment(nil)
	}
	if j.emitsHash() {
		before, _ := annotation(j.object.Root(), j.run.config.ObjectHash.Annotation)
		if err := setAnnotation(j.object, j.run.hashAt, sum); err != nil {
			return err
		}
		j.outcome.onlyHash = before != sum && len(j.resolution.found)+len(j.inLive) == 0 && decision != report.Create
	}
	if j.run.config.PruneEmptied != pruneNever {
		j.pruneMetadata()
	}
	return nil
}

// emitsHash tells whether the object gets a hash: not one that no rule applies
// to, nor one that is not for a cluster, nor a Secret where the configuration
// says so.
func (j *job) emitsHash() bool {
	hash := j.run.config.ObjectHash
	return hash.Emit && len(j.rules) > 0 && !j.isLocal && (hash.Secrets || j.mask.IsZero())
}

// readsRecord tells whether a rule strips what the object's record says, so that
// the record has served.
func (j *job) readsRecord() bool {
	return j.run.action.name != annotate.name && slices.ContainsFunc(j.rules, func(r rule) bool { return r.fromAnnotation })
}
