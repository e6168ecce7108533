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

// clusterOptions are the flags of the commands that look at a cluster: where its objects come from,
// and who applies to it.
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

// addTo adds the flags to a command.
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

// addCRDs adds the flag --crds.
func (o *clusterOptions) addCRDs(command *cobra.Command) {
	addFiles(command, &o.crds, "crds", "", "file, folder or - with CustomResourceDefinitions: a `PATH`")
}

// check checks flags that exclude each other.
func (o clusterOptions) check() error {
	return firstOf(fault{len(o.live) > 0 && o.fromCluster, "--live and --from-cluster must not be given together"})
}

// hasLive tells whether there are flags for live objects.
func (o clusterOptions) hasLive() bool { return len(o.live) > 0 || o.fromCluster }

// liveFlag is the flag that gives live objects.
func (o clusterOptions) liveFlag() string {
	if o.fromCluster {
		return "--from-cluster"
	}
	return "--live"
}

// inputs are the files that are read, of which one may be stdin.
func (o clusterOptions) inputs() []string { return slices.Concat(o.live, o.crds) }

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

// definitions reads CustomResourceDefinitions from --crds, and those from the cluster that the
// objects need, if that is where live objects come from.
func (o clusterOptions) definitions(k kubectl.Kubectl, objects []*object.Object, streams Streams) ([]*object.Object, error) {
	definitions, err := readDefinitions(o.crds, streams)
	if err != nil || len(o.live) > 0 {
		return definitions, err
	}
	return append(definitions, k.Definitions(objects)...), nil
}

// readAll is read where each object must be known. The error names each that is not.
func (o clusterOptions) readAll(objects []*object.Object, streams Streams) ([]*object.Object, error) {
	found, err := o.read(o.kubectl(streams), objects, streams)
	faults := []error{err}
	for _, failure := range found.Failures {
		faults = append(faults, fmt.Errorf("%s: %w", report.RefOf(failure.Object.Root()), failure.Err))
	}
	return found.Live, errors.Join(faults...)
}

// sides reads what manifests are compared with: the live objects, if there are flags for them, of
// those objects that are for a cluster, and CustomResourceDefinitions. It sets the namespace of
// objects of both sides that have none.
func (o clusterOptions) sides(objects []*object.Object, streams Streams) (live, definitions []*object.Object, err error) {
	if o.hasLive() {
		live, err = o.readAll(slices.DeleteFunc(slices.Clone(objects), hostless.IsLocal), streams)
	}
	if err != nil {
		return nil, nil, err
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
