package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/fn/manifestwork"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// pathOptions are the flags for the files that PATHs lead to.
type pathOptions struct {
	exclude      []string
	skipInvalid  bool
	refusesRules bool // a PATH to a file of functionConfigs is an error
	// without are files that are not read in folders, and gone are PATHs that need not be there.
	without, gone []string
}

func (o *pathOptions) addTo(command *cobra.Command) {
	flags := command.Flags()
	flags.StringArrayVar(&o.exclude, "exclude", nil,
		"leave out the files that match a `PATTERN` in gitignore syntax, relative to each PATH; may be given several times")
	flags.BoolVar(&o.skipInvalid, "skip-invalid", false,
		"skip files that are not YAML or JSON, documents with a duplicate key, kinds without an apiVersion, and list items that are no objects")
	command.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return manifestExtensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

func (o pathOptions) find(paths []string, options manifests.Options) (*manifests.Found, error) {
	options.NeedObjects, options.Exclude, options.SkipInvalid, options.Without = true, o.exclude, o.skipInvalid, o.without
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return slices.Contains(o.gone, path) })
	found, err := manifests.Find(paths, options)
	if pattern, ok := errors.AsType[*manifests.PatternError](err); ok {
		return nil, fmt.Errorf("--exclude: %w", pattern)
	}
	return found, withAdvice(err, paths)
}

// read reads the manifests that paths lead to. The results say which files were passed over.
func (o pathOptions) read(paths []string, options manifests.Options, streams Streams) ([]*manifests.File, []report.Result, error) {
	m := streams.meter
	options.OnRead = func() { m.files.Add(1) }
	found, err := o.find(paths, options)
	if err != nil {
		return nil, nil, err
	}
	m.show(streams.Err, found.Count())
	read, err := found.Read(io.TeeReader(streams.In, m))
	m.objects.Store(int64(len(manifests.Objects(read.Files))))
	if err == nil && o.refusesRules {
		err = configIn(slices.DeleteFunc(slices.Clone(read.Files), func(f *manifests.File) bool {
			isManifest := func(o *object.Object) bool { return !isFunctionConfig(o) }
			return !slices.Contains(paths, f.Path) || slices.ContainsFunc(manifests.Objects([]*manifests.File{f}), isManifest)
		}))
	}
	return read.Files, append(unmatched(found), passedOver(read.Skipped)...), withAdvice(err, paths)
}

// unmatched warns of patterns of --exclude that match no file.
func unmatched(found *manifests.Found) []report.Result {
	return lists.Map(found.Unmatched, func(pattern string) report.Result {
		message := fmt.Sprintf("--exclude %q matches no file", pattern)
		if field, value, ok := strings.Cut(pattern, "="); ok {
			message += fmt.Sprintf("; it excludes files by their names; objects are excluded by --exclude-%s %s, "+
				"or by exclude: [{%[1]s: %[2]s}] of a functionConfig",
				strings.ToLower(field), value)
		}
		return report.New(report.SeverityWarning, report.ReasonNoMatch, message)
	})
}

// withAdvice adds to errors of files that were found in folders how to leave files out.
func withAdvice(err error, paths []string) error {
	isInFolder := func(e *manifests.Error) bool { return !slices.Contains(paths, e.Path) && e.Path != "stdin" }
	if faults, ok := errors.AsType[manifests.Errors](err); ok && slices.ContainsFunc(faults, isInFolder) {
		return errors.Join(err, errors.New(
			"--exclude PATTERN or a .krmignore leaves out files that are not manifests, --skip-invalid skips them"))
	}
	return err
}

const maxSkipped = 20

// passedOver says how many files, and parts of files, were passed over, and which.
func passedOver(skipped manifests.Errors) []report.Result {
	names := map[bool][]string{}
	for _, fault := range skipped {
		name := fault.Path
		if fault.IsPart {
			name = fmt.Sprintf("%s:%d", fault.Path, fault.Line)
		}
		names[fault.IsPart] = append(names[fault.IsPart], name)
	}
	var results []report.Result
	for _, of := range []struct {
		isPart       bool
		one, several string
	}{
		{false, "1 file is not a manifest and was skipped", "%d files are not manifests and were skipped"},
		{true, "1 document or item of a list is not a valid object and was skipped", "%d documents or items of lists are not valid objects and were skipped"},
	} {
		all := names[of.isPart]
		if len(all) == 0 {
			continue
		}
		message := of.one
		if len(all) > 1 {
			message = fmt.Sprintf(of.several, len(all))
		}
		results = append(results, report.New(report.SeverityInfo, report.ReasonSkipped, message+": "+words.Some(all, maxSkipped)))
	}
	return results
}

var errNoInput = errors.New("there must be a PATH, or something on stdin, found neither; for the current folder, type \".\"")

// orStdin returns the paths, or stdin where there are none and something may be read there.
func orStdin(paths []string, streams Streams, others ...string) ([]string, error) {
	if len(paths) == 0 {
		if !isReadable(streams.In) {
			return nil, errNoInput
		}
		paths = []string{manifests.Stdin}
	}
	return paths, stdinOnce(paths, others)
}

// isReadable tells whether something may be read from stdin.
func isReadable(stdin *os.File) bool {
	info, err := stdin.Stat()
	return !isTerminal(stdin) && (err != nil || !manifests.IsNull(info))
}

// stdinOnce checks that stdin, which can be read once, is named at most once.
func stdinOnce(inputs ...[]string) error {
	all := slices.Concat(inputs...)
	first := slices.Index(all, manifests.Stdin)
	if first >= 0 && slices.Contains(all[first+1:], manifests.Stdin) {
		return fmt.Errorf("%q, which is stdin, must be given at most once", manifests.Stdin)
	}
	return nil
}

// nameOfFile is how results name the file at a path.
func nameOfFile(path string) string {
	if path == manifests.Stdin {
		return "stdin"
	}
	return path
}

// configAmong says that a functionConfig in the PATHs needs --config; nil if there is none.
func configAmong(paths []string) error {
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == manifests.Stdin })
	read, _ := manifests.ReadPackage(paths, nil, manifests.Options{SkipInvalid: true}) // a file with faults is not one
	return configIn(read.Files)
}

func configIn(files []*manifests.File) error {
	for _, file := range files {
		objects := manifests.Objects([]*manifests.File{file})
		config := slices.IndexFunc(objects, isFunctionConfig)
		switch {
		case config < 0:
		case len(objects) > 1:
			return fmt.Errorf("%s holds a functionConfig among %d objects; move %s into a file of its own and type --config FILE",
				file.Path, len(objects), report.RefOf(objects[config].Root()))
		default:
			return fmt.Errorf("%s is a functionConfig of kind %s; type --config %[1]s", file.Path, selector.Of(objects[0].Root()).Kind)
		}
	}
	return nil
}

func isFunctionConfig(o *object.Object) bool { return selector.Of(o.Root()).IsFunctionConfig() }

func readConfigs(paths []string, streams Streams) ([]hostless.ConfigStep, error) {
	var steps []hostless.ConfigStep
	for _, path := range paths {
		files, err := manifests.Read([]string{path}, streams.In)
		objects := manifests.Objects(files)
		if err != nil || len(objects) != 1 || !isFunctionConfig(objects[0]) {
			if text, _ := manifests.ReadText(path, streams.In); applyoperations.IsHook(text) { // a pipe has nothing more to read
				return nil, fmt.Errorf("%s has operations, not a functionConfig; type --operations %[1]s", path)
			}
		}
		if err != nil {
			return nil, err
		}
		if len(objects) != 1 {
			return nil, cmp.Or(configAmong([]string{path}), fmt.Errorf("%s must hold one functionConfig, found %d objects", path, len(objects)))
		}
		steps = append(steps, hostless.ConfigStep{FunctionConfig: objects[0].Root(), Path: nameOfFile(path), Source: objects[0]})
	}
	return steps, nil
}

// named returns the objects with the name of --object; all without one.
func named(text string, objects []*object.Object) (explain.Name, []*object.Object, error) {
	name, ok := explain.ParseName(text)
	if text == "" {
		return name, objects, nil
	}
	if !ok {
		return name, nil, fmt.Errorf("--object must be "+objectForms+", found %q", text)
	}
	var known []string
	var chosen []*object.Object
	near := ""
	for _, o := range objects {
		ref := report.RefOf(o.Root())
		if known = append(known, report.Ref{Kind: ref.Kind, Name: ref.Name}.Slashed()); name.Names(ref) {
			chosen = append(chosen, o)
		}
		if near == "" && ref.Name == text { // the name alone
			near = ref.Slashed()
		}
	}
	if chosen != nil {
		return name, chosen, nil
	}
	if near == "" {
		near, _ = words.Nearest(text, known)
	}
	hint := ""
	if near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return name, nil, fmt.Errorf("--object must name one of the %d objects, found %q%s", len(objects), text, hint)
}

// Manifests of more bytes than chunkedFrom are read, run and written in chunks of about chunkSize,
// if the functionConfigs and the flags allow it.
var (
	chunkedFrom int64 = 16 << 20
	chunkSize   int64 = 4 << 20
)

// errNotInChunks says that a run needs all objects at once after all.
var errNotInChunks = errors.New("not in chunks")

// input is stdin as a stream that can be read again.
type input struct {
	io.ReadSeeker
	start, size int64
	close       func()
}

// rereadable returns stdin, if it is used, as an input: through a temporary file where it is a pipe
// with too much for a run on all objects at once.
func rereadable(stdin *os.File, isUsed bool, m *meter) (input, error) {
	nothing := input{ReadSeeker: bytes.NewReader(nil), close: func() {}}
	if !isUsed {
		return nothing, nil
	}
	if info, err := stdin.Stat(); err == nil && info.Mode().IsRegular() {
		start, err := stdin.Seek(0, io.SeekCurrent)
		return input{stdin, start, info.Size() - start, nothing.close}, err
	}
	head, err := manifests.ReadText(manifests.Stdin, io.LimitReader(stdin, chunkedFrom))
	if err != nil || int64(len(head)) < chunkedFrom {
		return input{bytes.NewReader(head), 0, int64(len(head)), nothing.close}, err
	}
	kept, err := newSpool()
	if err != nil { // there is no place for temporary files
		rest, err := manifests.ReadText(manifests.Stdin, stdin)
		return input{bytes.NewReader(slices.Concat(head, rest)), 0, 0, nothing.close}, err
	}
	size, err := io.Copy(kept, io.MultiReader(bytes.NewReader(head), io.TeeReader(stdin, m)))
	if err == nil {
		err = kept.rewind()
	}
	return input{kept.file, 0, size, kept.close}, err
}

// spool is a temporary file that is written and then read once.
type spool struct {
	*bufio.Writer
	file *os.File
	path string // "" for a file without a name
}

func newSpool() (*spool, error) {
	file, err := os.OpenFile(os.TempDir(), os.O_RDWR|unnamed, 0o600) // nothing stays behind, however the process ends
	if err == nil {
		return &spool{Writer: bufio.NewWriterSize(file, 1<<16), file: file}, nil
	}
	if file, err = os.CreateTemp("", "krm-fields-*"); err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // where an open file can't be removed, close does it
	return &spool{Writer: bufio.NewWriterSize(file, 1<<16), file: file, path: file.Name()}, nil
}

func (s *spool) rewind() error {
	if err := s.Flush(); err != nil {
		return err
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return err
}

// since returns what was written after an offset; what can't be read is left out.
func (s *spool) since(offset int64) []byte {
	_ = s.Flush() // a failed write fails the next one, too
	text, _ := io.ReadAll(io.NewSectionReader(s.file, offset, math.MaxInt64-offset))
	return text
}

// size returns how much was written.
func (s *spool) size() int64 {
	_ = s.Flush()
	info, err := s.file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

func (s *spool) close() {
	_ = s.file.Close()
	if s.path != "" {
		_ = os.Remove(s.path)
	}
}

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
