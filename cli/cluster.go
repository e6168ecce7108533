package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/fn/manifestwork"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
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
	paths        pathOptions
	// works puts the manifests of ManifestWorks in the place of the package.
	works bool
}

func (o *clusterOptions) addTo(command *cobra.Command) {
	flags := command.Flags()
	addFiles(command, &o.live, "live", "", "file, folder or - with the live objects, with their managedFields: a `PATH`")
	flags.BoolVar(&o.fromCluster, "from-cluster", false, "read the live objects by kubectl get")
	flags.StringVar(&o.context, "context", "", "`NAME` of the context of kubectl (default: the current one)")
	addFile(command, &o.kubeconfig, "kubeconfig", "`FILE` with the contexts of kubectl (default: that of kubectl)")
	flags.StringVar(&o.namespace, "namespace", "", "namespace `NS` of objects that have none, to pair them with live ones (default: that of kubectl)")
	flags.StringVar(&o.fieldManager, "field-manager", "", "field manager `NAME` that applies the package (default: kubectl)")
	o.addCRDs(command)
	o.paths.addTo(command)
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

func (o clusterOptions) kubectl(streams Streams) kubectl.Kubectl {
	k := kubectl.Kubectl{
		Context: o.context, Kubeconfig: o.kubeconfig, Namespace: o.namespace,
		Stderr: streams.Err, Warnings: &kubectl.Warnings{}, Mask: streams.mask,
	}
	if o.verbose {
		k.Verbose = streams.Err
	}
	return k
}

// read reads the live objects of a package from --live, or else from the cluster. --exclude and
// --skip-invalid are for the package alone, since an object without its live one is sent whole.
func (o clusterOptions) read(k kubectl.Kubectl, objects []*object.Object, streams Streams) (kubectl.Found, manifests.Errors, error) {
	if len(o.live) == 0 {
		found, err := k.Get(objects)
		return found, nil, err
	}
	read, err := manifests.ReadPackage(o.live, streams.In, manifests.Options{NeedObjects: true, IsLive: true})
	return kubectl.Found{Live: manifests.Objects(read.Files)}, read.Skipped, err
}

// inputs are what a command works on: functionConfigs, manifests, and what they are compared with.
type inputs struct {
	steps         []hostless.ConfigStep
	paths         []string
	files         []*manifests.File
	objects, live []*object.Object
	// works are the objects that are manifests of works.
	works map[*object.Object]manifestwork.Manifest
	// definitions are asked of the cluster where a command needs them.
	definitions func() []*object.Object
	// found is what the cluster was asked for, with what could not be read.
	found kubectl.Found
	// skipped says which files were passed over.
	skipped []report.Result
	mask    *redact.Mask
}

func (o clusterOptions) inputs(paths, configs []string, streams Streams, others ...string) (in inputs, err error) {
	if err := o.check(); err != nil {
		return in, err
	}
	in.mask = streams.mask
	if in.paths, err = orStdin(paths, streams, slices.Concat(configs, o.live, o.crds, others)...); err != nil {
		return in, err
	}
	if in.steps, err = readConfigs(configs, streams); err != nil {
		return in, err
	}
	if in.files, in.skipped, err = o.paths.read(in.paths, manifests.Options{}, streams); err != nil {
		return in, err
	}
	if in.objects = manifests.Objects(in.files); o.works {
		if err := in.unpack(streams); err != nil {
			return in, err
		}
	}
	found, definitions, skipped, err := o.sides(o.kubectl(streams), in.objects, streams)
	if err != nil {
		return in, err
	}
	in.found, in.live, in.definitions = found, found.Live, definitions
	in.skipped = slices.Concat(swapped(in.objects, in.live), in.empty(), in.skipped, passedOver(skipped))
	return in, checkAliases(slices.Concat(in.objects, in.live))
}

// empty warns of a package without an object for a cluster, and without operations that could make
// one.
func (in inputs) empty() []report.Result {
	isForCluster := func(o *object.Object) bool { return !hostless.IsLocal(o) }
	makes := func(s hostless.ConfigStep) bool { return s.Kind().Name == applyoperations.Kind }
	if slices.ContainsFunc(in.steps, makes) || slices.ContainsFunc(in.objects, isForCluster) {
		return nil
	}
	message := "there must be objects for a cluster in the package, found none in " +
		words.All(lists.Map(in.paths, nameOfFile))
	isKustomization := func(path string) bool {
		_, err := os.Stat(filepath.Join(path, "kustomization.yaml"))
		return err == nil
	}
	if path, ok := lists.Find(in.paths, isKustomization); ok {
		message += "; give what kustomize build " + path + " prints"
	}
	return []report.Result{report.New(report.SeverityWarning, report.ReasonSkipped, message)}
}

// world is what the command answers from, with a tool that applies.
func (in inputs) world(o clusterOptions, as *managedfields.Tool) *world.World {
	w := &world.World{
		Steps: in.steps, Objects: in.objects, Live: in.live, HasLive: o.hasLive(), Definitions: in.definitions(),
		As: as, Manager: cmp.Or(o.fieldManager, as.Manager), IsManagerGiven: o.fieldManager != "", Unread: in.unread(), Mask: in.mask,
	}
	in.applyWorks(w, o.fieldManager)
	return w
}

// unread are the objects whose live ones could not be read, with why.
func (in inputs) unread() map[*object.Object]error {
	unread := map[*object.Object]error{}
	for _, failure := range in.found.Failures {
		unread[failure.Object] = failure.Err
	}
	for _, object := range in.found.WithoutDefinition() {
		unread[object] = &merge.RefusedError{Cause: errors.New("the cluster does not have the kind")}
	}
	return unread
}

// swapped warns where the package has come from a cluster and the live objects have not.
func swapped(objects, live []*object.Object) []report.Result {
	isFromServer := func(o *object.Object) bool { return tree.Get(o.Root(), "metadata", "uid") != nil }
	if len(live) == 0 || slices.ContainsFunc(live, isFromServer) || !slices.ContainsFunc(objects, isFromServer) {
		return nil
	}
	return []report.Result{report.New(report.SeverityWarning, report.ReasonLikelyMistake, "the objects of PATH have a metadata.uid, which only a server sets, "+
		"and those of --live have none: the two may be swapped")}
}

// maxAliased is how many nodes aliases may stand for in all objects of a command that compares
// their data, in which aliases are expanded.
const maxAliased = 300_000

func checkAliases(objects []*object.Object) error {
	count := 0
	for _, o := range objects {
		if bytes.IndexByte(o.Source(), '*') < 0 {
			continue
		}
		if count += tree.Aliased(o.Root()); count > maxAliased {
			return fmt.Errorf("aliases must not stand for more than %d keys, values, maps and lists in all, found more up to %s (%s)",
				maxAliased, report.RefOf(o.Root()), o.File())
		}
	}
	return nil
}

// sides reads the live objects, if there are flags for them, and sets the namespace of objects of
// both sides that have none. The definitions are those of --crds, then of the cluster; skipped
// are files of --live.
func (o clusterOptions) sides(
	k kubectl.Kubectl, objects []*object.Object, streams Streams,
) (found kubectl.Found, definitions func() []*object.Object, skipped manifests.Errors, err error) {
	for _, o := range objects {
		o.AddTo(streams.mask)
	}
	if o.hasLive() {
		toCluster := slices.DeleteFunc(slices.Clone(objects), hostless.IsLocal)
		if found, skipped, err = o.read(k, toCluster, streams); err != nil {
			return found, nil, nil, err
		}
		found.Objects = toCluster
	}
	for _, o := range found.Live {
		o.AddTo(streams.mask)
	}
	given, err := readDefinitions(o.crds, streams)
	o.assumeNamespace(objects, found.Live)
	return found, func() []*object.Object {
		if !found.IsAsked {
			return given
		}
		return append(given, k.Definitions(found.Objects)...)
	}, skipped, err
}

// assumeNamespace sets the namespace of objects that have none.
func (o clusterOptions) assumeNamespace(all ...[]*object.Object) {
	for _, object := range slices.Concat(all...) {
		if o.namespace != "" {
			object.AssumedNamespace = o.namespace
		}
	}
}

// dryRunOfSending is the usage of --dry-run of commands that send objects to a cluster.
const dryRunOfSending = "`MODE` client, also without a value, sends nothing; server lets the API server check everything and store nothing"

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
	definitions := slices.DeleteFunc(objects, func(o *object.Object) bool { return !hostless.IsDefinition(o) })
	if len(paths) > 0 && len(definitions) == 0 {
		return nil, fmt.Errorf("--crds must name a CustomResourceDefinition of apiextensions.k8s.io/v1, found none in %d objects", len(objects))
	}
	for _, o := range definitions {
		o.IsSchema = true
	}
	return definitions, nil
}
