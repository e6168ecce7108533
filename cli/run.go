package cli

import (
	"cmp"
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
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// runOptions are the flags of `krm-fields run`.
type runOptions struct {
	configs    []string
	operations string
	clusterOptions
	inPlace bool
	dryRun  bool
	diff    bool
	strict  bool
	check   bool
	stats   bool
	paths   pathOptions
	rule    ruleOptions
	outcome resultOptions
}

func newRun(streams Streams) *cobra.Command {
	var options runOptions
	command := &cobra.Command{
		Use:   "run {--config FILE... | --pointer POINTER... | --from-owners | --operations FILE} [PATH...]",
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
	options.clusterOptions.addTo(command)
	flags.BoolVarP(&options.inPlace, "in-place", "i", false, "write the manifests back to the files that changed: all of them, or none on an error")
	flags.BoolVar(&options.dryRun, "dry-run", false, "write no manifests, neither to stdout nor to files")
	flags.BoolVar(&options.diff, "diff", false, "write a diff to stdout instead of the manifests")
	flags.BoolVar(&options.strict, "strict", false, "make it an error if an expression or a selector matches nothing in the whole run")
	flags.BoolVar(&options.check, "check", false, "write no manifests, and make it an error if a manifest would still change")
	flags.BoolVar(&options.stats, "stats", false, "show the time that each expression took, the slowest first")
	flags.BoolVarP(&options.outcome.quiet, "quiet", "q", false, "leave out infos on stderr")
	flags.BoolVar(&options.outcome.all, "all-results", false, "print each result as text, not only 20 of a kind and a sum")
	flags.StringVar(&options.outcome.file, "results", "", "`FILE` to write the results to, "+fileFormats())
	flags.StringVarP(&options.outcome.format, "output", "o", "text", "`FORMAT` of the results on stderr: "+words.List(resultFormats))
	options.rule.addTo(command)
	completeFiles(command, "config", "operations", "live", "results", "crds")
	completeValues(command, "output", resultFormats)
	options.paths.addTo(command)
	return command
}

// validate checks for flags that need or exclude each other.
func (o runOptions) validate(paths []string) error {
	if err := checkValue("output", o.outcome.format, resultFormats); err != nil {
		return err
	}
	if err := o.rule.check(); err != nil {
		return err
	}
	if err := o.clusterOptions.check(); err != nil {
		return err
	}
	if err := o.checkConflicts(); err != nil {
		return err
	}
	switch {
	case len(o.configs) == 0 && o.operations == "" && !o.rule.has():
		return cmp.Or(configAmong(paths), errors.New("no rules given; use --config FILE, --pointer POINTER, --from-owners or --operations FILE"))
	case len(o.configs) > 0 && o.operations != "":
		return errors.New("--config and --operations must not be given together")
	case o.rule.has() && o.operations != "":
		return errors.New("--operations must not be given together with " + ruleFlags(" or "))
	case o.hasLive() && o.operations != "":
		return fmt.Errorf("%s and --operations must not be given together: operations have no live objects", o.liveFlag())
	case o.inPlace && slices.Contains(paths, manifests.Stdin):
		return fmt.Errorf("--in-place must have files or folders to write back to, found %q", manifests.Stdin)
	case o.inPlace && o.hasLive():
		return fmt.Errorf("--in-place and %s must not be given together: the output is for one apply, not for the package", o.liveFlag())
	}
	return stdinOnce(slices.Concat(o.configs, []string{o.operations}, paths, o.inputs()))
}

// run runs over the manifests in chunks where they are large, else over all objects at once.
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
	defer guard.OnAbort(func(failed report.Result) bool {
		results := []report.Result{failed}
		for _, s := range steps {
			hostless.NameFile(results, s.FunctionConfig, s.Path)
		}
		return options.outcome.report(results, streams.Err) == nil
	})()
	found, err := options.paths.find(paths, manifests.Options{NeedObjects: true, Strict: options.strict})
	if err != nil {
		return err
	}
	if err := options.outcome.checkFile(found, slices.Concat(options.configs, options.live, options.crds, []string{options.operations})); err != nil {
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
	return runAtOnce(options, steps, found, stdin, paths, streams)
}

// runInChunks runs over the files a chunk at a time. It returns errNotInChunks if it has done
// nothing because the run needs all objects at once.
func runInChunks(
	options runOptions, steps []hostless.Step, found *manifests.Found, stdin input, paths []string, streams Streams,
) error {
	session := hostless.InChunks(steps, options.settings(nil))
	kept, err := newSpool()
	if session == nil || err != nil {
		return errNotInChunks
	}
	defer kept.close()
	stop := showProgress(streams.Err, fmt.Sprintf("%d MB", (found.Size()+stdin.size)/1_000_000))
	out := newOutput(options, kept, paths, streams)
	err = out.run(session, found.Chunks(stdin, chunkSize, !options.inPlace)) // in place, files are written as a whole
	stop()
	return out.end(session, err)
}

// runAtOnce runs over all objects in one chunk.
func runAtOnce(
	options runOptions, steps []hostless.Step, found *manifests.Found, stdin io.Reader, paths []string, streams Streams,
) error {
	read, err := found.Read(stdin)
	if err != nil {
		return withAdvice(err, paths)
	}
	objects := manifests.Objects(read.Files)
	live, err := options.readLive(objects, streams)
	if err != nil {
		return err
	}
	options.outcome.about = slices.Clone(objects)
	for _, s := range steps {
		if s.Source != nil {
			options.outcome.about = append(options.outcome.about, s.Source)
		}
	}
	assumeNamespace(options.namespace, objects, live)
	definitions, err := readDefinitions(options.crds, streams)
	if err != nil {
		return err
	}
	session := hostless.AtOnce(steps, options.settings(slices.Concat(live, definitions)))
	stop := showProgress(streams.Err, fmt.Sprintf("%d objects", len(objects)))
	out := newOutput(options, nil, paths, streams)
	err = out.run(session, slices.Values([]manifests.Package{read}))
	stop()
	return out.end(session, err)
}

// settings are those of the run's session.
func (o runOptions) settings(beside []*object.Object) hostless.Settings {
	settings := hostless.Settings{
		Strict: o.strict, Options: fn.Options{Measures: o.stats}, Beside: beside, Whole: o.check || o.outcome.needsAll(),
	}
	settings.Options.Purpose = func(c *ignorefields.Config) {
		if o.check {
			ignorefields.Check(c)
		}
		c.Live.FieldManager = cmp.Or(o.fieldManager, c.Live.FieldManager)
	}
	return settings
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
func (o runOptions) steps(streams Streams) ([]hostless.Step, error) {
	if o.operations != "" {
		text, err := manifests.ReadText(o.operations, streams.In)
		if err != nil {
			return nil, err
		}
		return []hostless.Step{{FunctionConfig: applyoperations.FromHook(text), Path: nameOfFile(o.operations)}}, nil
	}
	var steps []hostless.Step
	for _, path := range o.configs {
		config, err := readConfig(path, streams)
		if err != nil {
			return nil, err
		}
		steps = append(steps, hostless.Step{FunctionConfig: config.Root(), Path: nameOfFile(path), Source: config})
	}
	if o.rule.has() {
		steps = append(steps, hostless.Step{FunctionConfig: o.rule.functionConfig()})
	}
	if o.check {
		if err := checkSteps(steps); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

// configAmong says that a PATH which is a functionConfig needs --config; nil if none is one.
func configAmong(paths []string) error {
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		files, err := manifests.Read([]string{path}, nil)
		if err != nil {
			continue
		}
		for _, o := range manifests.Objects(files) {
			if identity := selector.Of(o.Root()); identity.IsFunctionConfig() {
				return fmt.Errorf("%s is a functionConfig of kind %s; type --config %s", path, identity.Kind, path)
			}
		}
	}
	return nil
}

// readConfig reads the one functionConfig of a file.
func readConfig(path string, streams Streams) (*object.Object, error) {
	files, err := manifests.Read([]string{path}, streams.In)
	// A pipe has nothing more to read.
	if text, _ := manifests.ReadText(path, streams.In); applyoperations.IsHook(text) {
		return nil, fmt.Errorf("%s has operations, not a functionConfig; type --operations %[1]s", path)
	}
	if err != nil {
		return nil, err
	}
	objects := manifests.Objects(files)
	if len(objects) != 1 {
		return nil, fmt.Errorf("%s must hold one functionConfig, found %d objects", path, len(objects))
	}
	return objects[0], nil
}

// readLive reads the live objects of a run, if there are flags for them.
func (o clusterOptions) readLive(objects []*object.Object, streams Streams) ([]*object.Object, error) {
	if !o.fromCluster {
		return readLive(o.live, streams)
	}
	toCluster := slices.DeleteFunc(slices.Clone(objects), hostless.IsLocal)
	live, err := o.readAll(toCluster, streams)
	if err != nil {
		return nil, err
	}
	return hostless.MarkLive(live), nil
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

// nameOfFile is how results name the file at a path.
func nameOfFile(path string) string {
	if path == manifests.Stdin {
		return "stdin"
	}
	return path
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
