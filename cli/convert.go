package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/convert"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

type convertOptions struct {
	from, to string
	strict   bool
	admit    convert.Options
	crds     []string
	paths    pathOptions
	results  resultOptions
}

func newConvert(streams Streams) *cobra.Command {
	var options convertOptions
	command := describe("convert",
		"{SOURCES}", listed(convert.Sources, func(s convert.Source) (string, string) { return s.Name, s.Holds }),
		"{TARGETS}", listed(convert.Targets, func(t convert.Form) (string, string) { return t.Name, t.Writes }))
	command.RunE = func(command *cobra.Command, paths []string) error {
		return options.results.reportError(command, runConvert(options, paths, streams), streams.Err)
	}
	flags := command.Flags()
	flags.StringVar(&options.from, "from", "", "`FORMAT` of the input, if it does not show it: "+words.List(convert.SourceNames))
	flags.StringVar(&options.to, "to", "", "`FORMAT` of the output: "+words.List(convert.TargetNames))
	flags.BoolVar(&options.strict, "strict", false, "fail if something can't be converted exactly")
	flags.StringSliceVar(&options.admit.Owners, "owners", nil,
		"field managers that may write the fields of a rule that names no owner, for --to admission-policy: `NAME`s, with * for any characters")
	options.admit.Action = convert.Actions[0]
	addChoice(command, &options.admit.Action, "action", "", convert.Actions,
		"`ACTION`: what the API server does with another's write, for --to admission-policy")
	addFiles(command, &options.crds, "crds", "", "file, folder or - with CustomResourceDefinitions, for --to admission-policy: a `PATH`")
	options.results.addTo(command)
	options.paths.addTo(command)
	completeValues(command, "from", convert.SourceNames)
	completeValues(command, "to", convert.TargetNames)
	return command
}

// nothingToConvert says what the input lacks.
func nothingToConvert(to string) string {
	if to == "argocd-annotations" {
		return "nothing to convert: the input must have the objects to annotate beside the rules for them, found none with rules"
	}
	return "nothing to convert: the input has no ignore rules"
}

func isNotConverted(r report.Result) bool { return r.Tags["reason"] == report.ReasonNotConverted }

// checkAdmission checks that flags for one format are not given for another.
func (o convertOptions) checkAdmission() error {
	const form = "admission-policy"
	isOther := o.to != form
	return firstOf(
		fault{isOther && len(o.admit.Owners) > 0, "--owners is only for --to " + form + ", found --to " + o.to},
		fault{isOther && o.admit.Action != convert.Actions[0], "--action is only for --to " + form + ", found --to " + o.to},
		fault{isOther && len(o.crds) > 0, "--crds is only for --to " + form + ", found --to " + o.to},
	)
}

// example is the command that was typed without --to, with a format that fits the input.
func (o convertOptions) example(objects []*object.Object, paths []string) string {
	const ours, theirs = "ignorefields", "argocd"
	isOurs := func(o *object.Object) bool { return convert.IsRules(ours, o.Root()) }
	typed, to := []string{"krm-fields", "convert"}, ours
	if o.from != "" {
		typed = append(typed, "--from", o.from)
	}
	if o.from == ours || o.from == "" && slices.ContainsFunc(objects, isOurs) {
		to = theirs
	}
	return words.Shell(slices.Concat(typed, []string{"--to", to}, paths))
}

func runConvert(options convertOptions, paths []string, streams Streams) error {
	unfit, typed := convert.Check(options.from, options.to), paths
	if unfit != nil && !errors.Is(unfit, convert.NoTarget) {
		return unfit
	}
	if err := options.checkAdmission(); err != nil {
		return err
	}
	paths, err := orStdin(paths, streams, options.crds...)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(paths, func(path string) bool { return filepath.Ext(path) == ".tf" }); i >= 0 {
		return fmt.Errorf("%[1]s is HCL, and must be JSON: hcl2json %[1]s > %[1]s.json writes a file that convert reads", paths[i])
	}
	isRules := func(root *tree.Node) bool { return convert.IsRules(options.from, root) }
	files, skipped, err := options.paths.read(paths, manifests.Options{IsObjectToo: isRules, Strict: options.strict}, streams)
	if err != nil {
		return err
	}
	for _, o := range manifests.Objects(files) {
		o.AddTo(streams.mask)
	}
	if unfit != nil {
		return fmt.Errorf("%w; for example type %s", unfit, options.example(manifests.Objects(files), typed))
	}
	definitions, err := readDefinitions(options.crds, streams)
	if err != nil {
		return err
	}
	out, err := convert.Convert(options.from, options.to, slices.Concat(manifests.Objects(files), definitions), options.admit)
	isPartial := err == nil && !fn.HasError(out.Results) && slices.ContainsFunc(out.Results, isNotConverted)
	switch {
	case isPartial && options.strict:
		err = errors.New("with --strict everything must be converted exactly; nothing is written")
	case isPartial && len(out.Documents) == 0:
		err = fmt.Errorf("nothing can be converted from %s to %s", out.From, options.to)
	}
	if n := len(out.Others); n > 0 {
		skipped = append(skipped, report.New(report.SeverityInfo, report.ReasonSkipped,
			words.Count(n, "object")+" without rules of "+out.From+", left out"))
	}
	results := slices.Concat(skipped, out.Results, errorResults(err))
	report.Redact(results, streams.mask)
	for i, r := range results { // which quote the expressions of rules
		behind := strings.TrimPrefix(r.Message, r.Field.Path)
		results[i].Message = strings.TrimSuffix(r.Message, behind) + streams.mask.Own(streams.mask.Quoted(behind))
	}
	if err := options.results.report(results, streams.Err); err != nil {
		return err
	}
	if fn.HasError(results) {
		return exitCode(1)
	}
	if len(out.Documents) == 0 && options.results.isVerbose() {
		fmt.Fprintln(streams.Err, nothingToConvert(options.to)+convert.Misspelt(manifests.Objects(files)))
	}
	return manifests.WriteStream(streams.Out, out.Documents)
}
