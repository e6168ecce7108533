package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/fn/manifests"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/process"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
	"github.com/krm-fields/krm-fields/internal/printable"
)

// runOptions are the flags of `krm-fields run`.
type runOptions struct {
	configs    []string
	operations string
	live       []string
	inPlace    bool
	namespace  string
	paths      pathOptions
}

// step is a functionConfig, and the file that it was read from.
type step struct {
	functionConfig *yaml.Node
	path           string
}

func newRun(streams Streams) *cobra.Command {
	var options runOptions
	command := &cobra.Command{
		Use:   "run {--config FILE... | --operations FILE} [PATH...]",
		Short: "Run a functionConfig over manifests without a host",
		Long: `run reads manifests, carries out functionConfigs on them, in order, and writes the
resulting manifests to stdout, or with --in-place back to the files that changed.
Results go to stderr. On an error nothing is written.

` + pathHelp + `

In place of a functionConfig, --operations takes the file that a hook of
shell-operator wrote: a stream of JSON or YAML documents, each one operation of
the kind ApplyOperations.

Left out of what goes to stdout are objects that are not for a cluster: those
with the annotation config.kubernetes.io/local-config: "true", kinds of kpt.dev
and kustomize.config.k8s.io, and functionConfigs of krm-fields.

Exit codes: 0; 1 on an error; 130 or 143 where a signal ended it. Unless it is 0,
nothing was written.`,
		Example: `  krm-fields run --config ignore-fields.yaml package/ | kubectl apply --server-side -f -
  krm-fields run --config ignore-fields.yaml --in-place package/
  krm-fields run --operations hook-output.json --in-place package/
  kubectl get -o yaml deployments | krm-fields run --config ignore-fields.yaml --live - package/`,
		RunE: func(_ *cobra.Command, paths []string) error { return run(options, paths, streams) },
	}
	flags := command.Flags()
	flags.StringArrayVarP(&options.configs, "config", "c", nil, "file of a functionConfig, or -; may be given several times")
	flags.StringVar(&options.operations, "operations", "", "file of operations, as a hook of shell-operator writes it, or -")
	flags.StringArrayVar(&options.live, "live", nil, "file, folder or - with the live objects, e.g. from kubectl get -o yaml; may be given several times")
	flags.BoolVarP(&options.inPlace, "in-place", "i", false, "write the manifests back to the files that changed")
	addNamespace(flags, &options.namespace)
	options.paths.addTo(command)
	return command
}

// check checks flags that need each other, or go badly together.
func (o runOptions) check(paths []string) error {
	switch {
	case len(o.configs) == 0 && o.operations == "":
		return errors.New("there must be a functionConfig or operations, found neither; type --config FILE or --operations FILE")
	case len(o.configs) > 0 && o.operations != "":
		return errors.New("--config and --operations must not be given together")
	case len(o.live) > 0 && o.operations != "":
		return errors.New("--live and --operations must not be given together: operations know no live objects")
	case o.inPlace && slices.Contains(paths, manifests.Stdin):
		return fmt.Errorf("--in-place must have files or folders to write back to, found %q", manifests.Stdin)
	case o.inPlace && len(o.live) > 0:
		return errors.New("--in-place and --live must not be given together: what comes out is to be applied, not to be kept")
	}
	return stdinOnce(slices.Concat(o.configs, []string{o.operations}, paths, o.live))
}

func run(options runOptions, paths []string, streams Streams) error {
	paths, err := orStdin(paths, streams)
	if err != nil {
		return err
	}
	if err := options.check(paths); err != nil {
		return err
	}
	steps, err := options.steps(streams)
	if err != nil {
		return err
	}
	files, results, err := options.paths.read(paths, true, streams.In)
	if err != nil {
		return err
	}
	live, err := readLive(options.live, streams)
	if err != nil {
		return err
	}
	objects := manifests.Objects(files)
	assumeNamespace(options.namespace, objects, live)
	stop := showProgress(streams.Err, len(objects))
	out, more := carryOut(steps, objects, live)
	stop()
	results = append(results, more...)
	if process.HasError(results) {
		printResults(streams.Err, withoutInfos(results))
		return exitCode(1)
	}
	if options.inPlace {
		return update(files, out, folderOf(paths[0]), results, streams)
	}
	printResults(streams.Err, results)
	return manifests.WriteStream(streams.Out, slices.DeleteFunc(out, isLocal))
}

// carryOut carries out functionConfigs, each on what comes out of the one before
// it, as one run: the first that fails ends it.
func carryOut(steps []step, objects, live []*object.Object) ([]*object.Object, []report.Result) {
	var all []report.Result
	for _, s := range steps {
		out, results := process.Items(s.functionConfig, slices.Concat(objects, live))
		nameFile(results, s.functionConfig, s.path)
		all = append(all, results...)
		if process.HasError(results) {
			return nil, all
		}
		objects = slices.DeleteFunc(out, (*object.Object).IsLive)
	}
	return objects, all
}

// stdinOnce checks that stdin, which can be read once, is named at most once.
func stdinOnce(paths []string) error {
	first := slices.Index(paths, manifests.Stdin)
	if first >= 0 && slices.Contains(paths[first+1:], manifests.Stdin) {
		return fmt.Errorf("%q, which is stdin, must be given at most once", manifests.Stdin)
	}
	return nil
}

// steps are what the run is to do.
func (o runOptions) steps(streams Streams) ([]step, error) {
	if o.operations != "" {
		text, err := manifests.ReadText(o.operations, streams.In)
		if err != nil {
			return nil, err
		}
		return []step{{applyoperations.FromHook(text), o.operations}}, nil
	}
	var steps []step
	for _, path := range o.configs {
		functionConfig, err := readConfig(path, streams)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step{functionConfig, path})
	}
	return steps, nil
}

// readConfig reads the one functionConfig of a file.
func readConfig(path string, streams Streams) (*yaml.Node, error) {
	files, err := manifests.Read([]string{path}, streams.In)
	if err != nil {
		return nil, err
	}
	objects := manifests.Objects(files)
	if len(objects) != 1 {
		return nil, fmt.Errorf("%s must hold one functionConfig, found %d objects", path, len(objects))
	}
	return objects[0].Root(), nil
}

func readLive(paths []string, streams Streams) ([]*object.Object, error) {
	files, err := manifests.Read(paths, streams.In)
	if err != nil {
		return nil, err
	}
	objects := manifests.Objects(files)
	if len(paths) > 0 && len(objects) == 0 {
		objects = []*object.Object{nothingLive()}
	}
	for _, o := range objects {
		o.MarkLive()
	}
	return objects, nil
}

// addNamespace adds the flag --namespace.
func addNamespace(flags *pflag.FlagSet, namespace *string) {
	flags.StringVar(namespace, "namespace", "", "namespace that objects without one count as in, when they are paired with live objects")
}

// assumeNamespace says which namespace objects without one count as in.
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

// withoutInfos leaves out what a run that failed would have done.
func withoutInfos(results []report.Result) []report.Result {
	return slices.DeleteFunc(slices.Clone(results), func(r report.Result) bool { return r.Severity == report.Info })
}

// nothingLive stands for a cluster that has none of the objects, since a run
// without any live object is one that knows of no cluster.
func nothingLive() *object.Object {
	return object.NewDocument(tree.FromValue(map[string]any{"apiVersion": "v1", "kind": "List"}))
}

// nameFile gives the results about the functionConfig the file that it was read
// from.
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

// isLocal tells whether an object is for the tools that work on a package and
// not for a cluster.
func isLocal(o *object.Object) bool {
	identity := match.Of(o.Root())
	local := identity.IsLocal() || identity.IsFunctionConfig()
	_ = o.Settle() // the data of all objects at once would take much memory; an error is that of writing the object, too
	return local
}

// update writes the changed files and says which.
func update(files []*manifests.File, out []*object.Object, dir string, results []report.Result, streams Streams) error {
	changes, err := manifests.Update(files, out, dir)
	if err != nil {
		printResults(streams.Err, withoutInfos(results))
		return err
	}
	printResults(streams.Err, results)
	for _, change := range changes {
		verb := "wrote"
		if change.Removed {
			verb = "removed"
		}
		fmt.Fprintln(streams.Err, printable.Line(verb+" "+change.Path))
	}
	return nil
}

// folderOf is the folder for new files: the one at a path, or that of the file.
func folderOf(path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return filepath.Dir(path)
	}
	return path
}
