package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	flags.StringArrayVar(&o.live, "live", nil,
		"file, folder or - with the live objects, with their managedFields: a `PATH`; may be given several times")
	flags.BoolVar(&o.fromCluster, "from-cluster", false, "read the live objects by kubectl get")
	flags.StringVar(&o.context, "context", "", "`NAME` of the context of kubectl (default: the current one)")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "`FILE` with the contexts of kubectl (default: that of kubectl)")
	flags.StringVar(&o.namespace, "namespace", "", "namespace of objects that have none (default: that of kubectl)")
	flags.StringVar(&o.fieldManager, "field-manager", "", "field manager `NAME` that applies the package (default: kubectl)")
	addCRDs(flags, &o.crds)
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "show the arguments of each call of kubectl")
	completeFiles(command, "live", "kubeconfig", "crds")
}

// check checks flags that exclude each other.
func (o clusterOptions) check() error {
	if len(o.live) > 0 && o.fromCluster {
		return errors.New("--live and --from-cluster must not be given together")
	}
	return nil
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

// manager is the field manager that applies.
func (o clusterOptions) manager() string {
	if o.fieldManager == "" {
		return defaultManager
	}
	return o.fieldManager
}

// defaultManager is the field manager of kubectl apply --server-side.
const defaultManager = "kubectl"

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

// addDryRun adds the flag --dry-run; without a value it is client.
func addDryRun(command *cobra.Command, value *string, usage string) {
	command.Flags().StringVar(value, "dry-run", "none", usage)
	command.Flags().Lookup("dry-run").NoOptDefVal = "client"
	completeValues(command, "dry-run", dryRuns)
}

// dryRuns are the values of --dry-run.
var dryRuns = []string{"none", "client", "server"}

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
	definitions := slices.DeleteFunc(objects, func(o *object.Object) bool { return !hostless.IsDefinition(o.Root()) })
	if len(paths) > 0 && len(definitions) == 0 {
		return nil, fmt.Errorf("--crds must name a CustomResourceDefinition of apiextensions.k8s.io/v1, found none in %d objects", len(objects))
	}
	for _, o := range definitions {
		o.MarkSchema()
	}
	return definitions, nil
}
