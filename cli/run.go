package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/fn/manifests"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/process"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// runOptions are the flags of `krm-fields run`.
type runOptions struct {
	config     string
	operations string
	live       []string
	inPlace    bool
	namespace  string
}

// configPath is the file that says what to do.
func (o runOptions) configPath() string {
	if o.operations != "" {
		return o.operations
	}
	return o.config
}

func newRun(streams Streams) *cobra.Command {
	var options runOptions
	command := &cobra.Command{
		Use:   "run {--config FILE | --operations FILE} PATH...",
		Short: "Run a functionConfig over manifests without a host",
		Long: `run reads manifests from files, folders (all .yaml, .yml and .json files in them)
or stdin ("-"), carries out a functionConfig on them and writes the resulting
manifests to stdout, or with --in-place back to the files that changed. Results
go to stderr. On an error nothing is written and the exit code is 1.

In place of a functionConfig, --operations takes the file that a hook of
shell-operator wrote: a stream of JSON or YAML documents, each one operation of
the kind ApplyOperations.

Left out of what goes to stdout are objects that are not for a cluster: a
Kptfile, a Kustomization and functionConfigs of krm-fields.`,
		Example: `  krm-fields run --config ignore-fields.yaml package/ | kubectl apply --server-side -f -
  krm-fields run --config ignore-fields.yaml --in-place package/
  krm-fields run --operations hook-output.json --in-place package/
  kubectl get -o yaml deployments | krm-fields run --config ignore-fields.yaml --live - package/`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, paths []string) error { return run(options, paths, streams) },
	}
	flags := command.Flags()
	flags.StringVarP(&options.config, "config", "c", "", "file of the functionConfig, or -")
	flags.StringVar(&options.operations, "operations", "", "file of operations, as a hook of shell-operator writes it, or -")
	flags.StringArrayVar(&options.live, "live", nil, "file, folder or - with the live objects, e.g. from kubectl get -o yaml; may be given several times")
	flags.BoolVarP(&options.inPlace, "in-place", "i", false, "write the manifests back to the files that changed")
	addNamespace(flags, &options.namespace)
	command.MarkFlagsOneRequired("config", "operations")
	command.MarkFlagsMutuallyExclusive("config", "operations")
	command.MarkFlagsMutuallyExclusive("live", "operations")
	return command
}

func run(options runOptions, paths []string, streams Streams) error {
	if err := stdinOnce(slices.Concat([]string{options.configPath()}, paths, options.live)); err != nil {
		return err
	}
	functionConfig, err := readConfig(options, streams)
	if err != nil {
		return err
	}
	if options.inPlace && slices.Contains(paths, manifests.Stdin) {
		return fmt.Errorf("--in-place must have files or folders to write back to, found %q", manifests.Stdin)
	}
	if options.inPlace && len(options.live) > 0 {
		return errors.New("--in-place and --live must not be given together: what comes out is to be applied, not to be kept")
	}
	files, err := manifests.Read(paths, streams.In)
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
	out, results := process.Items(functionConfig, slices.Concat(objects, live))
	stop()
	nameFile(results, functionConfig, options.configPath())
	if process.HasError(results) {
		printResults(streams.Err, withoutInfos(results))
		return exitCode(1)
	}
	printResults(streams.Err, results)
	out = slices.DeleteFunc(out, (*object.Object).IsLive)
	if options.inPlace {
		return update(files, out, paths[0], streams)
	}
	return manifests.WriteStream(streams.Out, slices.DeleteFunc(out, isLocal))
}

// stdinOnce checks that stdin, which can be read once, is named at most once.
func stdinOnce(paths []string) error {
	first := slices.Index(paths, manifests.Stdin)
	if first >= 0 && slices.Contains(paths[first+1:], manifests.Stdin) {
		return fmt.Errorf("%q, which is stdin, must be given at most once", manifests.Stdin)
	}
	return nil
}

// readConfig reads the functionConfig, or makes one of the file of operations.
func readConfig(options runOptions, streams Streams) (*yaml.Node, error) {
	if options.operations != "" {
		text, err := manifests.ReadText(options.operations, streams.In)
		if err != nil {
			return nil, err
		}
		return applyoperations.FromHook(text), nil
	}
	files, err := manifests.Read([]string{options.config}, streams.In)
	if err != nil {
		return nil, err
	}
	objects := manifests.Objects(files)
	if len(objects) != 1 {
		return nil, fmt.Errorf("%s must hold one functionConfig, found %d objects", options.config, len(objects))
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
	ref := report.RefOf(o.Root())
	group, _, _ := strings.Cut(ref.APIVersion, "/")
	local := ref.Kind == "Kptfile" && group == "kpt.dev" || group == "kustomize.config.k8s.io" || process.IsFunctionConfig(o.Root())
	_ = o.Settle() // the data of all objects at once would take much memory; an error is that of writing the object, too
	return local
}

// update writes the changed files and says which.
func update(files []*manifests.File, out []*object.Object, path string, streams Streams) error {
	dir := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		dir = filepath.Dir(path)
	}
	written, err := manifests.Update(files, out, dir)
	for _, path := range written {
		verb := "wrote"
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			verb = "removed"
		}
		fmt.Fprintf(streams.Err, "%s %s\n", verb, path)
	}
	return err
}
