package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/suggest"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

type suggestOptions struct {
	rules   suggest.Options
	cluster clusterOptions
	results resultOptions
	// check only looks for fields that the rules of configs leave to nobody.
	check   bool
	configs []string
	// failed is a file with the text of a failed apply, failedObjects are those that failed.
	failed        string
	failedObjects []string
}

func newSuggest(streams Streams) *cobra.Command {
	var options suggestOptions
	command := describe("suggest")
	command.Args = func(command *cobra.Command, args []string) error {
		if options.check {
			return nil
		}
		return checkArguments("[DESIRED]", "[LIVE]")(command, args)
	}
	command.RunE = func(command *cobra.Command, paths []string) error {
		return options.results.reportError(command, runSuggest(options, paths, streams), streams.Err)
	}
	flags := command.Flags()
	flags.StringVar(&options.rules.Name, "name", suggest.DefaultName, "`NAME` of the configuration")
	options.cluster.addTo(command)
	flags.Lookup("field-manager").Usage = "field manager `NAME` that applies the package (default: " + suggest.DefaultFieldManager + ", else kubectl)"
	flags.BoolVar(&options.rules.IncludeEdits, "include-edits", false, "suggest rules also for what a person has set by hand")
	flags.StringVar(&options.rules.Manager, "manager", "", "suggest rules for fields of these managers only: a name, or a `GLOB` with *")
	addFile(command, &options.failed, "error", "suggest rules for the text of a failed server-side apply: a `FILE`, or -")
	flags.StringArrayVar(&options.failedObjects, "object", nil,
		"with --error, the `OBJECT` that failed, if several have its fields: "+objectForms+"; may be given several times")
	completeObjects(command)
	flags.BoolVar(&options.check, "check", false, "fail if the package sets a field that others write, too, and that no rule of --config leaves to them")
	addConfigs(command, &options.configs)
	flags.Lookup("config").Usage += "; with --check"
	options.results.addTo(command)
	return command
}

func runSuggest(options suggestOptions, paths []string, streams Streams) error {
	err := firstOf(
		fault{options.failed == "" && options.failedObjects != nil, "--object is only for --error"},
		fault{options.check && options.failed != "", "--check and --error must not be given together"},
		fault{!options.check && len(options.configs) > 0, "--config is only for --check, which finds the fields that its rules leave to nobody"})
	if err != nil {
		return err
	}
	if options.check {
		return checkWriters(options, paths, streams)
	}
	if options.failed != "" {
		return suggestFromError(options, paths, streams)
	}
	isShort := len(paths) == 2
	if isShort {
		options.cluster.live, paths = append(options.cluster.live, paths[1]), paths[:1]
	}
	in, err := options.cluster.inputs(paths, nil, streams)
	if err != nil {
		return cmp.Or(failedApplyAmong(paths, options.cluster.live), err)
	}
	if len(in.objects) == 0 {
		return fmt.Errorf("DESIRED must hold objects, found none in %s", in.paths[0])
	}
	objects, skipped := append(in.objects, in.definitions()...), in.skipped
	options.rules.FieldManager = cmp.Or(options.cluster.fieldManager, suggest.DefaultFieldManager)
	if !options.cluster.hasLive() {
		out, err := suggest.FromOwners(objects, options.rules)
		return options.write(out, err, skipped, "no object of DESIRED owns a field of another one; give LIVE to compare with the cluster", streams)
	}
	out, err := suggest.Suggest(in.world(options.cluster, managedfields.Tools[0]), options.rules)
	if err == nil && out.Compared == 0 && !fn.HasError(out.Results) {
		from := cmp.Or(strings.Join(options.cluster.live, ", "), "the cluster")
		err := fmt.Errorf("LIVE must have an object of DESIRED, by group, kind, namespace and name, found none in %s", from)
		if isShort {
			err = fmt.Errorf("%w; a second PATH is LIVE: several files of one package are given as their folder", err)
		}
		out.Results = append(out.Results, errorResults(err)...)
	}
	return options.write(out, err, skipped, "no field that differs from LIVE needs a rule", streams)
}

// failedApplyAmong says that the text of a failed apply needs --error; nil if no file has one.
func failedApplyAmong(paths, live []string) error {
	for _, path := range slices.Concat(paths, live) {
		text, err := os.ReadFile(path)
		if err != nil || !suggest.IsFailedApply(string(text)) {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(paths), func(other string) bool { return other == path })
		return fmt.Errorf("%s is the text of a failed apply; type %s", path, strings.Join(append([]string{"krm-fields suggest --error", path}, others...), " "))
	}
	return nil
}

// suggestFromError suggests rules for the text of a failed apply; there may be no paths.
func suggestFromError(options suggestOptions, paths []string, streams Streams) error {
	if options.cluster.hasLive() {
		return fmt.Errorf("--error and %s must not be given together", options.cluster.liveFlag())
	}
	if err := stdinOnce([]string{options.failed}, paths); err != nil {
		return err
	}
	text, err := manifests.ReadText(options.failed, streams.In)
	if err != nil && suggest.IsFailedApply(options.failed) {
		return errors.New("--error must be a FILE, or - for stdin, found the text of a failed apply; " +
			"type kubectl apply --server-side … 2>&1 | krm-fields suggest --error - [PATH]")
	}
	if err != nil {
		return err
	}
	files, skipped, err := options.cluster.paths.read(paths, manifests.Options{}, streams)
	objects := manifests.Objects(files)
	if err == nil && len(paths) > 0 && len(objects) == 0 {
		err = fmt.Errorf("PATH must hold objects, found none in %s", strings.Join(paths, ", "))
	}
	if err != nil {
		return err
	}
	for _, text := range options.failedObjects {
		name, _, err := named(text, objects)
		if err != nil {
			return err
		}
		options.rules.Objects = append(options.rules.Objects, name.Names)
	}
	options.cluster.assumeNamespace(objects)
	options.rules.FieldManager, options.rules.Mask = options.cluster.fieldManager, streams.mask
	out, err := suggest.FromError(string(text), objects, options.rules)
	if err != nil {
		err = fmt.Errorf("%s: %w", options.failed, err)
	}
	return options.write(out, err, skipped, "no field of the text needs a rule or a patch", streams)
}

// write reports the results and writes the configurations, or why there is nothing to suggest.
// What can be suggested is, even if something can't.
func (o suggestOptions) write(out suggest.Suggestions, err error, skipped []report.Result, nothing string, streams Streams) error {
	if err != nil {
		return err
	}
	if err := o.results.report(folded(slices.Concat(skipped, out.Results)), streams.Err); err != nil {
		return err
	}
	isFailed := fn.HasError(out.Results)
	var documents []*object.Object
	for _, config := range []*tree.Node{out.Config, out.Patches} {
		if config != nil {
			documents = append(documents, object.NewDocument(config))
		}
	}
	if documents == nil && !isFailed && o.results.isVerbose() {
		fmt.Fprintln(streams.Err, "nothing to suggest: "+nothing)
	}
	var text bytes.Buffer
	if err := manifests.WriteStream(&text, documents); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		isComment := hasColour(streams.Out) && strings.HasPrefix(strings.TrimSpace(line), "#")
		if _, err := fmt.Fprintln(streams.Out, printable.Cyan.Of(strings.TrimSuffix(line, "\n"), isComment)); err != nil {
			return err
		}
	}
	if isFailed {
		return exitCode(1)
	}
	return nil
}
