package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// clusterOptions say where the objects of a cluster come from, and who applies to it.
type clusterOptions struct {
	live         []string
	fromCluster  bool
	context      string
	kubeconfig   string
	namespace    string
	fieldManager string
	crds         []string
	verbose      bool
}

func (o *clusterOptions) addTo(command *cobra.Command) {
	flags := command.Flags()
	addFiles(command, &o.live, "live", "", "file, folder or - with the live objects, with their managedFields: a `PATH`")
	flags.BoolVar(&o.fromCluster, "from-cluster", false, "read the live objects by kubectl get")
	flags.StringVar(&o.context, "context", "", "`NAME` of the context of kubectl (default: the current one)")
	addFile(command, &o.kubeconfig, "kubeconfig", "`FILE` with the contexts of kubectl (default: that of kubectl)")
	flags.StringVar(&o.namespace, "namespace", "", "namespace of objects that have none (default: that of kubectl)")
	flags.StringVar(&o.fieldManager, "field-manager", "", "field manager `NAME` that applies the package (default: kubectl)")
	o.addCRDs(command)
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "show the arguments of each call of kubectl")
}

func (o *clusterOptions) addCRDs(command *cobra.Command) {
	addFiles(command, &o.crds, "crds", "", "file, folder or - with CustomResourceDefinitions: a `PATH`")
}

func (o clusterOptions) check() error {
	return firstOf(fault{len(o.live) > 0 && o.fromCluster, "--live and --from-cluster must not be given together"})
}

func (o clusterOptions) hasLive() bool { return len(o.live) > 0 || o.fromCluster }

func (o clusterOptions) liveFlag() string {
	if o.fromCluster {
		return "--from-cluster"
	}
	return "--live"
}

// manager is the field manager that applies: by default that of kubectl apply --server-side.
func (o clusterOptions) manager() string { return cmp.Or(o.fieldManager, "kubectl") }

func (o clusterOptions) kubectl(streams Streams) kubectl.Kubectl {
	k := kubectl.Kubectl{Context: o.context, Kubeconfig: o.kubeconfig, Namespace: o.namespace}
	if o.verbose {
		k.Verbose = streams.Err
	}
	return k
}

// read reads the live objects of a package from --live, or else from the cluster.
func (o clusterOptions) read(k kubectl.Kubectl, objects []*object.Object, streams Streams) (kubectl.Found, error) {
	if len(o.live) > 0 {
		files, err := manifests.Read(o.live, streams.In)
		return kubectl.Found{Live: manifests.Objects(files)}, err
	}
	return k.Get(objects)
}

// inputs are what a command works on: functionConfigs, manifests, and what they are compared with.
type inputs struct {
	steps                      []hostless.Step
	paths                      []string
	files                      []*manifests.File
	objects, live, definitions []*object.Object
	// skipped says which files were passed over.
	skipped []report.Result
}

func (o clusterOptions) inputs(
	paths, configs []string, options pathOptions, streams Streams, others ...string,
) (in inputs, err error) {
	if err := o.check(); err != nil {
		return in, err
	}
	if in.paths, err = orStdin(paths, streams, slices.Concat(configs, o.live, o.crds, others)...); err != nil {
		return in, err
	}
	if in.steps, err = readConfigs(configs, streams); err != nil {
		return in, err
	}
	if in.files, in.skipped, err = options.read(in.paths, manifests.Options{}, streams.In); err != nil {
		return in, err
	}
	in.objects = manifests.Objects(in.files)
	in.live, in.definitions, err = o.sides(in.objects, streams)
	return in, err
}

// sides reads the live objects, if there are flags for them, and CustomResourceDefinitions, and
// sets the namespace of objects of both sides that have none.
func (o clusterOptions) sides(objects []*object.Object, streams Streams) (live, definitions []*object.Object, err error) {
	if o.hasLive() {
		found, err := o.read(o.kubectl(streams), slices.DeleteFunc(slices.Clone(objects), hostless.IsLocal), streams)
		faults := []error{err}
		for _, failure := range found.Failures {
			faults = append(faults, fmt.Errorf("%s: %w", report.RefOf(failure.Object.Root()), failure.Err))
		}
		if err := errors.Join(faults...); err != nil {
			return nil, nil, err
		}
		live = found.Live
	}
	o.assumeNamespace(objects, live)
	definitions, err = readDefinitions(o.crds, streams)
	return live, definitions, err
}

// assumeNamespace sets the namespace of objects that have none.
func (o clusterOptions) assumeNamespace(all ...[]*object.Object) {
	for _, object := range slices.Concat(all...) {
		if o.namespace != "" {
			object.AssumeNamespace(o.namespace)
		}
	}
}

// addDryRun adds the flag --dry-run; without a value it is client.
func addDryRun(command *cobra.Command, value *string, usage string) {
	*value = "none"
	addChoice(command, value, "dry-run", "", []string{"none", "client", "server"}, usage)
	command.Flags().Lookup("dry-run").NoOptDefVal = "client"
}

// readDefinitions reads the CustomResourceDefinitions that --crds leads to.
func readDefinitions(paths []string, streams Streams) ([]*object.Object, error) {
	files, err := manifests.Read(paths, streams.In)
	if err != nil {
		return nil, err
	}
	objects := manifests.Objects(files)
	definitions := slices.DeleteFunc(objects, func(o *object.Object) bool { return !hostless.IsDefinition(o.Root()) })
	if len(paths) > 0 && len(definitions) == 0 {
		return nil, fmt.Errorf("--crds must name a CustomResourceDefinition of apiextensions.k8s.io/v1, found none in %d objects", len(objects))
	}
	for _, o := range definitions {
		o.MarkSchema()
	}
	return definitions, nil
}
