package ignorefields

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/krm-fields/krm-fields/fn/manifestwork"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/owners"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// run is one run of the kind over a list.
type run struct {
	Options
	mask *redact.Mask // of the Secrets that the command has seen
	compiled
	others
	seen
	sum summary
	// stop ends the jobs of other objects when an expression hits a limit.
	stop parallel.Stop
}

// compiled is the functionConfig with its selectors and rules.
type compiled struct {
	config    Config
	action    Action
	limits    jq.Limits
	ref       report.Ref
	file      report.File
	selection *selector.Selection
	rules     []rules.Rule
	byName    selector.Index    // of the rules
	hashAt    location.Location // the annotation for the object hash
}

// others are the items that other objects are looked up in.
type others struct {
	live    liveObjects
	schemas *schemas
	owners  *owners.Index // nil where no rule asks for them
	// autoscaled are the targets of VerticalPodAutoscalers.
	autoscaled map[selector.Identity]report.Ref
	// works are the works among the items, whose rules are tried out.
	works manifestwork.Works
}

// seen is what the objects so far have in common with those to come.
type seen struct {
	firsts  sync.Map                // from noticeKey to *firstNotice
	places  sync.Map                // from placeKey to *knownPlace
	fitting atomic.Pointer[fitting] // the last one
	before  int                     // how many items the chunks before this one had
}

// Run runs the functionConfig on the items. It returns the items that come out and the results;
// where a result is an error, the items are of no use. The mask is for the results; nil for none.
func (o Options) Run(functionConfig *tree.Node, items []*object.Object, mask *redact.Mask) ([]*object.Object, []report.Result) {
	r, at, faults := start(functionConfig, o, mask)
	if len(faults) > 0 {
		return items, faults
	}
	r.live = liveOf(r.config.Live, items)
	if faults := r.lacksLive(at); len(faults) > 0 {
		return items, report.FaultResults(faults, r.ref, r.file)
	}
	r.schemas = &schemas{items: items, isLive: r.live.has}
	r.findOwners(items)
	r.findAutoscaled(items)
	workFaults := r.compileWorks(items)
	outcomes := r.process(items)
	if err := r.limits.Compilation.Err(); err != nil {
		return items, r.exhausted(err, at)
	}
	for i, done := range outcomes {
		if done.unclear != nil && r.config.noteUnclear != nil {
			r.config.noteUnclear(items[i], done.unclear)
		}
	}
	if o.Trace != nil {
		o.Trace.fill(r, items, outcomes)
	}
	if faults := append(workFaults, ownFaults(outcomes)...); len(faults) > 0 {
		return items, faults
	}
	results := r.chunkResults(items, outcomes)
	return r.itemsOut(items, outcomes), append(results, r.ofAll(items)...)
}

// comparesLive tells whether the rules are resolved in the live objects, too.
func (r *run) comparesLive() bool {
	return r.action.Effect == TakenFromLive || r.action.Effect == LeftOut && r.config.OnHandover == policyKeep
}

// whoApplies returns the field manager that applies what comes out; "" where it is not known.
func (c Config) whoApplies() string { return cmp.Or(c.applier, c.Live.FieldManager) }

// needsLive returns the field that needs live objects, with its value; "" if neither of them does.
func (c Config) needsLive() (field, value string) {
	switch {
	case ActionOf(c.Action).Effect == TakenFromLive:
		return "action", string(c.Action)
	case c.OnHandover == policyKeep:
		return "onHandover", policyKeep
	}
	return "", ""
}

// lacksLive returns the faults of a functionConfig that needs live objects where there are none.
func (r *run) lacksLive(at paths) []report.Fault {
	if r.live.areGiven() || r.config.withoutLive {
		return nil
	}
	var faults []report.Fault
	lacks := func(path, what string) {
		faults = append(faults, report.Fault{Path: path, Message: what + noLiveFault, QuotesNothing: true})
	}
	if field, value := r.config.needsLive(); field != "" {
		lacks(at.field(field), value)
	}
	for _, rule := range r.rules {
		if fromManagers(rule) {
			lacks(rule.Path+".managedFieldsManagers", "managedFieldsManagers")
		}
	}
	return faults
}

// start decodes and compiles a functionConfig, or returns its faults as results.
func start(functionConfig *tree.Node, options Options, mask *redact.Mask) (*run, paths, []report.Result) {
	config, at, faults := decode(functionConfig)
	if options.Purpose != nil {
		options.Purpose(&config)
	}
	r, moreFaults := compile(config, at, rules.Compiler{
		Measures: options.Measures, Ref: report.RefOf(functionConfig), File: report.FileOf(functionConfig),
	})
	r.Options, r.mask = options, mask
	if faults = append(faults, report.WithoutFollowUps(moreFaults, faults)...); len(faults) > 0 {
		return nil, at, report.FaultResults(faults, r.ref, r.file)
	}
	return r, at, nil
}

// compileWorks compiles the rules of the works among the items, except live objects, and returns
// their faults.
func (r *run) compileWorks(items []*object.Object) []report.Result {
	if r.config.ManifestWorks == policyIgnore {
		return nil
	}
	var faults []report.Result
	r.works, faults = manifestwork.Compile(slices.DeleteFunc(slices.Clone(items), r.live.has), manifestwork.Options{
		Report: r.config.ManifestWorks == worksReport, Limits: r.limits, FromOwners: slices.ContainsFunc(r.rules, isFromOwners),
		Missing: severityOf(r.config.OnMissing), NoMatch: severityOf(r.config.OnNoMatch),
	})
	return faults
}

// exhausted reports that the expressions of the objects' own rules, together with those of the
// functionConfig, take too long to compile. It names no object, since that depends on scheduling.
func (r *run) exhausted(err error, at paths) []report.Result {
	message := "with the rules in the objects' own annotations, " + err.Error()
	return report.FaultResults([]report.Fault{{Path: at.rules, Message: message}}, r.ref, r.file)
}

// compile compiles the selectors, and the rules with c.
func compile(config Config, at paths, c rules.Compiler) (*run, []report.Fault) {
	stop := parallel.NewStop()
	c.Limits = jq.Limits{
		Timeout: config.JQ.Timeout.Duration, Memory: config.JQ.MemoryLimit.Bytes, Context: stop,
		Compilation: &jq.Compilation{},
	}
	r := &run{compiled: compiled{config: config, action: ActionOf(config.Action), limits: c.Limits, ref: c.Ref, file: c.File}, stop: stop}
	r.hashAt = annotationsAt.With(location.Key(config.ObjectHash.Annotation))
	var faults []report.Fault
	if at.flat {
		r.selection, faults = selector.NewFlatSelection(config.Selectors, config.Exclude, at.rules)
	} else {
		r.selection, faults = selector.NewSelection(config.Selectors, config.Exclude, "selectors", "exclude")
	}
	c.Faults = append(c.Faults, faults...)
	if len(config.IgnoreFields) == 0 && config.ManifestWorks == policyIgnore {
		c.Missing(at.rules, "there must be at least one rule")
	}
	if len(validation.IsQualifiedName(strings.ToLower(config.ObjectHash.Annotation))) > 0 {
		c.Fault("objectHash.annotation", "must be the name of an annotation such as open-cluster-management.io/object-hash, found %q",
			config.ObjectHash.Annotation)
	}
	rulePath := at.rule
	if config.rulePaths != nil {
		rulePath = func(i int) string { return config.rulePaths[i] }
	}
	r.rules = c.Rules(config.IgnoreFields, rulePath)
	r.byName = selector.NewIndex(len(r.rules), func(i int) *selector.Selection { return r.rules[i].Selection })
	r.sum = newSummary(c.Expressions())
	return r, c.Faults
}

// itemOutcome is the outcome of the run for one item.
type itemOutcome struct {
	// faults are those of the object's own rules.
	faults []report.Result
	// accounted are the numbers of the expressions that found something, or failed, so that the run
	// does not report that they matched nothing.
	accounted []int
	costs     []rules.Cost
	// kind is that of an object to which rules apply, for the hints.
	kind    schema.GVK
	results []report.Result
	// notices are results that are reported once for all their objects.
	notices []notice
	// onlyHash is true if the object got a hash, and no expression found a field in it.
	onlyHash bool
	// leavesChanges is true if a location is found with OnSpokeChange.
	leavesChanges bool
	// dropped is true if the object is not in the output.
	dropped bool
	// ended is true if an expression hit a limit on it, which ends the run.
	ended bool
	// unclear is the error of an object that several live objects match.
	unclear error
	// traced is the item's part of the run's Trace.
	traced *TracedObject
}

// process processes the items in parallel. It ends early if an expression hits the time or the
// memory limit; then the outcomes are those of the objects up to that one that were processed by
// then.
func (r *run) process(items []*object.Object) []itemOutcome {
	outcomes := make([]itemOutcome, len(items))
	// The error is in the outcomes already, or says that the job was stopped.
	_ = parallel.EachUntil(len(items), func(i int) error {
		var fatal error
		outcomes[i], fatal = r.item(r.before+i, items[i])
		return fatal
	}, r.stop.Cancel)
	if last := slices.IndexFunc(outcomes, func(o itemOutcome) bool { return o.ended }); last >= 0 {
		clear(outcomes[last+1:])
	}
	return outcomes
}

// item processes one item.
func (r *run) item(index int, item *object.Object) (done itemOutcome, fatal error) {
	if r.live.has(item) {
		return itemOutcome{dropped: !r.config.Live.Keep, traced: &TracedObject{IsLive: true}}, nil
	}
	if item.IsSchema {
		return itemOutcome{dropped: true, traced: &TracedObject{IsLive: true}}, nil
	}
	err := item.Use(func() { done, fatal = r.work(index, item) })
	if err != nil {
		done.results = append(done.results, report.New(report.SeverityError, report.ReasonSSAIgnoreFieldError,
			err.Error()).Of(report.RefOf(item.Root()), item.File()))
	}
	return done, fatal
}

// work processes an object of the package, if it is selected.
func (r *run) work(index int, item *object.Object) (done itemOutcome, fatal error) {
	root := item.Root()
	if !item.IsObject() {
		return itemOutcome{}, nil // which the caller reports
	}
	identity := selector.Of(root)
	r.note(identity)
	var traced *TracedObject
	if r.Trace != nil {
		traced = r.Trace.choice(r, index, item, identity)
	}
	owned := r.ownedIn(item, identity)
	if r.selection.Selects(identity) {
		done, fatal = r.selected(index, item, identity, owned, traced)
	}
	done.traced = traced
	if fatal == nil && len(done.faults) == 0 {
		var tried []report.Result
		tried, fatal = r.works.Try(item)
		done.results, done.ended = append(done.results, tried...), done.ended || guard.IsLimit(fatal)
	}
	return done, fatal
}

// note records which selectors match an object.
func (r *run) note(identity *selector.Candidate) {
	r.selection.Note(identity)
	for _, i := range r.byName.About(identity) {
		r.rules[i].Selection.Note(identity)
	}
}

// fitting are the rules that are for some objects.
type fitting struct {
	numbers []int
	rules   []rules.Rule
}

// rulesFor returns the rules that are for an object. Objects with the same rules often follow one
// another.
func (r *run) rulesFor(identity *selector.Candidate) *fitting {
	var few [16]int
	numbers := few[:0]
	for _, i := range r.byName.About(identity) {
		if r.rules[i].Selection.Fits(identity) {
			numbers = append(numbers, i)
		}
	}
	last := r.fitting.Load()
	if last == nil || !slices.Equal(last.numbers, numbers) {
		last = &fitting{numbers: slices.Clone(numbers)}
		last.rules = slices.Clip(lists.Map(numbers, func(i int) rules.Rule { return r.rules[i] }))
		r.fitting.Store(last)
	}
	return last
}

// selected processes a selected object: first the rules of the functionConfig that are for it, then
// those of its own. If traced is not nil, it gets what they resolve to.
func (r *run) selected(index int, item *object.Object, identity *selector.Candidate, owned ownedFields, traced *TracedObject) (itemOutcome, error) {
	if item.IsEncrypted() {
		j := jobs.Get().(*job)
		defer j.free()
		j.begin(r, index, item, identity, nil)
		j.leaveEncrypted(identity, r.rulesFor(identity).rules)
		return j.outcome, nil
	}
	own, faults := r.ownRules(item)
	if len(faults) > 0 {
		return itemOutcome{faults: faults}, nil
	}
	all := append(r.rulesFor(identity).rules, own...)
	left := r.leftFields(item, all, owned.left)
	applied := withOwned(all, owned)
	if traced != nil {
		traced.withoutOwners(r.rules, owned)
	}
	if len(applied) == 0 && !r.action.ownsRecord {
		return itemOutcome{results: left}, nil
	}
	j := jobs.Get().(*job)
	defer j.free()
	j.begin(r, index, item, identity, applied)
	j.owned, j.outcome.results = owned, left
	j.outcome.kind = schema.ParseGVK(j.ref.APIVersion, j.ref.Kind)
	j.resolve(r.tracesMissing() || r.config.OnMissing != policyIgnore)
	j.reportFailures()
	j.adviseOnOwn(own)
	if traced != nil {
		traced.resolved(j, own)
	}
	if fatal := j.resolver.Fatal; fatal != nil || len(j.resolver.Failures) > 0 || j.outcome.unclear != nil {
		j.outcome.ended = guard.IsLimit(fatal)
		return j.outcome, fatal
	}
	err := j.finish()
	if traced != nil && r.config.compared != "" {
		traced.Places = j.comparedPlaces()
	}
	if err != nil {
		tags := map[string]string{"reason": report.ReasonSSAIgnoreFieldError}
		if failed, ok := errors.AsType[*takeLiveError](err); ok {
			tags = failed.by.Tags(report.ReasonTakeLiveError, rules.OnSpokePresent)
		}
		j.outcome.results = append(j.outcome.results, j.result(report.SeverityError, err.Error(), tags))
	}
	return j.outcome, nil
}

// ownFaults returns the faults of the objects' own rules.
func ownFaults(outcomes []itemOutcome) []report.Result {
	var faults []report.Result
	for _, o := range outcomes {
		faults = append(faults, o.faults...)
	}
	return faults
}

// itemsOut returns the items without the dropped ones.
func (r *run) itemsOut(items []*object.Object, outcomes []itemOutcome) []*object.Object {
	var out []*object.Object
	for i, item := range items {
		if !outcomes[i].dropped {
			out = append(out, item)
		}
	}
	return out
}
