package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/plan"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// noPlanCode is the exit code of plan if it could not be made. 1 is that of an apply that would
// fail.
const noPlanCode exitCode = 2

// planOptions are the flags of `krm-fields plan`.
type planOptions struct {
	configs        []string
	live           []string
	fromCluster    bool
	fieldManager   string
	forceConflicts bool
	crds           []string
	namespace      string
	output         string
	paths          pathOptions
}

func newPlan(streams Streams) *cobra.Command {
	var options planOptions
	command := &cobra.Command{
		Use:   "plan [--config FILE...] {--live LIVE | --from-cluster} [PATH...]",
		Short: "Tell what the next server-side apply would do to each object",
		Long: `plan carries out functionConfigs on manifests, if there are any, and predicts what
a server-side apply of what comes out would do: to each object, to each field that
it touches, with the field managers before and after, and with whom it conflicts.
Of each rule it says what becomes of its fields: handed over to another manager,
removed, inside an atomic list and so without effect, required, or not needed.
For conflicts it writes the rules that resolve them. Values of Secrets are shown
as ***.

Nothing is applied. LIVE is what kubectl get -o yaml --show-managed-fields printed;
with --from-cluster, kubectl is called for it, with its context. Custom kinds are
known by CustomResourceDefinitions among the manifests, the live objects and those
of --crds; without one, their lists count as atomic.

Not modelled are admission, defaulting, validation beyond required fields, and
conversion between versions.

` + pathHelp + `

Exit codes: 0, the apply would go through; 1, an object has a conflict or would be
refused, or onHandover or onNoMatch makes the run fail; 2, there is no plan because
of an error.`,
		Example: `  krm-fields plan --config ignore-fields.yaml --from-cluster package/
  kubectl get -f package/ -o yaml --show-managed-fields | krm-fields plan --live - package/
  krm-fields plan -c ignore-fields.yaml --live live.yaml --field-manager kpt -o markdown package/ > comment.md`,
		Annotations: map[string]string{failureCode: "2"},
		RunE:        func(_ *cobra.Command, paths []string) error { return runPlan(options, paths, streams) },
	}
	flags := command.Flags()
	flags.StringArrayVarP(&options.configs, "config", "c", nil, "`FILE` of a functionConfig, or -; may be given several times")
	flags.StringArrayVar(&options.live, "live", nil,
		"file, folder or - with the live objects, with their managedFields: a `PATH`; may be given several times")
	flags.BoolVar(&options.fromCluster, "from-cluster", false, "read the live objects by kubectl get, with the context of kubectl")
	flags.StringVar(&options.fieldManager, "field-manager", "kubectl", "field manager that applies")
	flags.BoolVar(&options.forceConflicts, "force-conflicts", false, "plan an apply that takes conflicting fields from their managers")
	addCRDs(flags, &options.crds)
	flags.StringVarP(&options.output, "output", "o", "text", "`FORMAT`: text, markdown or json")
	addNamespace(flags, &options.namespace)
	options.paths.addTo(command)
	completeFiles(command, "config", "live", "crds")
	completeValues(command, "output", planFormats)
	return command
}

// planFormats are the values of --output.
var planFormats = []string{"text", "markdown", "json"}

// check checks flags that need each other, or go badly together.
func (o planOptions) check(paths []string) error {
	if err := checkValue("output", o.output, planFormats); err != nil {
		return err
	}
	switch {
	case len(o.live) == 0 && !o.fromCluster:
		return errors.New("there must be live objects, found none; type --live PATH with what kubectl get -o yaml --show-managed-fields " +
			"printed, or --from-cluster")
	case len(o.live) > 0 && o.fromCluster:
		return errors.New("--live and --from-cluster must not be given together")
	case o.fieldManager == "":
		return errors.New("--field-manager must not be empty; kubectl is that of kubectl apply --server-side")
	}
	return stdinOnce(slices.Concat(o.configs, o.live, o.crds, paths))
}

func runPlan(options planOptions, paths []string, streams Streams) error {
	paths, err := orStdin(paths, streams)
	if err != nil {
		return err
	}
	if err := options.check(paths); err != nil {
		return err
	}
	planner, err := options.read(paths, streams)
	if err != nil {
		return err
	}
	results, failed := planner.run()
	printResults(streams.Err, slices.DeleteFunc(slices.Clone(results), options.isInPlan))
	if failed {
		return noPlanCode
	}
	input, err := planner.input(options)
	if err != nil {
		return err
	}
	made, err := plan.Of(input)
	if err != nil {
		return err
	}
	printResults(streams.Err, planner.warnings(input))
	if err := writePlan(made, options.output, streams.Out); err != nil {
		return err
	}
	if !made.Succeeds() || fn.HasError(results) {
		return exitCode(1)
	}
	return nil
}

func writePlan(p *plan.Plan, format string, out io.Writer) error {
	switch format {
	case "json":
		return p.WriteJSON(out)
	case "markdown":
		return p.WriteMarkdown(out)
	}
	return p.WriteText(out)
}

// isInPlan tells whether the plan says the same as a result.
func (o planOptions) isInPlan(r report.Result) bool {
	if r.Severity != report.SeverityWarning {
		return r.Severity == report.SeverityInfo
	}
	switch r.Tags["reason"] {
	case report.ReasonAtomicParent, report.ReasonRequiredField, report.ReasonSoleFieldManager:
		return true
	case report.ReasonLiveKindMissing:
		return o.fromCluster // which was asked for every object
	}
	return false
}

// planner is what a plan is made from.
type planner struct {
	steps   []step
	entries []*planEntry
	live    []*object.Object
	// definitions are the CustomResourceDefinitions of --crds.
	definitions []*object.Object
	runs        []plan.Run
}

// planEntry is an object of the package, as the runs change it.
type planEntry struct {
	object *object.Object
	pair   plan.Pair
	// isLeft is true if the object is not sent because the cluster has it as it is, and isGone if a
	// run has removed it.
	isLeft, isGone bool
	// isLocal is true if the object was not for a cluster before a run, which may have ignored the
	// annotation that says so.
	isLocal bool
}

// read reads the input.
func (o planOptions) read(paths []string, streams Streams) (*planner, error) {
	p := &planner{}
	for _, path := range o.configs {
		config, err := readConfig(path, streams)
		if err != nil {
			return nil, err
		}
		p.steps = append(p.steps, step{config.Root(), path, config})
	}
	files, skipped, err := o.paths.read(paths, true, streams.In)
	if err != nil {
		return nil, err
	}
	printResults(streams.Err, skipped)
	objects := manifests.Objects(files)
	for _, object := range objects {
		p.entries = append(p.entries, &planEntry{object: object})
	}
	if p.live, err = o.readLive(objects, streams); err != nil {
		return nil, err
	}
	assumeNamespace(o.namespace, objects, p.live)
	p.definitions, err = readDefinitions(o.crds, streams)
	return p, err
}

// readLive reads the live objects, from files or from the cluster.
func (o planOptions) readLive(objects []*object.Object, streams Streams) ([]*object.Object, error) {
	if !o.fromCluster {
		return readLive(o.live, streams)
	}
	sent := slices.DeleteFunc(slices.Clone(objects), isLocal)
	live, err := getAll(kubectl.Kubectl{Namespace: o.namespace}, sent)
	return markLive(live), err
}

// getAll reads the live objects from the cluster. The error names each that can't be read.
func getAll(k kubectl.Kubectl, objects []*object.Object) ([]*object.Object, error) {
	live, unread, err := k.Get(objects)
	faults := []error{err}
	for _, failure := range unread {
		faults = append(faults, fmt.Errorf("%s: %w", report.RefOf(failure.Object.Root()), failure.Err))
	}
	return live, errors.Join(faults...)
}

// addCRDs adds the flag --crds.
func addCRDs(flags *pflag.FlagSet, paths *[]string) {
	flags.StringArrayVar(paths, "crds", nil, "file, folder or - with CustomResourceDefinitions: a `PATH`; may be given several times")
}

// readDefinitions reads the CustomResourceDefinitions that --crds leads to.
func readDefinitions(paths []string, streams Streams) ([]*object.Object, error) {
	files, err := manifests.Read(paths, streams.In)
	if err != nil {
		return nil, err
	}
	objects := manifests.Objects(files)
	definitions := slices.DeleteFunc(objects, func(o *object.Object) bool { return !isDefinition(o.Root()) })
	if len(paths) > 0 && len(definitions) == 0 {
		return nil, fmt.Errorf("--crds must lead to a CustomResourceDefinition of apiextensions.k8s.io/v1, found none in %d objects", len(objects))
	}
	for _, o := range definitions {
		o.MarkSchema()
	}
	return definitions, nil
}

func isDefinition(root *yaml.Node) bool {
	return schema.IsCRD(schema.ParseGVK(tree.GetString(root, "apiVersion"), tree.GetString(root, "kind")))
}

// run runs the functionConfigs, each on the output of the one before it, up to the first that
// fails. A result that is an error only by onHandover or onNoMatch does not count as one, since the
// plan reports it.
func (p *planner) run() (all []report.Result, failed bool) {
	for number, s := range p.steps {
		knowsLive := s.kind().ReadsLive
		if knowsLive {
			p.noteLocal()
		}
		p.stage(number)
		items, at := p.items(knowsLive)
		functionConfig, errorReasons := lenient(s)
		out, results, trace := fn.Traced(functionConfig, items)
		failed = fn.HasError(results)
		for i := range results {
			if slices.Contains(errorReasons, results[i].Tags["reason"]) {
				results[i].Severity = report.SeverityError
			}
		}
		nameFile(results, s.functionConfig, s.path)
		all = append(all, results...)
		if failed {
			return all, true
		}
		for i, entry := range at {
			entry.pair.Traced = append(entry.pair.Traced, nil)
			if i < len(trace.Objects) {
				entry.pair.Traced[number] = trace.Objects[i]
			}
		}
		p.accept(slices.DeleteFunc(out, (*object.Object).IsLive), knowsLive, number)
		p.runs = append(p.runs, plan.Run{Rules: trace.Rules, Effect: trace.Effect})
	}
	if fn.HasError(all) {
		all = append(all, report.Result{Severity: report.SeverityError, Message: "with these errors, a run of the functionConfigs " +
			"fails, and nothing is applied; the plan is that of a run with warnings in their place"})
	}
	return all, false
}

// planned are the policies about what a plan reports, with the reasons of their results.
var planned = map[string][]string{
	"onHandover": {report.ReasonAtomicParent, report.ReasonRequiredField, report.ReasonSoleFieldManager},
	"onNoMatch":  {report.ReasonNoMatch},
}

// lenient returns a functionConfig that warns about what a plan reports instead of failing, and the
// reasons of the results that would have been errors.
func lenient(s step) (*yaml.Node, []string) {
	if !s.kind().ReadsLive {
		return s.functionConfig, nil
	}
	changed := tree.Copy(s.functionConfig)
	policies := changed
	if tree.GetString(changed, "kind") == "ConfigMap" {
		policies = tree.Get(changed, "data")
	}
	var reasons []string
	for name, of := range planned {
		if value := tree.Lookup(policies, name); value != nil && value.Value == "Error" {
			value.Value = "Warn"
			reasons = append(reasons, of...)
		}
	}
	return changed, reasons
}

// noteLocal notes which objects are not for a cluster.
func (p *planner) noteLocal() {
	for _, entry := range p.entries {
		entry.isLocal = entry.isLocal || entry.object.Mentions(selector.LocalConfig) && isLocal(entry.object)
	}
}

// stage notes the objects as they come to a run.
func (p *planner) stage(number int) {
	for _, entry := range p.entries {
		if entry.isLeft || entry.isGone {
			continue
		}
		for len(entry.pair.Stages) < number {
			entry.pair.Stages, entry.pair.Traced = append(entry.pair.Stages, nil), append(entry.pair.Traced, nil)
		}
		entry.pair.Stages = append(entry.pair.Stages, dataOf(entry.object))
	}
}

// items returns the items of a run, and the entries of the first of them. Only IgnoreFields tells
// live objects from those of the package.
func (p *planner) items(withLive bool) ([]*object.Object, []*planEntry) {
	var items []*object.Object
	var at []*planEntry
	names := map[string]bool{}
	for _, entry := range p.entries {
		if !entry.isLeft && !entry.isGone {
			items, at = append(items, entry.object), append(at, entry)
			names[report.RefOf(entry.object.Root()).String()] = true
		}
	}
	if !withLive {
		return items, at
	}
	items = append(items, p.live...)
	for _, definition := range p.definitions {
		if !names[report.RefOf(definition.Root()).String()] { // else it would count as one of the cluster
			items = append(items, definition)
		}
	}
	return items, at
}

// accept updates the entries from the output of a run.
func (p *planner) accept(out []*object.Object, ignores bool, number int) {
	known := map[*object.Object]*planEntry{}
	for _, entry := range p.entries {
		known[entry.object] = entry
	}
	comesOut := map[*object.Object]bool{}
	for _, o := range out {
		comesOut[o] = true
		if known[o] == nil {
			p.entries = append(p.entries, &planEntry{object: o})
		}
	}
	for _, entry := range p.entries {
		switch {
		case entry.isLeft || entry.isGone || comesOut[entry.object]:
		case ignores && !entry.isLiveIn(number):
			entry.isLeft = true
		default:
			entry.isGone = true
		}
	}
}

// isLiveIn tells whether a run takes the object for one of the cluster.
func (e *planEntry) isLiveIn(run int) bool {
	return run < len(e.pair.Traced) && e.pair.Traced[run] != nil && e.pair.Traced[run].IsLive
}

// input pairs the objects with the live ones.
func (p *planner) input(options planOptions) (plan.Input, error) {
	in := plan.Input{Runs: p.runs, Schemas: &schema.Schemas{}, Manager: options.fieldManager, Force: options.forceConflicts}
	names := make([]selector.Identity, len(p.live))
	for i, o := range p.live {
		names[i] = selector.Of(o.Root()).Identity(o.AssumedNamespace())
	}
	index := selector.NewLive(names)
	var faults []error
	for _, entry := range p.entries {
		if entry.isGone || entry.isLocal || isLocal(entry.object) {
			continue
		}
		i, ok, err := index.Find(selector.Of(entry.object.Root()).Identity(entry.object.AssumedNamespace()))
		if err != nil {
			faults = append(faults, err)
		}
		if ok {
			entry.pair.Live = dataOf(p.live[i])
		}
		if !entry.isLeft {
			entry.pair.Applied = dataOf(entry.object)
		}
		in.Pairs = append(in.Pairs, entry.pair)
	}
	return in, errors.Join(append(faults, p.addKinds(in.Schemas))...)
}

// addKinds adds the custom kinds: those of --crds take precedence over those of the cluster, and
// these over those of the package.
func (p *planner) addKinds(schemas *schema.Schemas) error {
	var objects []*object.Object
	for _, entry := range p.entries {
		objects = append(objects, entry.object)
	}
	var faults []error
	for _, o := range slices.Concat(objects, p.live, p.definitions) {
		if !isDefinition(o.Root()) {
			continue
		}
		if err := schemas.AddCRD(dataOf(o)); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

func dataOf(o *object.Object) map[string]any {
	data, _ := tree.Value(o.Root()).(map[string]any)
	return data
}
