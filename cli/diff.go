package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/author/suggest"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

type diffOptions struct {
	clusterOptions
	configs []string
	output  string
}

const differs exitCode = 1

func newDiff(streams Streams) *cobra.Command {
	var options diffOptions
	command := describe("diff")
	command.Annotations = map[string]string{failureCode: "2"}
	command.RunE = func(_ *cobra.Command, paths []string) error { return runDiff(options, paths, streams) }
	addConfigs(command, &options.configs)
	options.addTo(command)
	addFormat(command, &options.output, plainFormats, "`FORMAT` of the difference: text, a unified diff, or json")
	return command
}

func runDiff(options diffOptions, paths []string, streams Streams) error {
	if len(options.live) == 0 && isExternal(paths) {
		return options.external(paths[0], paths[1], streams)
	}
	options.fromCluster, options.paths.refusesRules = options.fromCluster || len(options.live) == 0, len(options.configs) == 0
	in, err := options.inputs(paths, options.configs, streams)
	if err == nil {
		err = checkComparable(in.steps)
	}
	if err != nil {
		return err
	}
	printResults(streams.Err, in.skipped)
	d := comparison{steps: in.steps, desired: slices.DeleteFunc(in.objects, hostless.IsLocal), live: in.live}
	desired, live, results := d.withoutRules()
	printResults(streams.Err, slices.DeleteFunc(results, func(r report.Result) bool { return r.Severity == report.SeverityInfo }))
	if fn.HasError(results) {
		return exitCode(2)
	}
	texts, faults, err := suggest.Compare(desired, d.desired, live, in.definitions(), options.manager())
	if err != nil {
		return err
	}
	printResults(streams.Err, faults)
	err = writeTexts(texts, options.output, streams)
	if len(faults) > 0 && (err == nil || errors.Is(err, differs)) {
		return exitCode(2)
	}
	return err
}

type comparison struct {
	steps         []hostless.Step
	desired, live []*object.Object
}

func checkComparable(steps []hostless.Step) error {
	var taken []string
	for _, kind := range fn.Kinds() {
		if !kind.IsImperative {
			taken = append(taken, kind.Name)
		}
	}
	for _, s := range steps {
		if kind := s.Kind(); kind.IsImperative {
			return fmt.Errorf("%s must be of kind %s, found %s, whose operations name no fields to compare",
				s.Path, words.List(taken), kind.Name)
		}
	}
	return nil
}

func writeTexts(texts []explain.Texts, format string, streams Streams) error {
	differences, err := explain.CompareTexts(texts, ignorefields.ConfigOf(nil).ObjectHash.Annotation)
	if err != nil {
		return err
	}
	if format == "json" {
		err = explain.WriteJSON(streams.Out, struct {
			Objects []explain.Difference `json:"objects"`
		}{differences})
	} else {
		err = explain.WriteDifferences(streams.Out, differences, hasColour(streams.Out))
	}
	if err == nil && len(differences) > 0 {
		return differs
	}
	return err
}

// withoutRules returns copies of the objects of both sides without the fields of the rules; those
// of OnSpokeChange go if the hash says that the package has not changed since it was applied.
func (d comparison) withoutRules() (desired, live []*object.Object, results []report.Result) {
	desired, live, results = d.strip(ignorefields.Comparison)
	isOnSpokeChange := func(s hostless.Step) bool {
		hasChange := func(r rules.Config) bool { return r.Condition == rules.OnSpokeChange }
		return s.Kind().ReadsLive && slices.ContainsFunc(ignorefields.ConfigOf(s.FunctionConfig).IgnoreFields, hasChange)
	}
	if fn.HasError(results) || !slices.ContainsFunc(d.steps, isOnSpokeChange) {
		return desired, live, results
	}
	ran := hostless.Run(d.steps, copies(d.desired), hostless.Settings{Beside: hostless.MarkLive(copies(d.live))})
	if fn.HasError(ran.Results) {
		return nil, nil, ran.Results
	}
	known := map[selector.Identity]bool{}
	for _, r := range ran.Results {
		if r.Tags["reason"] == report.ReasonUnchanged {
			known[selector.IdentityOf(r.Ref, "")] = true
		}
	}
	all, allLive, more := d.strip(ignorefields.ComparisonOfUnchanged)
	if fn.HasError(more) {
		return nil, nil, more
	}
	return mixed(desired, all, known), mixed(live, allLive, known), results
}

// mixed returns objects, but those that known names come from others.
func mixed(objects, others []*object.Object, known map[selector.Identity]bool) []*object.Object {
	if len(objects) != len(others) {
		return objects
	}
	out := slices.Clone(objects)
	for i, o := range objects {
		identity := selector.IdentityOf(o.Ref(), "")
		inAny := identity // an object of the package may leave its namespace out
		inAny.Namespace = ""
		if known[identity] || known[inAny] {
			out[i] = others[i]
		}
	}
	return out
}

// strip runs the functionConfigs on copies of both sides, patches on the package alone.
func (d comparison) strip(purpose ignorefields.Purpose) (desired, live []*object.Object, results []report.Result) {
	settings := hostless.Settings{Options: fn.Options{Purpose: purpose}}
	rules := slices.DeleteFunc(slices.Clone(d.steps), func(s hostless.Step) bool { return !s.Kind().ReadsLive })
	desired, live = copies(d.desired), copies(d.live)
	removeHashes(d.steps, desired)
	removeHashes(d.steps, live)
	ran := hostless.Run(d.steps, desired, settings)
	if fn.HasError(ran.Results) {
		return nil, nil, ran.Results
	}
	there := hostless.Run(rules, live, settings)
	if fn.HasError(there.Results) {
		return nil, nil, there.Results
	}
	results = slices.DeleteFunc(ran.Results, func(r report.Result) bool {
		isSame := func(other report.Result) bool {
			return other.Tags["reason"] == r.Tags["reason"] && other.Ref == r.Ref && other.Field == r.Field
		}
		return r.Tags["reason"] == report.ReasonNoMatch && !slices.ContainsFunc(there.Results, isSame) // it matches on the cluster
	})
	return ran.Out, there.Out, results
}

func removeHashes(steps []hostless.Step, objects []*object.Object) {
	for _, s := range steps {
		at := location.Location{
			location.Key("metadata"), location.Key("annotations"), location.Key(ignorefields.ConfigOf(s.FunctionConfig).ObjectHash.Annotation),
		}
		for _, o := range objects {
			_ = o.Use(func() { // an object that can't be flushed keeps its data
				if location.At(o.Root(), at) != nil {
					o.Remove([]location.Location{at})
				}
			})
		}
	}
}

// copies returns copies of objects, which a run may change.
func copies(objects []*object.Object) []*object.Object {
	return words.Of(objects, (*object.Object).Copy)
}

// isExternal tells whether paths are the two folders of kubectl diff, whose names are fixed, and
// whose files are named after objects, without an extension.
func isExternal(paths []string) bool {
	if len(paths) != 2 || !isFolder(paths[0]) || !isFolder(paths[1]) {
		return false
	}
	if isFromKubectl(paths) {
		return true
	}
	names := append(filesIn(paths[0]), filesIn(paths[1])...)
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		return slices.Contains(manifestExtensions, strings.TrimPrefix(filepath.Ext(name), "."))
	})
}

// isFromKubectl tells whether two folders have the names that kubectl diff gives its folders.
func isFromKubectl(folders []string) bool {
	return strings.HasPrefix(filepath.Base(folders[0]), "LIVE-") && strings.HasPrefix(filepath.Base(folders[1]), "MERGED-")
}

// externalDiff restores the order of the arguments: for KUBECTL_EXTERNAL_DIFF="krm-fields diff -o
// json", kubectl diff runs `krm-fields LIVE-1 MERGED-2 diff -o json`.
func externalDiff(args []string) []string {
	if len(args) < 2 || !isFromKubectl(args) || !isFolder(args[0]) || !isFolder(args[1]) {
		return args
	}
	flags := args[2:]
	if len(flags) > 0 && flags[0] == "diff" {
		flags = flags[1:]
	}
	return slices.Concat([]string{"diff"}, flags, []string{"--"}, args[:2])
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// filesIn are the paths of the files in a folder.
func filesIn(folder string) []string {
	entries, _ := os.ReadDir(folder) // what can't be read has none
	var paths []string
	for _, entry := range entries {
		if !entry.IsDir() {
			paths = append(paths, filepath.Join(folder, entry.Name()))
		}
	}
	return paths
}

// external compares the folders that kubectl diff has written.
func (o diffOptions) external(liveFolder, mergedFolder string, streams Streams) error {
	configs := o.configs
	if len(configs) == 0 {
		path, err := nextConfig()
		if err != nil {
			return err
		}
		if path != "" {
			configs = []string{path}
		}
	}
	steps, err := readConfigs(configs, streams)
	if err == nil {
		err = checkComparable(steps)
	}
	if err != nil {
		return err
	}
	// kubectl has carried out the patches, if any, in what it has merged.
	d := comparison{steps: slices.DeleteFunc(steps, func(s hostless.Step) bool { return !s.Kind().ReadsLive })}
	into := []*[]*object.Object{&d.live, &d.desired}
	for i, folder := range []string{liveFolder, mergedFolder} {
		for _, path := range filesIn(folder) { // a file is empty where the object is on the other side alone
			files, err := manifests.Read([]string{path}, nil)
			if err != nil {
				return err
			}
			*into[i] = append(*into[i], manifests.Objects(files)...)
		}
	}
	desired, live, results := d.withoutRules()
	if fn.HasError(results) {
		printResults(streams.Err, withoutInfos(results))
		return exitCode(2)
	}
	texts, err := wholeTexts(live, desired)
	if err != nil {
		return err
	}
	return writeTexts(texts, o.output, streams)
}

// nextConfig is the file that KRM_FIELDS_CONFIG names, or the next .krm-fields.yaml from the
// working folder up to the one with .git, or else to the root; "" where there is none. Like git, it
// trusts only what the user owns.
func nextConfig() (string, error) {
	if path := os.Getenv("KRM_FIELDS_CONFIG"); path != "" {
		return path, nil
	}
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		path := filepath.Join(folder, ".krm-fields.yaml")
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			if !manifests.IsOwn(info) {
				return "", fmt.Errorf("%s must be owned by the user who runs krm-fields; to trust it, set KRM_FIELDS_CONFIG=%[1]s", path)
			}
			return path, nil
		}
		_, err := os.Stat(filepath.Join(folder, ".git"))
		if err == nil || folder == filepath.Dir(folder) {
			return "", nil
		}
		folder = filepath.Dir(folder)
	}
}

// wholeTexts pairs objects of both sides by their names, without what the API server sets.
func wholeTexts(live, merged []*object.Object) ([]explain.Texts, error) {
	var texts []explain.Texts
	places, builtIn := map[report.Ref]int{}, &schema.Schemas{}
	for i, o := range slices.Concat(live, merged) {
		ref := report.RefOf(o.Root())
		suggest.RemoveServerSet(o)
		text, err := object.NewDocument(tree.Copy(o.Root())).Text()
		if err != nil {
			return nil, err
		}
		at, known := places[ref]
		if !known {
			at = len(texts)
			places[ref] = at
			texts = append(texts, explain.Texts{Ref: ref, File: ref.String(), Kind: builtIn.Kind(schema.ParseGVK(ref.APIVersion, ref.Kind))})
		}
		if i < len(live) {
			texts[at].Before = text
		} else {
			texts[at].After = text
		}
	}
	return texts, nil
}
