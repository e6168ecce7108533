package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// runOptions are the flags of `krm-fields run`.
type runOptions struct {
	configs    []string
	operations string
	live       []string
	crds       []string
	inPlace    bool
	dryRun     bool
	diff       bool
	strict     bool
	check      bool
	stats      bool
	namespace  string
	paths      pathOptions
	rule       ruleOptions
	outcome    resultOptions
}

// step is a functionConfig, and the file that it was read from, if any.
type step struct {
	functionConfig *yaml.Node
	path           string
	// source is the object that the functionConfig was read as; nil for none.
	source *object.Object
}

// kind returns the kind of the functionConfig.
func (s step) kind() fn.Kind { return fn.KindOf(s.functionConfig) }

func newRun(streams Streams) *cobra.Command {
	var options runOptions
	command := &cobra.Command{
		Use:   "run {--config FILE... | --pointer POINTER... | --operations FILE} [PATH...]",
		Short: "Run a functionConfig over manifests without a host",
		Long: `run reads manifests, carries out functionConfigs on them, in order, and writes the
resulting manifests to stdout, or with --in-place back to the files that changed.
Results go to stderr. On an error nothing is written.

` + ruleFlags(" and ") + ` make one rule of the kind IgnoreFields without a
file, for the objects that --kind, --group, --name and --selector name. It is
carried out behind the functionConfigs.

` + pathHelp + `

In place of a functionConfig, --operations takes the file that a hook of
shell-operator wrote: a stream of JSON or YAML documents, each one operation of
the kind ApplyOperations.

--check is for what a host should have done: it writes no manifests and fails if
the functionConfigs would still change one, as where kustomize ran no function.

Left out of what goes to stdout are objects that are not for a cluster: those
with the annotation config.kubernetes.io/local-config: "true", kinds of kpt.dev
and kustomize.config.k8s.io, and functionConfigs of krm-fields.

Exit codes: 0; 1 on an error, with --check also where something is still to be
done; 130 or 143 where a signal ended it. Unless it is 0,
nothing was written.`,
		Example: `  krm-fields run --config ignore-fields.yaml package/ | kubectl apply --server-side -f -
  krm-fields run --config ignore-fields.yaml --in-place package/
  krm-fields run --pointer /spec/replicas --kind Deployment --diff package/
  krm-fields run --operations hook-output.json --in-place package/
  kustomize build --enable-alpha-plugins --enable-exec overlays/prod | krm-fields run --config ignore-fields.yaml --check
  kubectl get -o yaml deployments | krm-fields run --config ignore-fields.yaml --live - package/`,
		RunE: func(command *cobra.Command, paths []string) error {
			options.rule.hasGroup = command.Flags().Changed("group")
			return options.outcome.reportError(command, run(options, paths, streams), streams.Err)
		},
	}
	flags := command.Flags()
	flags.StringArrayVarP(&options.configs, "config", "c", nil, "`FILE` of a functionConfig, or -; may be given several times")
	flags.StringVar(&options.operations, "operations", "", "`FILE` of operations, as a hook of shell-operator writes it, or -")
	flags.StringArrayVar(&options.live, "live", nil,
		"file, folder or - with the live objects, e.g. from kubectl get -o yaml: a `PATH`; may be given several times")
	flags.BoolVarP(&options.inPlace, "in-place", "i", false, "write the manifests back to the files that changed, all or none")
	flags.BoolVar(&options.dryRun, "dry-run", false, "write no manifests, neither to stdout nor to files")
	flags.BoolVar(&options.diff, "diff", false, "write to stdout how the manifests change, in place of the manifests")
	flags.BoolVar(&options.strict, "strict", false, "make it an error where an expression or a selector matches nothing in the whole run")
	flags.BoolVar(&options.check, "check", false, "write no manifests, and make it an error where something is still to be done")
	flags.BoolVar(&options.stats, "stats", false, "say what each expression cost, the dearest first")
	flags.BoolVarP(&options.outcome.quiet, "quiet", "q", false, "leave infos out of what goes to stderr")
	flags.StringVar(&options.outcome.file, "results", "", "`FILE` that gets the results: in JSON or SARIF if its name ends so, else in YAML")
	flags.StringVarP(&options.outcome.format, "output", "o", "text", "`FORMAT` of the results on stderr: text, json, github or sarif")
	options.rule.addTo(command)
	addCRDs(flags, &options.crds)
	completeFiles(command, "config", "operations", "live", "results", "crds")
	completeValues(command, "output", reviewFormats)
	addNamespace(flags, &options.namespace)
	options.paths.addTo(command)
	return command
}

// The values of --output: of most commands, and of those whose results a review may show.
var (
	resultFormats = []string{"text", "json"}
	reviewFormats = []string{"text", "json", "github", "sarif"}
)

// validate checks for flags that need or exclude each other.
func (o runOptions) validate(paths []string) error {
	if err := checkValue("output", o.outcome.format, reviewFormats); err != nil {
		return err
	}
	if err := o.rule.check(); err != nil {
		return err
	}
	if err := o.checkConflicts(); err != nil {
		return err
	}
	switch {
	case len(o.configs) == 0 && o.operations == "" && !o.rule.has():
		return errors.New("there must be a functionConfig, a rule or operations, found none; " +
			"type --config FILE, --pointer POINTER or --operations FILE")
	case len(o.configs) > 0 && o.operations != "":
		return errors.New("--config and --operations must not be given together")
	case o.rule.has() && o.operations != "":
		return errors.New("--operations must not be given together with " + ruleFlags(" or "))
	case len(o.live) > 0 && o.operations != "":
		return errors.New("--live and --operations must not be given together: operations know no live objects")
	case o.inPlace && slices.Contains(paths, manifests.Stdin):
		return fmt.Errorf("--in-place must have files or folders to write back to, found %q", manifests.Stdin)
	case o.inPlace && len(o.live) > 0:
		return errors.New("--in-place and --live must not be given together: what comes out is to be applied, not to be kept")
	}
	return stdinOnce(slices.Concat(o.configs, []string{o.operations}, paths, o.live, o.crds))
}

// sources are the objects that functionConfigs were read as.
func sources(steps []step) []*object.Object {
	var objects []*object.Object
	for _, s := range steps {
		if s.source != nil {
			objects = append(objects, s.source)
		}
	}
	return objects
}

func run(options runOptions, paths []string, streams Streams) error {
	paths, err := orStdin(paths, streams)
	if err != nil {
		return err
	}
	if err := options.validate(paths); err != nil {
		return err
	}
	steps, err := options.steps(streams)
	if err != nil {
		return err
	}
	files, skipped, err := options.paths.read(paths, true, streams.In)
	if err != nil {
		return err
	}
	live, err := readLive(options.live, streams)
	if err != nil {
		return err
	}
	objects := manifests.Objects(files)
	if options.check && len(objects) == 0 {
		return errNothingToCheck
	}
	options.outcome.about = slices.Concat(sources(steps), objects)
	assumeNamespace(options.namespace, objects, live)
	stop := showProgress(streams.Err, len(objects))
	definitions, err := readDefinitions(options.crds, streams)
	if err != nil {
		return err
	}
	ran := runSteps(steps, objects, slices.Concat(live, definitions), runSettings{strict: options.strict, stats: options.stats})
	stop()
	ran.results = append(skipped, ran.results...)
	if fn.HasError(ran.results) {
		if err := options.outcome.report(withoutInfos(ran.results), streams.Err); err != nil {
			return err
		}
		return exitCode(1)
	}
	if options.check {
		return options.tellUndone(ran, streams)
	}
	if err := options.write(ran, files, folderOf(paths[0]), streams); err != nil {
		return err
	}
	if !options.diff {
		return nil
	}
	return explain.WriteDiff(streams.Out, ran.changed, ran.out, hasColour(streams.Out))
}

// write prints the results and writes the manifests, as the flags say.
func (o runOptions) write(ran runOutcome, files []*manifests.File, dir string, streams Streams) error {
	if o.inPlace {
		return o.update(ran, files, dir, streams.Err)
	}
	if err := o.outcome.report(ran.results, streams.Err); err != nil || o.diff || o.dryRun {
		return err
	}
	isLeftOut := func(o *object.Object) bool { return ran.local[o] || isLocal(o) }
	return manifests.WriteStream(streams.Out, slices.DeleteFunc(ran.out, isLeftOut))
}

// runSettings are the flags that a run of several functionConfigs depends on.
type runSettings struct {
	strict bool // what matches nothing is an error
	stats  bool // results say what the expressions cost
}

// runOutcome is the outcome of a run.
type runOutcome struct {
	out     []*object.Object
	results []report.Result
	// changed are the input objects without those that the cluster has as they are.
	changed []*object.Object
	// local are the objects that had the annotation which keeps them from a cluster before fields
	// were ignored.
	local map[*object.Object]bool
}

// runSteps runs functionConfigs, each on the output of the one before it; the first that fails ends
// the run. Live objects and definitions are passed along to the kinds that read them.
func runSteps(steps []step, objects, beside []*object.Object, settings runSettings) runOutcome {
	r := runOutcome{out: objects, changed: slices.Clone(objects), local: map[*object.Object]bool{}}
	for _, s := range steps {
		items := r.out
		if s.kind().ReadsLive {
			r.noteLocal()
			items = slices.Concat(items, beside)
		}
		function := fn.Items
		if settings.stats {
			function = fn.Measured
		}
		out, results := function(s.functionConfig, items)
		if settings.strict {
			makeStrict(results)
		}
		nameFile(results, s.functionConfig, s.path)
		r.results = append(r.results, results...)
		if fn.HasError(results) {
			return r
		}
		out = slices.DeleteFunc(out, func(o *object.Object) bool { return o.IsLive() || o.IsSchema() })
		if s.kind().ReadsLive {
			r.leaveAlone(out)
		}
		r.out = out
	}
	return r
}

// noteLocal notes which objects have the annotation that keeps them from a cluster: ignoring
// annotations must not lift it.
func (r *runOutcome) noteLocal() {
	for _, o := range r.out {
		if o.Mentions(selector.LocalConfig) && isLocal(o) {
			r.local[o] = true
		}
	}
}

// leaveAlone notes which objects are missing in the output of a step that removes none: the cluster
// has them as they are.
func (r *runOutcome) leaveAlone(out []*object.Object) {
	if len(out) == len(r.out) {
		return
	}
	left := make(map[*object.Object]bool, len(out))
	for _, o := range r.out {
		left[o] = true
	}
	for _, o := range out {
		delete(left, o)
	}
	r.changed = slices.DeleteFunc(r.changed, func(o *object.Object) bool { return left[o] })
}

// makeStrict turns results about what matched nothing into errors.
func makeStrict(results []report.Result) {
	for i := range results {
		if results[i].Tags["reason"] == report.ReasonNoMatch {
			results[i].Severity = report.SeverityError
		}
	}
}

// stdinOnce checks that stdin, which can be read once, is named at most once.
func stdinOnce(paths []string) error {
	first := slices.Index(paths, manifests.Stdin)
	if first >= 0 && slices.Contains(paths[first+1:], manifests.Stdin) {
		return fmt.Errorf("%q, which is stdin, must be given at most once", manifests.Stdin)
	}
	return nil
}

// steps returns the functionConfigs to run.
func (o runOptions) steps(streams Streams) ([]step, error) {
	if o.operations != "" {
		text, err := manifests.ReadText(o.operations, streams.In)
		if err != nil {
			return nil, err
		}
		return []step{{functionConfig: applyoperations.FromHook(text), path: o.operations}}, nil
	}
	var steps []step
	for _, path := range o.configs {
		config, err := readConfig(path, streams)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step{config.Root(), path, config})
	}
	if o.rule.has() {
		steps = append(steps, step{functionConfig: o.rule.functionConfig()})
	}
	if o.check {
		return checkSteps(steps)
	}
	return steps, nil
}

// readConfig reads the one functionConfig of a file.
func readConfig(path string, streams Streams) (*object.Object, error) {
	files, err := manifests.Read([]string{path}, streams.In)
	if err != nil {
		return nil, err
	}
	objects := manifests.Objects(files)
	if len(objects) != 1 {
		return nil, fmt.Errorf("%s must hold one functionConfig, found %d objects", path, len(objects))
	}
	return objects[0], nil
}

func readLive(paths []string, streams Streams) ([]*object.Object, error) {
	files, err := manifests.Read(paths, streams.In)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, nil
	}
	return markLive(manifests.Objects(files)), nil
}

// markLive marks objects as those of the cluster, of which there may be none.
func markLive(objects []*object.Object) []*object.Object {
	if len(objects) == 0 {
		objects = []*object.Object{nothingLive()}
	}
	for _, o := range objects {
		o.MarkLive()
	}
	return objects
}

// addNamespace adds the flag --namespace.
func addNamespace(flags *pflag.FlagSet, namespace *string) {
	flags.StringVar(namespace, "namespace", "", "namespace that objects without one count as in, when they are paired with live objects")
}

// assumeNamespace sets the namespace that objects without one count as in.
func assumeNamespace(namespace string, all ...[]*object.Object) {
	if namespace == "" {
		return
	}
	for _, objects := range all {
		for _, o := range objects {
			o.AssumeNamespace(namespace)
		}
	}
}

// withoutInfos leaves out the infos, which say what a failed run would have done.
func withoutInfos(results []report.Result) []report.Result {
	return slices.DeleteFunc(slices.Clone(results), func(r report.Result) bool { return r.Severity == report.SeverityInfo })
}

// nothingLive stands for an empty cluster, since a run without any live object knows of no cluster.
func nothingLive() *object.Object {
	return object.NewDocument(tree.FromValue(map[string]any{"apiVersion": "v1", "kind": "List"}))
}

// nameFile adds to results about the functionConfig the file that it was read from.
func nameFile(results []report.Result, functionConfig *yaml.Node, path string) {
	if path == manifests.Stdin {
		path = "stdin"
	}
	ref := report.RefOf(functionConfig)
	for i := range results {
		if results[i].Ref == ref && results[i].File.Path == "" {
			results[i].File.Path = path
		}
	}
}

// isLocal tells whether an object is for tools that work on a package, not for a cluster.
func isLocal(o *object.Object) bool {
	local := false
	_ = o.Use(func() { // the error is that of writing the object, too
		identity := selector.Of(o.Root())
		local = identity.IsLocal() || identity.IsFunctionConfig()
	})
	return local
}

// update writes the changed files and prints their names.
func (o runOptions) update(ran runOutcome, files []*manifests.File, dir string, errOut io.Writer) error {
	update, wrote, removed := manifests.Update, "wrote", "removed"
	if o.dryRun {
		update, wrote, removed = manifests.Changes, "would write", "would remove"
	}
	changes, err := update(files, ran.out, dir)
	if err != nil {
		return errors.Join(o.outcome.report(withoutInfos(ran.results), errOut), err)
	}
	if err := o.outcome.report(ran.results, errOut); err != nil || !o.outcome.isVerbose() {
		return err
	}
	for _, change := range changes {
		verb := wrote
		if change.Removed {
			verb = removed
		}
		fmt.Fprintln(errOut, printable.Line(verb+" "+change.Path))
	}
	return nil
}

// folderOf returns the folder for new files: the one at a path, or that of the file.
func folderOf(path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return filepath.Dir(path)
	}
	return path
}
