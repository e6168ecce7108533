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
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
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
		"`FILE` of operations, as a hook of shell-operator writes it, or - (default without --config: $"+operationsVariable+")")
	flags.StringVar(&options.metrics, "metrics", "", "`FILE` to write metrics of operations to, in the text format of Prometheus")
	flags.DurationVar(&options.retryTimeout, "retry-timeout", 30*time.Second, "`DURATION` for which an operation is retried after conflicts")
	addDryRun(command, &options.dryRun, "none; client: nothing is sent; or server: the API server checks everything and stores nothing")
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
	prune, all bool
	allowlist  []string
	applySet   string
}

func (o *pruneOptions) addTo(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&o.prune, "prune", false, "passed to kubectl apply, like the next three flags")
	flags.StringArrayVar(&o.allowlist, "prune-allowlist", nil, "`GROUP/VERSION/KIND` that may be pruned; may be given several times")
	flags.StringVar(&o.applySet, "applyset", "", "`NAME` of the ApplySet that is pruned")
	flags.BoolVar(&o.all, "all", false, "prune in all of the namespace")
}

func (o pruneOptions) args() []string {
	var args []string
	if o.prune {
		args = append(args, "--prune")
	}
	for _, kind := range o.allowlist {
		args = append(args, "--prune-allowlist="+kind)
	}
	args = append(args, kubectl.Option("--applyset=", o.applySet)...)
	if o.all {
		args = append(args, "--all")
	}
	return args
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
	inputs := slices.Concat(options.configs, []string{options.operations}, options.cluster.live, options.cluster.crds)
	if err := stdinOnce(inputs, paths); err != nil {
		return err
	}
	steps, err := runOptions{configs: options.configs, operations: options.operations}.steps(streams)
	if err != nil {
		if isFromVariable {
			err = fmt.Errorf("$%s: %w", operationsVariable, err)
		}
		return err
	}
	steps, operations, faults := splitOperations(steps)
	if len(faults) > 0 {
		return options.outcome.conclude(faults, streams.Err)
	}
	if len(paths) == 0 && len(steps) == 0 && (len(operations) > 0 || options.operations != "") {
		return options.apply(nil, operations, nil, nil, streams)
	}
	if paths, err = orStdin(paths, streams); err != nil {
		return err
	}
	options.cluster.paths.refusesRules = len(options.configs) == 0
	files, skipped, err := options.cluster.paths.read(paths, manifests.Options{Strict: options.strict}, streams)
	if err != nil {
		return err
	}
	return options.apply(steps, operations, manifests.Objects(files), skipped, streams)
}

// splitOperations separates what runs on the cluster from the other functionConfigs.
func splitOperations(all []hostless.Step) (steps []hostless.Step, operations []applyoperations.Single, faults []report.Result) {
	for _, s := range all {
		if !s.Kind().IsImperative {
			steps = append(steps, s)
			continue
		}
		compiled, wrong := applyoperations.Singles(s.FunctionConfig)
		hostless.NameFile(wrong, s.FunctionConfig, s.Path)
		operations, faults = append(operations, compiled...), append(faults, wrong...)
	}
	return steps, operations, faults
}

// omittedReasons are those of results that say the same as the outcomes, or that the cluster, which
// was asked for each object, has none of a kind.
var omittedReasons = []string{report.ReasonCreate, report.ReasonUpdate, report.ReasonUnchanged, report.ReasonLiveKindMissing}

// apply applies objects and reports the outcome of each.
func (o applyOptions) apply(
	steps []hostless.Step, operations []applyoperations.Single, objects []*object.Object, skipped []report.Result, streams Streams,
) error {
	var said []string // by kubectl and the API server beside the outcome, each once
	k := o.cluster.kubectl(streams)
	k.Warn = func(text string) {
		if !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	o.cluster.fromCluster, o.cluster.allowsUnread = len(o.cluster.live) == 0, true
	found, definitions, passed, err := o.cluster.sides(k, objects, streams)
	if err != nil {
		return err
	}
	live := found.Live
	mask := redact.New(words.Of(slices.Concat(objects, live), (*object.Object).Root)...)
	checked := k.Check(found)
	if len(o.pruning.args()) > 0 { // kubectl must get all objects, also the unchanged ones
		removeHashes(steps, live)
	}
	liveOf := kubectl.Finder(live, o.cluster.namespace)
	ran := hostless.Run(steps, objects, hostless.Settings{
		Strict: o.strict, Beside: slices.Concat(hostless.MarkLive(live), definitions()),
		Options: fn.Options{Purpose: ignorefields.Apply(o.cluster.manager())},
	})
	isOmitted := func(r report.Result) bool { return slices.Contains(omittedReasons, r.Tags["reason"]) }
	results := slices.Concat(skipped, passedOver(passed), checked, slices.DeleteFunc(ran.Results, isOmitted))
	if fn.HasError(results) {
		return o.outcome.conclude(results, streams.Err)
	}
	printer := progress{options: o, out: streams.Out}
	applier := &kubectl.Applier{
		Kubectl: k, FieldManager: o.cluster.fieldManager, ForceConflicts: o.forceConflicts, DryRun: o.dryRun,
		Live: liveOf, Prune: o.pruning.args(), Timeout: o.timeout, RetryTimeout: o.retryTimeout, Tell: printer.print,
	}
	for _, failure := range found.Failures {
		applier.Fail(failure.Object, failure.Err)
		applier.Prune = nil // a prune would delete the objects that are not sent
	}
	isSent := map[*object.Object]bool{}
	for _, object := range ran.Changed {
		isSent[object] = true
	}
	for _, object := range found.Objects {
		if !isSent[object] {
			printer.print(kubectl.Outcome{Ref: report.RefOf(object.Root()), Outcome: kubectl.Unchanged})
		}
	}
	send := slices.DeleteFunc(ran.ForCluster(), func(o *object.Object) bool {
		return slices.ContainsFunc(found.Failures, func(f kubectl.Failure) bool { return f.Object == o })
	})
	ctx, stop := untilSignal()
	defer stop()
	err = applier.Apply(ctx, send)
	if err == nil {
		err = applier.Operations(ctx, operations)
	}
	if err == nil && o.metrics != "" {
		err = applier.Metrics.Write(o.metrics)
	}
	if err == nil {
		err = printer.end()
	}
	if err != nil {
		return err
	}
	for _, text := range said {
		results = append(results, report.New(report.SeverityWarning, report.ReasonServerWarning, "kubectl: "+mask.Text(text)))
	}
	results = append(results, applier.Results()...)
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
