package cli

import (
	"errors"
	"fmt"
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
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// runPlanBase shows what the change from --base to the PATHs does on each cluster.
func runPlanBase(options planOptions, paths []string, streams Streams) error {
	dumps, err := dumpsOf(options.live)
	if err != nil {
		return err
	}
	files := options.clusterOptions
	files.live, files.paths.refusesRules = nil, len(options.configs) == 0
	dumpPaths := words.Of(dumps, func(d dump) string { return d.path })
	head, err := files.inputs(paths, options.configs, streams, append(dumpPaths, options.openAPI)...)
	if err != nil {
		return err
	}
	printResults(streams.Err, head.skipped)
	streams.meter.stop()
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
	read, err := manifests.ReadPackage([]string{d.path}, streams.In, manifests.Options{NeedObjects: true, IsLive: true})
	if err != nil {
		return err
	}
	live := manifests.Objects(read.Files)
	for _, one := range live {
		one.AddTo(streams.mask)
	}
	o.assumeNamespace(live)
	if err := checkAliases(live); err != nil {
		return err
	}
	sides := words.Of([]inputs{base, head}, func(in inputs) plan.Options {
		in = in.copied()
		in.live = live
		world := in.world(o.clusterOptions, managedfields.ToolNamed(o.as))
		world.Base = schemas.Clone()
		isOther := func(o *object.Object) bool { return !hostless.IsDefinition(o) }
		// The definitions of the package are applied first, so they take the place of those on the cluster.
		world.Definitions = slices.Concat(slices.DeleteFunc(slices.Clone(in.objects), isOther), world.Definitions)
		return plan.Options{World: world, Force: o.forceConflicts}
	})
	results, err := changes.Compare(d.name, sides[0], sides[1])
	if failed, ok := errors.AsType[*plan.FailedError](err); ok {
		printResults(streams.Err, failed.Results)
	}
	if err != nil {
		return errors.Join(words.Of(leaves(err), func(leaf error) error { return fmt.Errorf("%s: %w", d.name, leaf) })...)
	}
	changes.AddResults(d.name, slices.DeleteFunc(results, o.isInPlan))
	return nil
}

// dump is a file or folder with the live objects of a cluster.
type dump struct{ name, path string }

// dumpsOf returns the dumps that --live names: NAME=PATH, a file, or a folder with one for each
// cluster.
func dumpsOf(live []string) (dumps []dump, err error) {
	for _, text := range live {
		info, err := os.Stat(text)
		name, path, isNamed := strings.Cut(text, "=")
		switch {
		case text == manifests.Stdin:
			dumps = append(dumps, dump{"stdin", text})
		case err == nil && info.IsDir():
			inFolder, err := dumpsIn(text)
			if err != nil {
				return nil, err
			}
			dumps = append(dumps, inFolder...)
		case err == nil || !isNamed || name == "":
			dumps = append(dumps, dump{withoutExtension(text), text})
		default:
			dumps = append(dumps, dump{name, path})
		}
	}
	for i, d := range dumps {
		other := slices.IndexFunc(dumps, func(other dump) bool { return other.name == d.name })
		if other < i {
			return nil, fmt.Errorf("each cluster must have a name of its own, found %q for %s and %s; type --live NAME=%[3]s",
				d.name, dumps[other].path, d.path)
		}
	}
	return dumps, nil
}

func dumpsIn(folder string) (dumps []dump, err error) {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		isManifest := slices.Contains(manifestExtensions, strings.TrimPrefix(filepath.Ext(entry.Name()), "."))
		if name := entry.Name(); (isManifest || entry.IsDir()) && name[0] != '.' {
			dumps = append(dumps, dump{withoutExtension(name), filepath.Join(folder, name)})
		}
	}
	if err == nil && len(dumps) == 0 {
		err = fmt.Errorf("--live %s must be a folder with a file of live objects for each cluster, found none that ends in .%s",
			folder, words.List(manifestExtensions))
	}
	return dumps, err
}

func withoutExtension(path string) string {
	name := filepath.Base(path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// readBase reads the package of --base, and the functionConfigs that it was run with: those in it,
// or in the repository, are read as they were, and one that was not there did not run.
func (o planOptions) readBase(head inputs, streams Streams) (inputs, error) {
	base := inputs{mask: head.mask, definitions: head.definitions, paths: []string{o.base}}
	configs := o.configs
	options := o.paths
	if info, err := os.Stat(o.base); err == nil {
		if info.IsDir() {
			configs = movedConfigs(configs, head.paths, o.base)
		}
		return o.readPackage(base, options, configs, func(path string) string { return path }, streams)
	}
	folder, err := os.MkdirTemp("", "krm-fields-*")
	if err != nil {
		return base, err
	}
	defer os.RemoveAll(folder)
	if base.paths, configs, err = o.checkOut(folder, head.paths); err != nil {
		return base, err
	}
	name := func(path string) string {
		if inside, ok := strings.CutPrefix(path, folder+string(filepath.Separator)); ok {
			return o.base + ":" + filepath.ToSlash(inside)
		}
		return path
	}
	return o.readPackage(base, options, configs, name, streams)
}

// movedConfigs are the functionConfigs of the package in a folder that takes the place of PATHs.
func movedConfigs(configs, paths []string, folder string) (moved []string) {
	for _, config := range configs {
		inside, isInside := "", false
		for _, path := range paths {
			if below, err := filepath.Rel(path, config); err == nil && filepath.IsLocal(below) && !isInside {
				inside, isInside = filepath.Join(folder, below), true
			}
		}
		switch _, err := os.Stat(inside); {
		case !isInside:
			moved = append(moved, config)
		case err == nil:
			moved = append(moved, inside)
		}
	}
	return moved
}

// readPackage reads a package and its functionConfigs, whose files are named as name says.
func (o planOptions) readPackage(in inputs, options pathOptions, configs []string, name func(string) string, streams Streams) (inputs, error) {
	var err error
	if in.steps, err = readConfigs(configs, streams); err == nil && len(in.paths) > 0 {
		in.files, _, err = options.read(in.paths, manifests.Options{}, streams)
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
	for _, object := range in.objects {
		file := object.File()
		file.Path = name(file.Path)
		object.SetFile(file, object.PathInPackage())
	}
	if o.works {
		if err := in.unpack(streams); err != nil {
			return in, err
		}
	}
	for _, object := range in.objects {
		object.AddTo(streams.mask)
	}
	in.steps = words.Of(in.steps, func(step hostless.Step) hostless.Step {
		step.Path = name(step.Path)
		return step
	})
	o.assumeNamespace(in.objects)
	return in, checkAliases(in.objects)
}

// checkOut writes the PATHs and functionConfigs of the revision --base into a folder, and returns
// where they are there. A functionConfig that is not in the repository is the same as today.
func (o planOptions) checkOut(folder string, paths []string) (basePaths, configs []string, err error) {
	refused := func(why string) error {
		return fmt.Errorf("--base must be a folder, a file, or a revision of the Git repository that PATH is in, found %q: %s", o.base, why)
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
	var inside []string
	at := func(path string) (string, bool) {
		below, ok := repository.Inside(path)
		if ok {
			inside = append(inside, below)
		}
		return filepath.Join(folder, filepath.FromSlash(below)), ok
	}
	for _, path := range paths {
		there, ok := at(path)
		if !ok {
			return nil, nil, refused(fmt.Sprintf("%s is outside the repository of %s", path, paths[0]))
		}
		basePaths = append(basePaths, there)
	}
	for _, config := range o.configs {
		if there, ok := at(config); ok && config != manifests.Stdin {
			config = there
		}
		configs = append(configs, config)
	}
	isWanted := func(name string) bool {
		isManifest := slices.Contains(manifestExtensions, strings.TrimPrefix(path.Ext(name), "."))
		return isManifest || slices.Contains(inside, name) || path.Base(name) == ".krmignore" || path.Base(name) == "Kptfile"
	}
	if err := repository.Read(commit, inside, folder, isWanted); err != nil {
		return nil, nil, err
	}
	isGone := func(path string) bool {
		_, err := os.Stat(path)
		return err != nil && strings.HasPrefix(path, folder)
	}
	return slices.DeleteFunc(basePaths, isGone), slices.DeleteFunc(configs, isGone), nil
}
