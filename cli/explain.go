package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/author/plan"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

type explainOptions struct {
	configs       []string
	cluster       clusterOptions
	results       resultOptions
	object        string
	failOnNoMatch bool
}

func newExplain(streams Streams) *cobra.Command {
	var options explainOptions
	command := describe("explain")
	command.RunE = func(_ *cobra.Command, args []string) error {
		if len(options.configs) == 0 {
			if isOne, err := reason(args, streams); isOne {
				return err
			}
		}
		return runExplain(options, args, streams)
	}
	flags := command.Flags()
	addConfigs(command, &options.configs)
	command.Flags().Lookup("config").Usage = "`FILE` of the functionConfig, or -"
	addFiles(command, &options.cluster.live, "live", "", "file, folder or - with the live objects: a `PATH`")
	flags.StringVar(&options.cluster.namespace, "namespace", "", "namespace `NS` of objects that have none, only to pair them with live objects")
	addFormat(command, &options.results.format, explanationFormats, "`FORMAT`: "+words.List(explanationFormats))
	addObject(command, &options.object, "show only this")
	flags.BoolVar(&options.failOnNoMatch, "fail-on-no-match", false, "exit with 3 if an expression or a selector matches nothing")
	options.cluster.paths.addTo(command)
	options.cluster.addCRDs(command)
	return command
}

// reason tells what a reason means; false for a PATH, which has marks of one, or is a file.
func reason(args []string, streams Streams) (isOne bool, err error) {
	known := explain.ReasonNames()
	if len(args) == 0 && !isReadable(streams.In) {
		return true, errors.New("there must be a PATH, or a REASON of a result, found neither; the reasons are " + words.List(known))
	}
	if len(args) != 1 || args[0] == manifests.Stdin || strings.ContainsAny(args[0], `./\`) {
		return false, nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		return false, nil
	}
	name := strings.Trim(args[0], "[]") // as a line of text has it
	if reason, ok := explain.FindReason(cmp.Or(plan.ReasonOf(name), name)); ok {
		_, err = io.WriteString(streams.Out, reason.String())
		return true, err
	}
	return true, fmt.Errorf("there must be a PATH, or a REASON of a result, found %q, which is neither%s; the reasons are %s",
		args[0], words.DidYouMean(name, known), words.List(known))
}

var explanationFormats = append([]string{"text", "json", "yaml", "markdown"}, reviewFormats...)

func runExplain(options explainOptions, paths []string, streams Streams) error {
	if len(options.configs) > 1 {
		return fmt.Errorf("--config must be given once, since explain traces one functionConfig, found %s", strings.Join(options.configs, ", "))
	}
	run, about, err := traced(options, paths, streams)
	if err != nil {
		return err
	}
	explanation, err := explain.Of(run)
	if err != nil {
		return err
	}
	name, _, err := named(options.object, run.Items)
	if err != nil {
		return err
	}
	shown := explanation
	if options.object != "" {
		shown = explanation.Only(name)
	}
	options.results.about = about
	if err := options.write(shown, streams); err != nil {
		return err
	}
	isOtherError := func(r report.Result) bool {
		return r.Severity == report.SeverityError && r.Tags["reason"] != report.ReasonNoMatch
	}
	switch {
	case slices.ContainsFunc(run.Results, isOtherError):
		return exitCode(1)
	case options.failOnNoMatch && explanation.Summary.MatchedNothing > 0:
		return exitCode(3)
	case fn.HasError(run.Results):
		return exitCode(1)
	}
	return nil
}

// traced runs the functionConfig with a trace, and returns the objects that results may be about.
func traced(options explainOptions, paths []string, streams Streams) (run explain.Run, about []*object.Object, err error) {
	in, err := options.cluster.inputs(paths, options.configs, streams)
	if err != nil {
		return run, nil, err
	}
	printResults(streams.Err, in.skipped)
	about = in.objects
	if len(in.steps) > 0 {
		run.FunctionConfig, run.ConfigFile = in.steps[0].FunctionConfig, in.steps[0].Path
		about = append(slices.Clone(about), in.steps[0].Source)
	} else if run.FunctionConfig, run.ConfigFile, err = ownConfig(in.files, in.paths); err != nil {
		return run, nil, err
	}
	if options.cluster.hasLive() {
		in.live = hostless.MarkLive(in.live)
	}
	run.Items = slices.Concat(in.objects, in.live, in.definitions())
	run.Trace, run.Mask = &ignorefields.Trace{}, streams.mask
	if name, ok := explain.ParseName(options.object); ok {
		run.Trace.IsAsked = name.Names
	}
	run.Out, run.Results = fn.ItemsWith(fn.Options{Mask: streams.mask, IgnoreFields: ignorefields.Options{Trace: run.Trace}}, run.FunctionConfig, run.Items)
	hostless.ConfigStep{FunctionConfig: run.FunctionConfig, Path: run.ConfigFile}.NameIn(run.Results)
	return run, about, nil
}

func ownConfig(files []*manifests.File, paths []string) (*tree.Node, string, error) {
	configs := manifests.FunctionConfigs(files)
	if err := configAmong(paths); err != nil && len(configs) == 0 {
		return nil, "", err
	}
	if len(configs) != 1 {
		return nil, "", fmt.Errorf("--config must be given, or one ResourceList with a functionConfig, found %d in %s",
			len(configs), strings.Join(paths, ", "))
	}
	return configs[0], nameOfFile(report.FileOf(configs[0]).Path), nil
}

func (o explainOptions) write(e *explain.Explanation, streams Streams) error {
	switch o.results.format {
	case "json":
		return explain.WriteJSON(streams.Out, e)
	case "yaml":
		return explain.WriteYAML(streams.Out, e)
	case "markdown":
		return e.WriteMarkdown(streams.Out)
	case "text":
		err := e.WriteText(streams.Out, hasColour(streams.Out))
		printResults(streams.Err, e.Errors())
		return err
	}
	return o.results.print(e.Results, streams.Out)
}
