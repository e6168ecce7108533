package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/author/plan"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

type applyOptions struct {
	configs        []string
	operations     string
	metrics        string
	retryTimeout   time.Duration
	cluster        clusterOptions
	forceConflicts bool
	dryRun         string
	timeout        string
	strict         bool
	pruning        pruneOptions
	outcome        resultOptions
}

func newApply(streams Streams) *cobra.Command {
	var options applyOptions
	command := describe("apply")
	command.RunE = func(command *cobra.Command, paths []string) error {
		return options.outcome.reportError(command, runApply(options, paths, streams), streams.Err)
	}
	flags := command.Flags()
	addConfigs(command, &options.configs)
	flags.BoolVar(&options.forceConflicts, "force-conflicts", false, "take over fields that other managers own")
	addFile(command, &options.operations, "operations",
		"`FILE` of operations, as a hook of shell-operator writes it, or - (default without --config: $"+operationsVariable+")", manifestExtensions...)
	flags.StringVar(&options.metrics, "metrics", "", "`FILE` to write metrics of operations to, in the text format of Prometheus")
	flags.DurationVar(&options.retryTimeout, "retry-timeout", 30*time.Second, "`DURATION` for which an operation is retried after conflicts")
	addDryRun(command, &options.dryRun, dryRunOfSending)
	flags.BoolVar(&options.strict, "strict", false, "make it an error if an expression or a selector matches nothing in the whole run")
	flags.BoolVarP(&options.outcome.quiet, "quiet", "q", false, "leave out infos and unchanged objects")
	options.outcome.addFile(command)
	addFormat(command, &options.outcome.format, plainFormats, "`FORMAT` of the outcome on stdout and the results on stderr: text or json")
	options.pruning.addTo(command)
	flags.StringVar(&options.timeout, "timeout", "", "`DURATION` that a Delete waits until the object is gone (default: that of kubectl)")
	options.cluster.addTo(command)
	return command
}

// operationsVariable has the file to which a hook of shell-operator writes its operations.
const operationsVariable = "KUBERNETES_OPERATION_PATH"

// pruneOptions are passed to kubectl apply unchanged.
type pruneOptions struct {
	prune    bool
	applySet string
}

func (o *pruneOptions) addTo(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&o.prune, "prune", false, "delete what is no longer in the package; passed to kubectl apply, like --applyset")
	flags.StringVar(&o.applySet, "applyset", "", "`NAME` of the ApplySet that is pruned")
}

func (o pruneOptions) args() []string {
	var args []string
	if o.prune {
		args = append(args, "--prune")
	}
	return append(args, kubectl.Option("--applyset=", o.applySet)...)
}

func runApply(options applyOptions, paths []string, streams Streams) error {
	if err := options.cluster.check(); err != nil {
		return err
	}
	isFromVariable := options.operations == "" && len(options.configs) == 0
	if isFromVariable {
		options.operations = os.Getenv(operationsVariable)
	}
	if len(options.configs) > 0 && options.operations != "" {
		return errors.New("--config and --operations must not be given together")
	}
	given := slices.Concat(options.configs, []string{options.operations}, options.cluster.live, options.cluster.crds)
	if err := stdinOnce(given, paths); err != nil {
		return err
	}
	steps, err := runOptions{configs: options.configs, operations: options.operations}.steps(streams)
	if err != nil {
		if isFromVariable {
			err = fmt.Errorf("$%s: %w", operationsVariable, err)
		}
		return err
	}
	steps, operations, faults := splitOperations(steps, streams.mask)
	if len(faults) > 0 {
		return options.outcome.conclude(faults, streams.Err)
	}
	if len(paths) == 0 && len(steps) == 0 && (len(operations) > 0 || options.operations != "") {
		if live := options.cluster.live; len(live) > 0 {
			run := []string{"krm-fields", "run"}
			for _, path := range options.configs {
				run = append(run, "--config", path)
			}
			if options.operations != "" {
				run = append(run, "--operations", options.operations)
			}
			return fmt.Errorf("--live is for a package, found operations alone, which read the cluster; leave it out, or type %s",
				words.Shell(slices.Concat(run, []string{"--diff"}, live)))
		}
		return options.apply(inputs{mask: streams.mask}, operations, streams)
	}
	if paths, err = orStdin(paths, streams, given...); err != nil {
		return err
	}
	options.cluster.paths.refusesRules = len(options.configs) == 0
	files, skipped, err := options.cluster.paths.read(paths, manifests.Options{Strict: options.strict}, streams)
	if err != nil {
		return err
	}
	in := inputs{steps: steps, objects: manifests.Objects(files), skipped: skipped, mask: streams.mask}
	return options.apply(in, operations, streams)
}

// splitOperations separates what runs on the cluster from the other functionConfigs.
func splitOperations(all []hostless.ConfigStep, mask *redact.Mask) (steps []hostless.ConfigStep, operations []applyoperations.Single, faults []report.Result) {
	for _, s := range all {
		if !s.Kind().IsImperative {
			steps = append(steps, s)
			continue
		}
		compiled, wrong := applyoperations.Singles(s.FunctionConfig, mask)
		s.NameIn(wrong)
		operations, faults = append(operations, compiled...), append(faults, wrong...)
	}
	return steps, operations, faults
}

// omittedReasons are those of results that say the same as the outcomes, or that the cluster, which
// was asked for each object, has none of a kind.
var omittedReasons = []string{report.ReasonCreate, report.ReasonUpdate, report.ReasonUnchanged, report.ReasonLiveKindMissing}

// apply applies objects and reports the outcome of each.
func (o applyOptions) apply(in inputs, operations []applyoperations.Single, streams Streams) error {
	k := o.cluster.kubectl(streams)
	if isForOthers := o.outcome.isForPrograms() && !isTerminal(streams.Err); isForOthers {
		k.Stderr = nil
	}
	o.cluster.fromCluster = len(o.cluster.live) == 0
	found, definitions, passed, err := o.cluster.sides(k, in.objects, streams)
	if err != nil {
		return err
	}
	in.found, in.live, in.definitions = found, found.Live, definitions
	w := in.world(o.cluster, managedfields.ToolNamed("krm-fields"))
	before := slices.Concat(in.skipped, passedOver(passed), o.trusts(), k.Check(found))
	w.SendsAll = len(o.pruning.args()) > 0 // kubectl must get all objects, also the unchanged ones
	if w.SendsAll && o.dryRun == kubectl.Client {
		before = append(before, report.New(report.SeverityWarning, report.ReasonPlanAssumption,
			"only the cluster knows what the prune would delete: --dry-run=server shows it, as krm-fields plan does with the same flags"))
	}
	session := w.Session(hostless.Settings{Strict: o.strict, Options: fn.Options{IgnoreFields: ignorefields.Options{Purpose: func(c *ignorefields.Config) {
		w.Purpose(c)
		ignorefields.Apply(w.Manager)(c)
	}}}})
	ran, _ := session.Run(w.Objects)
	results, _ := session.End()
	if results = slices.Concat(before, results); fn.HasError(results) {
		return o.outcome.conclude(results, streams.Err)
	}
	printer := progress{options: o, out: streams.Out}
	applier := &kubectl.Applier{
		Kubectl: k, FieldManager: o.cluster.fieldManager, ForceConflicts: o.forceConflicts, DryRun: o.dryRun,
		Live: kubectl.Finder(w.Live, o.cluster.namespace), Prune: o.pruning.args(), Timeout: o.timeout, RetryTimeout: o.retryTimeout, Tell: printer.print,
	}
	send, unchanged := o.choose(w, found, ran, applier)
	isUnchanged := map[report.Ref]bool{}
	for _, object := range unchanged {
		isUnchanged[object.Ref()] = true
		printer.print(kubectl.Outcome{Ref: object.Ref(), Outcome: kubectl.Unchanged})
	}
	results = slices.Concat(before, session.Without(func(r report.Result) bool {
		return slices.Contains(omittedReasons, r.Tags["reason"]) || r.Severity == report.SeverityInfo && isUnchanged[r.Ref]
	}))
	ctx, stop := untilSignal()
	defer stop()
	applier.Apply(ctx, send)
	applier.Operations(ctx, operations)
	return o.end(ctx, applier, &printer, results, streams)
}

// end writes what has come of everything, with the results before.
func (o applyOptions) end(ctx context.Context, applier *kubectl.Applier, printer *progress, results []report.Result, streams Streams) error {
	var err error
	if o.metrics != "" {
		err = applier.Metrics.Write(o.metrics)
	}
	if err == nil {
		err = printer.end()
	}
	if err != nil {
		return err
	}
	results = append(results, applier.Results()...)
	o.outcome.told = applier.Kubectl.Warnings.Results()
	err = o.outcome.report(results, streams.Err)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case applier.AreConflicts():
		return exitCode(3)
	case fn.HasError(results):
		return exitCode(1)
	}
	return nil
}

// trusts warns that nobody looks at what has become of the objects of --live since.
func (o applyOptions) trusts() []report.Result {
	if len(o.cluster.live) == 0 || o.dryRun == kubectl.Client {
		return nil
	}
	return []report.Result{report.New(report.SeverityWarning, report.ReasonPlanAssumption, fmt.Sprintf(
		"the apply trusts %s: a value that has changed on the cluster since is not seen, and may be set back; without --live, the cluster is read",
		words.All(o.cluster.live)))}
}

// choose returns the objects that are sent, and those that the cluster has as they are, by their
// hashes or by the plan; kubectl must get all to prune. One whose live object is not known fails.
// Of objects that are not sent since nothing is, the plan tells what would fail.
func (o applyOptions) choose(w *world.World, found kubectl.Found, ran hostless.ChunkOutcome, applier *kubectl.Applier) (send, unchanged []*object.Object) {
	isChanged := map[*object.Object]bool{}
	for _, object := range ran.Changed {
		isChanged[object] = true
	}
	unchanged = slices.DeleteFunc(slices.Clone(found.Objects), func(o *object.Object) bool { return isChanged[o] })
	all := slices.DeleteFunc(ran.ForCluster(), func(o *object.Object) bool {
		_, err := w.LiveOf(o)
		if err != nil {
			applier.Fail(o, err)
			applier.PruneStopped = "an object could not be paired with its live one" // kubectl would delete it
		}
		return err != nil
	})
	mustSend := len(applier.Prune) > 0 && o.dryRun != kubectl.Client
	if mustSend || checkAliases(slices.Concat(all, w.Live)) != nil {
		return all, unchanged
	}
	known := slices.Clone(all)
	if o.dryRun != kubectl.Client {
		known = slices.DeleteFunc(known, func(o *object.Object) bool { return applier.Live(o) == nil })
	}
	settled, failing := plan.Foresee(w, known, o.forceConflicts)
	for _, object := range all {
		switch err := failing[object]; {
		case settled[object]:
			unchanged = append(unchanged, object)
		case err != nil && o.dryRun == kubectl.Client:
			applier.Fail(object, err)
		default:
			send = append(send, object)
		}
	}
	return send, unchanged
}

// untilSignal returns a context that the first signal ends; a second one ends the program at once.
func untilSignal() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	stop := sync.OnceFunc(func() {
		signal.Stop(signals)
		close(signals)
	})
	go func() {
		if s, ok := (<-signals).(syscall.Signal); ok {
			cancel(exitCode(128 + int(s)))
			stop()
		}
	}()
	return ctx, stop
}

// progress prints the outcome of each object on a line, and a summary at the end.
type progress struct {
	options  applyOptions
	out      io.Writer
	outcomes []kubectl.Outcome
}

func (p *progress) print(o kubectl.Outcome) {
	p.outcomes = append(p.outcomes, o)
	if p.options.outcome.format == "json" || p.options.outcome.quiet && o.Outcome == kubectl.Unchanged {
		return
	}
	dryRun := ""
	if p.options.dryRun != "none" {
		dryRun = " (" + p.options.dryRun + " dry run)"
	}
	fmt.Fprintln(p.out, printable.Line(o.Ref.String())+": "+outcomeColours[o.Outcome].Of(o.Outcome, hasColour(p.out))+dryRun)
}

var outcomeColours = map[string]printable.Colour{
	kubectl.Created: printable.Green, kubectl.Applied: printable.Green, kubectl.Patched: printable.Green, kubectl.Deleted: printable.Yellow,
	kubectl.Pruned: printable.Yellow, kubectl.Failed: printable.Red, kubectl.NotSent: printable.Red,
}

// outcomeOrder is the order of the outcomes in the summary.
var outcomeOrder = []string{
	kubectl.Created, kubectl.Applied, kubectl.Patched, kubectl.Deleted, kubectl.Pruned, kubectl.Unchanged, kubectl.NotThere, kubectl.Failed, kubectl.NotSent,
}

// appliedObject is an outcome in the JSON output.
type appliedObject struct {
	report.Ref
	Outcome string `json:"outcome"`
}

type appliedList struct {
	Objects []appliedObject `json:"objects"`
	Summary map[string]int  `json:"summary"`
	DryRun  bool            `json:"dryRun"`
}

func (p *progress) end() error {
	list := appliedList{Objects: []appliedObject{}, Summary: map[string]int{}, DryRun: p.options.dryRun != "none"}
	for _, o := range p.outcomes {
		list.Summary[o.Outcome]++
		list.Objects = append(list.Objects, appliedObject{o.Ref, o.Outcome})
	}
	if p.options.outcome.format == "json" {
		return explain.WriteJSON(p.out, list)
	}
	var parts []string
	for _, outcome := range outcomeOrder {
		if n := list.Summary[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	summary := words.Count(len(p.outcomes), "object")
	if parts != nil {
		summary += ": " + strings.Join(parts, ", ")
	}
	_, err := fmt.Fprintln(p.out, summary)
	return err
}
