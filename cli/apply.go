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
	"github.com/krm-fields/krm-fields/internal/apply"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// applyOptions are the flags of `krm-fields apply`.
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
	prune          pruneOptions
	paths          pathOptions
	outcome        resultOptions
}

// pruneOptions are flags that are passed to kubectl apply unchanged.
type pruneOptions struct {
	prune     bool
	all       bool
	allowlist []string
	applySet  string
}

func newApply(streams Streams) *cobra.Command {
	var options applyOptions
	command := &cobra.Command{
		Use:   "apply [--config FILE]... [PATH...]",
		Short: "Apply manifests to the cluster by kubectl, without the fields that others own",
		Long: `apply reads the live objects by "kubectl get", runs functionConfigs with them, and
applies the output by "kubectl apply --server-side". Objects that have not changed
since the last apply, as their object hash shows, are not sent. Operations of the
kind ApplyOperations are run on the cluster by kubectl create, delete and patch.
apply prints a line for each object and, at the end, what failed and why. One
failure does not stop the rest.

kubectl must be on the PATH. It alone talks to the cluster, that of its current
context; apply itself holds no credentials. --verbose shows the calls of kubectl.

` + pathHelp + `

A signal ends apply after the call of kubectl under way; what is not sent is listed.

Exit codes: 0; 1 if anything failed; 3 if conflicts of operations are all that failed,
so that a caller reads the objects again and retries; 130 or 143 after a signal. If a functionConfig
fails, nothing is applied.`,
		Example: `  krm-fields apply --config ignore-fields.yaml package/
  krm-fields apply --config ignore-fields.yaml --dry-run=server --verbose package/
  krm-fields apply --config ignore-fields.yaml --field-manager ci --force-conflicts package/`,
		RunE: func(command *cobra.Command, paths []string) error {
			return options.outcome.reportError(command, runApply(options, paths, streams), streams.Err)
		},
	}
	flags := command.Flags()
	flags.StringArrayVarP(&options.configs, "config", "c", nil, "`FILE` of a functionConfig, or -; may be given several times")
	flags.BoolVar(&options.forceConflicts, "force-conflicts", false, "take over fields that other managers own")
	flags.StringVar(&options.operations, "operations", "",
		"`FILE` of operations, as a hook of shell-operator writes it, or - (default without --config and PATH: $"+operationsVariable+")")
	flags.StringVar(&options.metrics, "metrics", "", "`FILE` to write metrics of operations to, in the text format of Prometheus")
	flags.DurationVar(&options.retryTimeout, "retry-timeout", 30*time.Second, "`DURATION` for which an operation is tried again after conflicts")
	addDryRun(command, &options.dryRun, "none; client: nothing is sent; or server: the API server checks everything and keeps nothing")
	flags.BoolVar(&options.strict, "strict", false, "make it an error if an expression or a selector matches nothing in the whole run")
	flags.BoolVarP(&options.outcome.quiet, "quiet", "q", false, "leave out infos and unchanged objects")
	flags.StringVar(&options.outcome.file, "results", "", "`FILE` to write the results to, "+fileFormats())
	flags.StringVarP(&options.outcome.format, "output", "o", "text", "`FORMAT` of the outcome on stdout and the results on stderr: text or json")
	flags.BoolVar(&options.prune.prune, "prune", false, "passed to kubectl apply, like the next three flags")
	flags.StringArrayVar(&options.prune.allowlist, "prune-allowlist", nil, "`GROUP/VERSION/KIND` that may be pruned; may be given several times")
	flags.StringVar(&options.prune.applySet, "applyset", "", "`NAME` of the ApplySet that is pruned")
	flags.BoolVar(&options.prune.all, "all", false, "prune in all of the namespace")
	flags.StringVar(&options.timeout, "timeout", "", "`DURATION` that a Delete waits until the object is gone (default: that of kubectl)")
	options.cluster.addTo(command)
	options.paths.addTo(command)
	completeFiles(command, "config", "operations", "results")
	completeValues(command, "output", plainFormats)
	return command
}

// operationsVariable is the environment variable with the file to which a hook of shell-operator
// writes its operations.
const operationsVariable = "KUBERNETES_OPERATION_PATH"

// args returns the flags for kubectl apply.
func (o pruneOptions) args() []string {
	var args []string
	if o.prune {
		args = append(args, "--prune")
	}
	for _, kind := range o.allowlist {
		args = append(args, "--prune-allowlist="+kind)
	}
	if o.applySet != "" {
		args = append(args, "--applyset="+o.applySet)
	}
	if o.all {
		args = append(args, "--all")
	}
	return args
}

func runApply(options applyOptions, paths []string, streams Streams) error {
	if err := checkValue("output", options.outcome.format, plainFormats); err != nil {
		return err
	}
	if err := checkValue("dry-run", options.dryRun, dryRuns); err != nil {
		return err
	}
	if err := options.cluster.check(); err != nil {
		return err
	}
	if options.operations == "" && len(options.configs)+len(paths) == 0 {
		options.operations = os.Getenv(operationsVariable)
	}
	if len(options.configs) > 0 && options.operations != "" {
		return errors.New("--config and --operations must not be given together")
	}
	if err := stdinOnce(slices.Concat(options.configs, []string{options.operations}, options.cluster.inputs(), paths)); err != nil {
		return err
	}
	steps, err := runOptions{configs: options.configs, operations: options.operations}.steps(streams)
	if err != nil {
		return err
	}
	steps, operations, faults := splitOperations(steps)
	if len(faults) > 0 {
		if err := options.outcome.report(faults, streams.Err); err != nil {
			return err
		}
		return exitCode(1)
	}
	if len(paths) == 0 && len(steps) == 0 && len(operations) > 0 {
		return options.apply(nil, operations, nil, nil, streams)
	}
	if paths, err = orStdin(paths, streams); err != nil {
		return err
	}
	files, skipped, err := options.paths.read(paths, true, streams.In)
	if err != nil {
		return err
	}
	return options.apply(steps, operations, manifests.Objects(files), skipped, streams)
}

// splitOperations separates the functionConfigs of kind ApplyOperations, which run on the cluster,
// from the others.
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

func (o applyOptions) isDryRun() bool { return o.dryRun != "none" }

// apply applies objects and reports the outcome of each.
func (o applyOptions) apply(
	steps []hostless.Step, operations []applyoperations.Single, objects []*object.Object, skipped []report.Result, streams Streams,
) error {
	toCluster := slices.DeleteFunc(slices.Clone(objects), hostless.IsLocal)
	var said warnings
	k := o.cluster.kubectl(streams)
	k.Warn = said.add
	found, err := o.cluster.read(k, toCluster, streams)
	if err != nil {
		return err
	}
	live, unread := found.Live, found.Failures
	definitions, err := o.cluster.definitions(k, toCluster, streams)
	if err != nil {
		return err
	}
	said.mask = redact.New(rootsOf(objects, live)...)
	checked := k.Check(toCluster, found)
	o.prepare(steps, live)
	liveOf := liveFinder(live, o.cluster.namespace)
	assumeNamespace(o.cluster.namespace, objects, live)
	ran := hostless.Run(steps, objects, hostless.Settings{
		Strict: o.strict, Beside: slices.Concat(hostless.MarkLive(live), definitions),
		Options: fn.Options{Purpose: ignorefields.Apply(o.cluster.manager())},
	})
	ran.Results = slices.Concat(skipped, checked, withoutOmitted(ran.Results))
	if fn.HasError(ran.Results) {
		if err := o.outcome.report(withoutInfos(ran.Results), streams.Err); err != nil {
			return err
		}
		return exitCode(1)
	}
	printer := progress{options: o, out: streams.Out}
	applier := &apply.Applier{
		Kubectl: k, FieldManager: o.cluster.fieldManager, ForceConflicts: o.forceConflicts, DryRun: o.dryRun,
		Live: liveOf, Prune: o.prune.args(), Timeout: o.timeout, RetryTimeout: o.retryTimeout, Tell: printer.print,
	}
	for _, failure := range unread {
		applier.Fail(failure.Object, failure.Err)
		applier.Prune = nil // a prune would delete the objects that are not sent
	}
	printer.unchanged(toCluster, ran)
	send := slices.DeleteFunc(ran.ForCluster(), func(o *object.Object) bool {
		return slices.ContainsFunc(unread, func(f kubectl.Failure) bool { return f.Object == o })
	})
	ctx, stop := untilSignal()
	defer stop()
	if err := applier.Apply(ctx, send); err != nil {
		return err
	}
	if err := applier.Operations(ctx, operations); err != nil {
		return err
	}
	if o.metrics != "" {
		if err := applier.Metrics.Write(o.metrics); err != nil {
			return err
		}
	}
	if err := printer.end(); err != nil {
		return err
	}
	if err := o.outcome.report(slices.Concat(ran.Results, said.results(), applier.Notes(), applier.Failures()), streams.Err); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if applier.AreConflicts() {
		return conflicts
	}
	if len(applier.Failures()) > 0 {
		return exitCode(1)
	}
	return nil
}

// warnings are what kubectl and the API server say beside the outcome, each once.
type warnings struct {
	texts []string
	mask  redact.Mask
}

func (w *warnings) add(text string) {
	if !slices.Contains(w.texts, text) {
		w.texts = append(w.texts, text)
	}
}

func (w *warnings) results() []report.Result {
	var results []report.Result
	for _, text := range w.texts {
		results = append(results, report.Result{
			Message: "kubectl: " + w.mask.Text(text), Severity: report.SeverityWarning,
			Tags: map[string]string{"reason": report.ReasonServerWarning},
		})
	}
	return results
}

func rootsOf(all ...[]*object.Object) []*tree.Node {
	var roots []*tree.Node
	for _, o := range slices.Concat(all...) {
		roots = append(roots, o.Root())
	}
	return roots
}

// conflicts is the exit code of apply if conflicts of operations are all that failed.
const conflicts exitCode = 3

// untilSignal returns a context that ends with the first signal to stop, whose exit code is its
// cause. A second signal ends the program at once.
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

// prepare removes the object hashes from live objects if kubectl prunes: then it must get all
// objects, also the unchanged ones.
func (o applyOptions) prepare(steps []hostless.Step, live []*object.Object) {
	if len(o.prune.args()) == 0 {
		return
	}
	removeHashes(steps, live)
}

// liveFinder returns a function that finds the live object for an object of the package, nil if
// there is none.
func liveFinder(live []*object.Object, namespace string) func(*object.Object) *object.Object {
	names := make([]selector.Identity, len(live))
	for i, o := range live {
		names[i] = selector.Of(o.Root()).Identity("")
	}
	index := selector.NewLive(names)
	return func(o *object.Object) *object.Object {
		i, found, err := index.Find(selector.Of(o.Root()).Identity(namespace))
		if !found || err != nil {
			return nil
		}
		return live[i]
	}
}

// omittedReasons are those of results that apply does not print: the outcome of each object is
// printed anyway, and since the cluster was asked for each object, a kind without live objects is
// nothing to warn of.
var omittedReasons = []string{report.ReasonCreate, report.ReasonUpdate, report.ReasonUnchanged, report.ReasonLiveKindMissing}

func withoutOmitted(results []report.Result) []report.Result {
	return slices.DeleteFunc(results, func(r report.Result) bool { return slices.Contains(omittedReasons, r.Tags["reason"]) })
}

// progress prints the outcome of each object on a line, and a summary at the end.
type progress struct {
	options  applyOptions
	out      io.Writer
	outcomes []apply.Outcome
}

func (p *progress) print(o apply.Outcome) {
	p.outcomes = append(p.outcomes, o)
	if p.options.outcome.format == "json" || p.options.outcome.quiet && o.Outcome == apply.Unchanged {
		return
	}
	dryRun := ""
	if p.options.isDryRun() {
		dryRun = " (" + p.options.dryRun + " dry run)"
	}
	fmt.Fprintln(p.out, printable.Line(o.Ref.String()+": "+o.Outcome+dryRun))
}

// unchanged prints the objects that are not sent because the cluster has them as they are.
func (p *progress) unchanged(objects []*object.Object, ran hostless.Outcome) {
	sent := make(map[*object.Object]bool, len(ran.Changed))
	for _, o := range ran.Changed {
		sent[o] = true
	}
	for _, o := range objects {
		if !sent[o] {
			p.print(apply.Outcome{Ref: report.RefOf(o.Root()), Outcome: apply.Unchanged})
		}
	}
}

// outcomeOrder is the order of the outcomes in the summary.
var outcomeOrder = []string{
	apply.Created, apply.Applied, apply.Patched, apply.Deleted, apply.Pruned, apply.Unchanged, apply.NotThere, apply.Failed, apply.NotSent,
}

// end writes the summary, or everything as JSON.
func (p *progress) end() error {
	counts := map[string]int{}
	for _, o := range p.outcomes {
		counts[o.Outcome]++
	}
	if p.options.outcome.format == "json" {
		return explain.WriteJSON(p.out, p.structured(counts))
	}
	var parts []string
	for _, outcome := range outcomeOrder {
		if counts[outcome] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[outcome], outcome))
		}
	}
	noun := "objects"
	if len(p.outcomes) == 1 {
		noun = "object"
	}
	summary := fmt.Sprintf("%d %s", len(p.outcomes), noun)
	if len(parts) > 0 {
		summary += ": " + strings.Join(parts, ", ")
	}
	_, err := fmt.Fprintln(p.out, summary)
	return err
}

// appliedObject is an outcome in the JSON output.
type appliedObject struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Outcome    string `json:"outcome"`
}

// appliedList is what --output json writes to stdout.
type appliedList struct {
	Objects []appliedObject `json:"objects"`
	Summary map[string]int  `json:"summary"`
	DryRun  bool            `json:"dryRun"`
}

func (p *progress) structured(counts map[string]int) appliedList {
	list := appliedList{Objects: []appliedObject{}, Summary: counts, DryRun: p.options.isDryRun()}
	for _, o := range p.outcomes {
		list.Objects = append(list.Objects, appliedObject{
			APIVersion: o.Ref.APIVersion, Kind: o.Ref.Kind, Namespace: o.Ref.Namespace, Name: o.Ref.Name, Outcome: o.Outcome,
		})
	}
	return list
}
