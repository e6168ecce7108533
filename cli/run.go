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

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
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
	functionConfig *tree.Node
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
		Long: `run reads manifests, runs functionConfigs on them, in order, and writes the
resulting manifests to stdout, or with --in-place back to the files that changed.
Results go to stderr. On an error nothing is written.

` + ruleFlags(" and ") + ` make one rule of the kind IgnoreFields without a
file, for the objects that --kind, --group, --name and --selector select. It runs
after the functionConfigs.

` + pathHelp + `

Instead of a functionConfig, --operations reads the file that a hook of
shell-operator wrote: a stream of JSON or YAML documents, each one operation of
the kind ApplyOperations.

--check verifies that a host has run the functionConfigs: it writes no manifests,
and fails if one would still change, for example because kustomize ran no function.

Objects that are not for a cluster are not written to stdout: those with the
annotation config.kubernetes.io/local-config: "true", kinds of kpt.dev and
kustomize.config.k8s.io, and functionConfigs of krm-fields.

Exit codes: 0; 1 on an error, with --check also if a manifest would still change;
130 or 143 after a signal. Unless it is 0, nothing was written.`,
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
	flags.BoolVarP(&options.inPlace, "in-place", "i", false, "write the manifests back to the files that changed: all of them, or none on an error")
	flags.BoolVar(&options.dryRun, "dry-run", false, "write no manifests, neither to stdout nor to files")
	flags.BoolVar(&options.diff, "diff", false, "write a diff to stdout instead of the manifests")
	flags.BoolVar(&options.strict, "strict", false, "make it an error if an expression or a selector matches nothing in the whole run")
	flags.BoolVar(&options.check, "check", false, "write no manifests, and make it an error if a manifest would still change")
	flags.BoolVar(&options.stats, "stats", false, "show the time that each expression took, the slowest first")
	flags.BoolVarP(&options.outcome.quiet, "quiet", "q", false, "leave out infos on stderr")
	flags.BoolVar(&options.outcome.all, "all-results", false, "print each result as text, not only 20 of a kind and a sum")
	flags.StringVar(&options.outcome.file, "results", "", "`FILE` to write the results to: JSON or SARIF if its name ends in .json or .sarif, else YAML")
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
		return errors.New("--live and --operations must not be given together: operations have no live objects")
	case o.inPlace && slices.Contains(paths, manifests.Stdin):
		return fmt.Errorf("--in-place must have files or folders to write back to, found %q", manifests.Stdin)
	case o.inPlace && len(o.live) > 0:
		return errors.New("--in-place and --live must not be given together: the output is for one apply, not for the package")
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
	found, err := options.paths.find(paths, manifests.Options{NeedObjects: true})
	if err != nil {
		return err
	}
	stdin := io.Reader(streams.In)
	if options.mayRunInChunks() {
		input, err := rereadable(streams.In, slices.Contains(paths, manifests.Stdin))
		if err != nil {
			return err
		}
		defer input.close()
		if found.Size()+input.size >= chunkedFrom {
			if err := runInChunks(options, steps, found, input, paths, streams); !errors.Is(err, errNotInChunks) {
				return err
			}
		}
		if stdin, err = input.again(); err != nil {
			return err
		}
	}
	files, skipped, err := readFound(found, paths, stdin)
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
	stop := showProgress(streams.Err, fmt.Sprintf("%d objects", len(objects)))
	definitions, err := readDefinitions(options.crds, streams)
	if err != nil {
		return err
	}
	ran := runSteps(steps, objects, slices.Concat(live, definitions), options.settings())
	stop()
	ran.results = append(skipped, ran.results...)
	var sum tally
	sum.addObjects(ran.changed)
	sum.addResults(ran.results)
	defer sum.print(streams.Err, options.outcome)
	if fn.HasError(ran.results) {
		if err := options.outcome.report(withoutInfos(ran.results), streams.Err); err != nil {
			return err
		}
		return exitCode(1)
	}
	if options.check {
		return options.reportUndone(ran, streams)
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
	return manifests.WriteStream(streams.Out, ran.forCluster())
}

// forCluster returns the objects that come out, without those that are not for a cluster.
func (r runOutcome) forCluster() []*object.Object {
	return slices.DeleteFunc(r.out, func(o *object.Object) bool { return r.local[o] || hostless.IsLocal(o) })
}

// runSettings are the flags that a run of several functionConfigs depends on.
type runSettings struct {
	strict  bool // what matches nothing is an error
	options fn.Options
}

func (o runOptions) settings() runSettings {
	settings := runSettings{strict: o.strict, options: fn.Options{Measures: o.stats}}
	if o.check {
		settings.options.Purpose = ignorefields.Check
	}
	return settings
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
		out, results := fn.ItemsWith(settings.options, s.functionConfig, items)
		if settings.strict {
			makeStrict(results)
		}
		nameFile(results, s.functionConfig, s.path)
		r.results = append(r.results, fn.Folded(s.functionConfig, results)...)
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
		if o.Mentions(selector.LocalConfig) && hostless.IsLocal(o) {
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
		if err := checkSteps(steps); err != nil {
			return nil, err
		}
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
	return hostless.MarkLive(manifests.Objects(files)), nil
}

// addNamespace adds the flag --namespace.
func addNamespace(flags *pflag.FlagSet, namespace *string) {
	flags.StringVar(namespace, "namespace", "", "namespace of objects that have none, only to pair them with live objects")
}

// assumeNamespace sets the namespace of objects that have none.
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

// withoutInfos leaves out the infos, which say what a failed run would have done, but not the times
// that --stats asks for.
func withoutInfos(results []report.Result) []report.Result {
	return slices.DeleteFunc(slices.Clone(results), func(r report.Result) bool {
		return r.Severity == report.SeverityInfo && r.Tags["reason"] != report.ReasonExpressionCost
	})
}

// nameFile adds to results about the functionConfig the file that it was read from.
func nameFile(results []report.Result, functionConfig *tree.Node, path string) {
	hostless.NameFile(results, functionConfig, nameOfFile(path))
}

// nameOfFile is how results name the file at a path.
func nameOfFile(path string) string {
	if path == manifests.Stdin {
		return "stdin"
	}
	return path
}

// update writes the changed files and prints their names.
func (o runOptions) update(ran runOutcome, files []*manifests.File, dir string, errOut io.Writer) error {
	update := manifests.Update
	if o.dryRun {
		update = manifests.Changes
	}
	changes, err := update(files, ran.out, dir)
	if err != nil {
		return errors.Join(o.outcome.report(withoutInfos(ran.results), errOut), err)
	}
	if err := o.outcome.report(ran.results, errOut); err != nil {
		return err
	}
	o.tellChanges(changes, errOut)
	return nil
}

// tellChanges prints the names of the changed files.
func (o runOptions) tellChanges(changes []manifests.Change, errOut io.Writer) {
	if !o.outcome.isVerbose() {
		return
	}
	wrote, removed := "wrote", "removed"
	if o.dryRun {
		wrote, removed = "would write", "would remove"
	}
	for _, change := range changes {
		verb := wrote
		if change.Removed {
			verb = removed
		}
		fmt.Fprintln(errOut, printable.Line(verb+" "+change.Path))
	}
}

// folderOf returns the folder for new files: the one at a path, or that of the file.
func folderOf(path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return filepath.Dir(path)
	}
	return path
}
