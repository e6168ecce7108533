package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/author/plan"
	"github.com/krm-fields/krm-fields/internal/git"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// runPlanBase shows what the change from --base to the PATHs does on each cluster.
func runPlanBase(options planOptions, paths []string, streams Streams) error {
	dumps, passed, err := dumpsOf(options.live)
	if err != nil {
		return err
	}
	dumpPaths := lists.Map(dumps, func(d dump) string { return d.path })
	options.paths.without, options.paths.gone = dumpPaths, options.goneFrom(paths)
	files := options.clusterOptions
	files.live, files.paths.refusesRules = nil, len(options.configs) == 0
	head, err := files.inputs(paths, options.configs, streams, append(slices.Clone(dumpPaths), options.openAPI)...)
	if err != nil {
		return err
	}
	printResults(streams.Err, slices.Concat(head.skipped, passed))
	streams.meter.stop()
	options.paths.gone = nil
	base, err := options.readBase(head, streams)
	if err != nil {
		return err
	}
	schemas, err := options.schemas(streams)
	if err != nil {
		return err
	}
	changes := plan.NewChanges()
	for _, d := range dumps {
		if err := options.compare(changes, d, base, head, schemas, streams); err != nil {
			return err
		}
	}
	switch options.output {
	case "json":
		err = changes.WriteJSON(streams.Out)
	case "markdown":
		err = changes.WriteMarkdown(streams.Out)
	case "github":
		results, about := changes.Annotations()
		for _, step := range head.steps {
			if step.Source != nil {
				about = append(about, step.Source)
			}
		}
		err = explain.WriterOf("github").Write(streams.Out, resultOptions{about: about}.toWrite(results, false))
	default:
		err = changes.WriteText(streams.Out, hasColour(streams.Out))
	}
	switch {
	case err != nil:
		return err
	case !changes.IsWhole():
		return noPlanCode
	case !changes.Succeeds():
		return exitCode(1)
	}
	return nil
}

// compare adds what the change does on one cluster.
func (o planOptions) compare(changes *plan.Changes, d dump, base, head inputs, schemas *schema.Schemas, streams Streams) error {
	live, err := d.read(streams)
	if err != nil {
		return err
	}
	for _, one := range live {
		one.AddTo(streams.mask)
	}
	o.assumeNamespace(live)
	if err := checkAliases(live); err != nil {
		return err
	}
	sides := lists.Map([]inputs{base, head}, func(in inputs) plan.Options {
		in = in.copied()
		in.live = live
		world := in.world(o.clusterOptions, managedfields.ToolNamed(o.as))
		world.Base = schemas.Clone()
		isOther := func(o *object.Object) bool { return !hostless.IsDefinition(o) }
		// The definitions of the package are applied first, so they take the place of those on the
		// cluster.
		world.Definitions = slices.Concat(slices.DeleteFunc(slices.Clone(in.objects), isOther), world.Definitions)
		return plan.Options{World: world, Force: o.forceConflicts}
	})
	results, err := changes.Compare(d.name, sides[0], sides[1])
	if failed, ok := errors.AsType[*plan.FailedError](err); ok {
		printResults(streams.Err, failed.Results)
	}
	if err != nil {
		return errors.Join(lists.Map(leaves(err), func(leaf error) error { return fmt.Errorf("%s: %w", d.name, leaf) })...)
	}
	changes.AddResults(d.name, slices.DeleteFunc(results, o.isInPlan))
	return nil
}

// dump is a file or folder with the live objects of a cluster.
type dump struct{ name, path string }

// read reads the live objects. A dump with no text at all, or with a failure, is none.
func (d dump) read(streams Streams) ([]*object.Object, error) {
	read, err := manifests.ReadPackage([]string{d.path}, streams.In, manifests.Options{NeedObjects: true, Strict: true})
	if err != nil {
		return nil, err
	}
	live := manifests.Objects(read.Files)
	hasText := func(f *manifests.File) bool { return strings.TrimSpace(strings.Join(f.Lines(), "")) != "" }
	if len(live) == 0 && !slices.ContainsFunc(read.Files, hasText) {
		return nil, fmt.Errorf("%s must hold live objects, found nothing; of a cluster without any, kubectl get -o yaml prints a List without items",
			nameOfFile(d.path))
	}
	isStatus := func(o *object.Object) bool { return o.Ref().APIVersion == "v1" && o.Ref().Kind == "Status" }
	if i := slices.IndexFunc(live, isStatus); i >= 0 {
		return nil, fmt.Errorf("%s must hold live objects, found a Status of the API server: %s", nameOfFile(d.path), tree.GetString(live[i].Root(), "message"))
	}
	return live, nil
}

// dumpsOf returns the dumps that --live names: NAME=PATH, a file, or a folder with one for each
// cluster. The results say which files in folders are none.
func dumpsOf(live []string) (dumps []dump, passed []report.Result, err error) {
	for _, text := range live {
		info, err := os.Stat(text)
		name, path, isNamed := strings.Cut(text, "=")
		switch {
		case text == manifests.Stdin:
			dumps = append(dumps, dump{"stdin", text})
		case err == nil && info.IsDir():
			inFolder, others, err := dumpsIn(text)
			if err != nil {
				return nil, nil, err
			}
			dumps, passed = append(dumps, inFolder...), append(passed, others...)
		case err == nil || !isNamed || name == "":
			dumps = append(dumps, dump{withoutExtension(text), text})
		case path == "":
			return nil, nil, fmt.Errorf("--live must be PATH or NAME=PATH, found %q without a path", text)
		default:
			dumps = append(dumps, dump{name, path})
		}
	}
	for i, d := range dumps {
		other := slices.IndexFunc(dumps, func(other dump) bool { return other.name == d.name })
		if other < i {
			return nil, nil, fmt.Errorf("each cluster must have a name of its own, found %q for %s and %s; type --live NAME=%[3]s",
				d.name, dumps[other].path, d.path)
		}
	}
	return dumps, passed, nil
}

func dumpsIn(folder string) (dumps []dump, passed []report.Result, err error) {
	entries, err := os.ReadDir(folder)
	var others []string
	for _, entry := range entries {
		name := entry.Name()
		isManifest := slices.Contains(manifestExtensions, strings.TrimPrefix(filepath.Ext(name), "."))
		switch {
		case name[0] == '.':
		case isManifest || entry.IsDir():
			dumps = append(dumps, dump{withoutExtension(name), filepath.Join(folder, name)})
		default:
			others = append(others, name)
		}
	}
	if err == nil && len(dumps) == 0 {
		err = fmt.Errorf("--live %s must be a folder with a file of live objects for each cluster, found none that ends in .%s",
			folder, words.List(manifestExtensions))
	}
	if len(others) > 0 {
		passed = append(passed, report.New(report.SeverityWarning, report.ReasonSkipped,
			fmt.Sprintf("--live %s: no cluster is %s, whose name does not end in .%s", folder, words.Some(others, maxSkipped), words.List(manifestExtensions))))
	}
	return dumps, passed, err
}

func withoutExtension(path string) string {
	name := filepath.Base(path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// goneFrom are the PATHs that are not there any more, but in the revision --base.
func (o planOptions) goneFrom(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		if _, err := os.Stat(path); path == manifests.Stdin || !errors.Is(err, fs.ErrNotExist) {
			return true
		}
		repository, err := git.Find(path)
		if err != nil {
			return true
		}
		inside, isInside := repository.Inside(path)
		return !isInside || !repository.Has(o.base, inside)
	})
}

// A placing is where a file of today is in the package of --base; false if it is the same.
type placing func(file string) (there string, isMoved bool)

// readBase reads the package of --base, and the functionConfigs that it was run with: those in it,
// or in the repository, are read as they were, and one that was not there did not run.
func (o planOptions) readBase(head inputs, streams Streams) (inputs, error) {
	base := inputs{mask: head.mask, definitions: head.definitions, paths: []string{o.base}}
	same := func(path string) string { return path }
	info, err := os.Stat(o.base)
	switch {
	case err == nil && info.IsDir():
		place := func(file string) (string, bool) { return movedTo(o.base, head.paths, file) }
		return o.readPackage(base, head.steps, place, same, streams)
	case err == nil:
		return o.readPackage(base, head.steps, func(string) (string, bool) { return "", false }, same, streams)
	}
	folder, err := os.MkdirTemp("", "krm-fields-*")
	if err != nil {
		return base, err
	}
	defer os.RemoveAll(folder)
	paths, place, err := o.checkOut(folder, head.paths)
	if err != nil {
		return base, err
	}
	base.paths = paths
	return o.readPackage(base, head.steps, place, func(path string) string {
		if inside, ok := strings.CutPrefix(path, folder+string(filepath.Separator)); ok {
			return o.base + ":" + filepath.ToSlash(inside)
		}
		return path
	}, streams)
}

// movedTo is where a file that is in one of the paths is in a folder that takes their place.
func movedTo(folder string, paths []string, file string) (string, bool) {
	for _, path := range paths {
		if below, err := filepath.Rel(path, file); err == nil && filepath.IsLocal(below) {
			return filepath.Join(folder, below), true
		}
	}
	return "", false
}

// stepsAt are the functionConfigs as they were; today's are those of --config.
func (o planOptions) stepsAt(place placing, today []hostless.ConfigStep, streams Streams) (steps []hostless.ConfigStep, err error) {
	for i, config := range o.configs {
		there, isMoved := place(config)
		_, absent := os.Stat(there)
		switch {
		case !isMoved || config == manifests.Stdin:
			steps = append(steps, today[i])
		case absent == nil:
			read, err := readConfigs([]string{there}, streams)
			if err != nil {
				return nil, err
			}
			steps = append(steps, read...)
		}
	}
	return steps, nil
}

// readPackage reads the package of --base and its functionConfigs, whose files are named as name
// says.
func (o planOptions) readPackage(in inputs, today []hostless.ConfigStep, place placing, name func(string) string, streams Streams) (inputs, error) {
	for _, path := range slices.Clone(o.paths.without) {
		if there, isMoved := place(path); isMoved {
			o.paths.without = append(slices.Clip(o.paths.without), there)
		}
	}
	var err error
	if in.steps, err = o.stepsAt(place, today, streams); err == nil && len(in.paths) > 0 {
		in.files, _, err = o.paths.read(in.paths, manifests.Options{}, streams)
		streams.meter.stop()
	}
	if faults, ok := errors.AsType[manifests.Errors](err); ok {
		for _, fault := range faults {
			fault.Path = name(fault.Path)
		}
	}
	if err != nil {
		return in, err
	}
	in.objects = manifests.Objects(in.files)
	for _, one := range in.objects {
		file := one.File()
		file.Path = name(file.Path)
		one.SetFile(file, one.PathInPackage())
	}
	if o.works {
		if err := in.unpack(streams); err != nil {
			return in, err
		}
	}
	for _, one := range in.objects {
		one.AddTo(streams.mask)
	}
	in.steps = lists.Map(in.steps, func(step hostless.ConfigStep) hostless.ConfigStep {
		step.Path = name(step.Path)
		return step
	})
	o.assumeNamespace(in.objects)
	return in, checkAliases(in.objects)
}

const wantBase = "--base must be a folder, a file, or a revision of the Git repository that PATH is in"

// checkOut writes the PATHs and functionConfigs of the revision --base into a folder, and returns
// where they are there.
func (o planOptions) checkOut(folder string, paths []string) (basePaths []string, place placing, err error) {
	refused := func(why string) error {
		return fmt.Errorf("%s, found %q: %s", wantBase, o.base, why)
	}
	if slices.Contains(paths, manifests.Stdin) {
		return nil, nil, refused("there is no such file, and stdin is in no repository")
	}
	repository, err := git.Find(paths[0])
	if err != nil {
		return nil, nil, refused("there is no such file, and " + err.Error())
	}
	commit, err := repository.Commit(o.base)
	if err != nil {
		return nil, nil, refused("there is no such file, and no such commit; a shallow clone, as of actions/checkout, has others with fetch-depth: 0")
	}
	place = func(path string) (string, bool) {
		below, ok := repository.Inside(path)
		return filepath.Join(folder, filepath.FromSlash(below)), ok
	}
	var inside []string
	for _, path := range slices.Concat(paths, o.configs) {
		below, ok := repository.Inside(path)
		if ok {
			inside = append(inside, below)
		} else if slices.Contains(paths, path) {
			return nil, nil, refused(fmt.Sprintf("%s is outside the repository of %s", path, paths[0]))
		}
	}
	isWanted := func(name string) bool {
		isManifest := slices.Contains(manifestExtensions, strings.TrimPrefix(path.Ext(name), "."))
		return isManifest || path.Base(name) == ".krmignore" || path.Base(name) == "Kptfile"
	}
	if err := repository.Read(commit, inside, folder, isWanted); err != nil {
		return nil, nil, refused(err.Error())
	}
	for _, path := range paths {
		there, _ := place(path)
		if _, err := os.Stat(there); err == nil {
			basePaths = append(basePaths, there)
		}
	}
	return basePaths, place, nil
}
