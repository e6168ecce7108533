package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/diff"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

type diffOptions struct {
	clusterOptions
	diff.Options
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
	command.Flags().BoolVar(&options.IgnoreOrder, "ignore-order", false, "compare lists whose order means nothing to the API without it")
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
	out, err := options.Of(in.world(options.clusterOptions, managedfields.Tools[0]))
	if err != nil {
		return err
	}
	return writeDifferences(out, options.output, streams)
}

func checkComparable(steps []hostless.ConfigStep) error {
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

// writeDifferences writes what differs. Where an object is not compared, that is what counts.
func writeDifferences(out diff.Comparison, format string, streams Streams) error {
	printResults(streams.Err, out.Results)
	if out.HasFailed {
		return exitCode(2)
	}
	differences, err := explain.CompareTexts(out.Texts)
	if err != nil {
		return err
	}
	if format == "json" {
		err = explain.WriteJSON(streams.Out, struct {
			Objects []explain.Difference `json:"objects"`
		}{differences})
	} else {
		err = explain.WriteDifferences(streams.Out, differences, hasColour(streams.Out))
		printResults(streams.Err, reordered(out.Texts))
	}
	switch {
	case err != nil:
		return err
	case fn.HasError(out.Results):
		return exitCode(2)
	case len(differences) > 0:
		return differs
	}
	return nil
}

// reordered tells how many objects differ in an order that can be ignored.
func reordered(all []explain.Texts) []report.Result {
	n := 0
	for _, texts := range all {
		if texts.Reordered {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []report.Result{report.New(report.SeverityInfo, report.ReasonReordered,
		"a list whose order means nothing to the API has another one in "+words.Count(n, "object")+"; krm-fields diff --ignore-order leaves that out")}
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
	w := &world.World{Steps: steps, Mask: streams.mask}
	into := []*[]*object.Object{&w.Live, &w.Objects}
	for i, folder := range []string{liveFolder, mergedFolder} {
		for _, path := range filesIn(folder) { // a file is empty where the object is on the other side alone
			files, err := manifests.Read([]string{path}, nil)
			if err != nil {
				return err
			}
			*into[i] = append(*into[i], manifests.Objects(files)...)
		}
	}
	out, err := o.External(w)
	if err != nil {
		return err
	}
	return writeDifferences(out, o.output, streams)
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
