package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// noMatchCode is the exit code of explain if something matched nothing and --fail-on-no-match is
// set.
const noMatchCode exitCode = 3

// explainOptions are the flags of `krm-fields explain`.
type explainOptions struct {
	configs       []string
	live          []string
	crds          []string
	output        string
	object        string
	namespace     string
	failOnNoMatch bool
	paths         pathOptions
}

func newExplain(streams Streams) *cobra.Command {
	var options explainOptions
	command := &cobra.Command{
		Use:   "explain {[--config FILE] [PATH...] | REASON}",
		Short: "Explain what a functionConfig does to manifests, and why",
		Long: `explain runs a functionConfig on manifests without changing them. It shows for each
rule which objects it applies to, for each expression which fields it finds and in
which file and line, what matches nothing and why, and how the manifests would
change. The values of Secrets are shown as ***.

Without --config, the functionConfig is that of the ResourceList in the input.

With a REASON of a result, which text output has in brackets, it says what the
reason means and what to do; a word that is none is answered with all of them.

` + pathHelp + `

Exit codes: 0; 1 on an error; 3 with --fail-on-no-match if an expression or a
selector matches nothing in the whole run.`,
		Example: `  krm-fields explain --config ignore-fields.yaml package/
  krm-fields explain --config ignore-fields.yaml --object Deployment/web package/
  krm-fields explain NoMatch
  krm-fields explain --config ignore-fields.yaml --fail-on-no-match -o markdown package/ > comment.md
  kpt fn source package --fn-config ignore-fields.yaml | krm-fields explain -`,
		RunE: func(_ *cobra.Command, args []string) error {
			if isReason(args) && len(options.configs) == 0 {
				return explainReason(args[0], streams)
			}
			return runExplain(options, args, streams)
		},
	}
	flags := command.Flags()
	flags.StringArrayVarP(&options.configs, "config", "c", nil, "`FILE` of the functionConfig, or -")
	flags.StringArrayVar(&options.live, "live", nil, "file, folder or - with the live objects: a `PATH`; may be given several times")
	addNamespace(flags, &options.namespace)
	flags.StringVarP(&options.output, "output", "o", "text", "`FORMAT`: "+words.List(explanationFormats))
	flags.StringVar(&options.object, "object", "", "show only this `OBJECT`: kind/name or kind/namespace/name")
	flags.BoolVar(&options.failOnNoMatch, "fail-on-no-match", false, "exit with 3 if an expression or a selector matches nothing")
	options.paths.addTo(command)
	addCRDs(flags, &options.crds)
	completeFiles(command, "config", "live", "crds")
	completeValues(command, "output", explanationFormats)
	completeObjects(command, "object")
	return command
}

// isReason tells whether the one argument is a reason, or meant to be one: it has no mark of a
// path, and no file has that name.
func isReason(args []string) bool {
	if len(args) != 1 || args[0] == manifests.Stdin || strings.ContainsAny(args[0], `./\`) {
		return false
	}
	_, err := os.Stat(args[0])
	return err != nil
}

// explainReason tells what a reason means.
func explainReason(name string, streams Streams) error {
	if reason, ok := explain.FindReason(name); ok {
		_, err := io.WriteString(streams.Out, reason.String())
		return err
	}
	return fmt.Errorf("there must be a PATH, or a REASON of a result, found %q, which is neither%s; the reasons are %s",
		name, words.DidYouMean(name, explain.ReasonNames()), words.List(explain.ReasonNames()))
}

// explanationFormats are the values of --output.
var explanationFormats = append([]string{"text", "json", "yaml", "markdown"}, reviewFormats...)

func runExplain(options explainOptions, paths []string, streams Streams) error {
	if err := checkValue("output", options.output, explanationFormats); err != nil {
		return err
	}
	name, named := explain.ParseName(options.object)
	if options.object != "" && !named {
		return fmt.Errorf("--object must be kind/name or kind/namespace/name, found %q", options.object)
	}
	if len(options.configs) > 1 {
		return fmt.Errorf("--config must be given once, since explain traces one functionConfig, found %s", strings.Join(options.configs, ", "))
	}
	paths, err := orStdin(paths, streams)
	if err != nil {
		return err
	}
	if err := stdinOnce(slices.Concat(options.configs, paths, options.live, options.crds)); err != nil {
		return err
	}
	run, about, err := traced(options, paths, streams)
	if err != nil {
		return err
	}
	explanation, err := explain.Of(run)
	if err != nil {
		return err
	}
	shown := explanation
	if named {
		if err := checkName(name, options.object, run.Items); err != nil {
			return err
		}
		shown = explanation.Only(name)
	}
	if err := writeExplanation(shown, resultOptions{format: options.output, about: about}, streams); err != nil {
		return err
	}
	return explainCode(options, explanation, run.Results)
}

// explainCode is the exit code as an error; nil for 0.
func explainCode(options explainOptions, explanation *explain.Explanation, results []report.Result) error {
	isOtherError := func(r report.Result) bool {
		return r.Severity == report.SeverityError && r.Tags["reason"] != report.ReasonNoMatch
	}
	switch {
	case slices.ContainsFunc(results, isOtherError):
		return exitCode(1)
	case options.failOnNoMatch && explanation.Summary.MatchedNothing > 0:
		return noMatchCode
	case fn.HasError(results):
		return exitCode(1)
	}
	return nil
}

// traced reads the input and runs the functionConfig with a trace. It also returns the objects that
// results may be about.
func traced(options explainOptions, paths []string, streams Streams) (run explain.Run, about []*object.Object, err error) {
	files, skipped, err := options.paths.read(paths, true, streams.In)
	if err != nil {
		return run, nil, err
	}
	printResults(streams.Err, skipped)
	if len(options.configs) == 0 {
		if run.FunctionConfig, run.ConfigFile, err = ownConfig(files, paths); err != nil {
			return run, nil, err
		}
	} else {
		config, err := readConfig(options.configs[0], streams)
		if err != nil {
			return run, nil, err
		}
		run.FunctionConfig, run.ConfigFile = config.Root(), options.configs[0]
		about = append(about, config)
	}
	if run.ConfigFile == manifests.Stdin {
		run.ConfigFile = "stdin"
	}
	live, err := readLive(options.live, streams)
	if err != nil {
		return run, nil, err
	}
	definitions, err := readDefinitions(options.crds, streams)
	if err != nil {
		return run, nil, err
	}
	objects := manifests.Objects(files)
	about = append(about, objects...)
	run.Items = slices.Concat(objects, live, definitions)
	assumeNamespace(options.namespace, run.Items)
	stop := showProgress(streams.Err, fmt.Sprintf("%d objects", len(run.Items)))
	run.Out, run.Results, run.Trace = fn.Traced(run.FunctionConfig, run.Items)
	stop()
	hostless.NameFile(run.Results, run.FunctionConfig, nameOfFile(run.ConfigFile))
	return run, about, nil
}

// ownConfig returns the functionConfig of the one ResourceList in the files, and its file.
func ownConfig(files []*manifests.File, paths []string) (*tree.Node, string, error) {
	configs := manifests.FunctionConfigs(files)
	if err := configAmong(paths); err != nil && len(configs) == 0 {
		return nil, "", err
	}
	if len(configs) != 1 {
		return nil, "", fmt.Errorf("--config must be given, or one ResourceList with a functionConfig, found %d in %s",
			len(configs), strings.Join(paths, ", "))
	}
	return configs[0], report.FileOf(configs[0]).Path, nil
}

// checkName checks that there is an object of the name.
func checkName(name explain.Name, text string, items []*object.Object) error {
	var known []string
	for _, item := range items {
		ref := report.RefOf(item.Root())
		if name.Names(ref) {
			return nil
		}
		known = append(known, ref.Kind+"/"+ref.Name)
	}
	hint := ""
	if near, ok := words.Nearest(text, known); ok {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return fmt.Errorf("--object must name one of the %d objects, found %q%s", len(items), text, hint)
}

// writeExplanation writes an explanation in a format.
func writeExplanation(e *explain.Explanation, o resultOptions, streams Streams) error {
	switch o.format {
	case "json":
		return explain.WriteJSON(streams.Out, e)
	case "yaml":
		return explain.WriteYAML(streams.Out, e)
	case "markdown":
		return e.WriteMarkdown(streams.Out)
	case "text":
	default:
		return o.print(e.Reports(), streams.Out)
	}
	err := e.WriteText(streams.Out, hasColour(streams.Out))
	printResults(streams.Err, e.Errors())
	return err
}
