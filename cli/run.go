package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

type runOptions struct {
	configs    []string
	operations string
	clusterOptions
	inPlace bool
	dryRun  string
	diff    bool
	strict  bool
	check   bool
	stats   bool
	rule    ruleOptions
	outcome resultOptions
}

func newRun(streams Streams) *cobra.Command {
	var options runOptions
	command := describe("run", "{RULES}", ruleFlags(" and "))
	command.RunE = func(command *cobra.Command, paths []string) error {
		options.rule.hasGroup = command.Flags().Changed("group")
		return options.outcome.reportError(command, run(options, paths, streams), streams.Err)
	}
	flags := command.Flags()
	addConfigs(command, &options.configs)
	addFile(command, &options.operations, "operations", "`FILE` of operations, as a hook of shell-operator writes it, or -", manifestExtensions...)
	options.clusterOptions.addTo(command)
	flags.Lookup("field-manager").Usage = "field manager `NAME` that applies the package (default: live.fieldManager, or any)"
	flags.BoolVarP(&options.inPlace, "in-place", "i", false, "write the manifests back to the files that changed: all of them, or none on an error")
	addDryRun(command, &options.dryRun, "`MODE` client, also without a value, and server write no manifests, neither to stdout nor to files")
	flags.BoolVar(&options.diff, "diff", false, "write a diff to stdout instead of the manifests")
	flags.BoolVar(&options.strict, "strict", false, "make it an error if an expression or a selector matches nothing in the whole run")
	flags.BoolVar(&options.check, "check", false, "write no manifests, and make it an error if a manifest would still change")
	flags.BoolVar(&options.stats, "stats", false, "show the time that each expression took, the slowest first")
	flags.BoolVarP(&options.outcome.quiet, "quiet", "q", false, "leave out infos on stderr, and the files that --in-place wrote")
	flags.BoolVar(&options.outcome.all, "all-results", false, "print each result as text, not only the first 20 of a kind and a sum")
	options.outcome.addFile(command)
	options.outcome.addTo(command)
	options.rule.addTo(command)
	return command
}

func (o runOptions) isDryRun() bool { return o.dryRun != "none" }

func (o runOptions) validate(paths []string) error {
	if err := cmp.Or(o.rule.check(), o.clusterOptions.check()); err != nil {
		return err
	}
	hasOperations, hasConfigs, live := o.operations != "", len(o.configs) > 0, o.liveFlag()
	if !hasConfigs && !hasOperations && !o.rule.has() && !o.rule.clean {
		return cmp.Or(configAmong(paths), errors.New("no rules given; use --config FILE, --pointer POINTER, --from-owners, --clean or --operations FILE"))
	}
	return firstOf(
		fault{o.check && o.inPlace, "--check and --in-place must not be given together: --check writes nothing"},
		fault{o.check && o.strict, "--check and --strict must not be given together: a rule whose fields are already stripped matches nothing"},
		fault{o.check && o.hasLive(), "--check and --live must not be given together: a result with live objects is good for one apply only"},
		fault{o.check && hasOperations, "--check and --operations must not be given together: operations change the objects in each run"},
		fault{o.rule.has() && o.namespace != "" && !o.hasLive(), fmt.Sprintf("--namespace selects nothing: it pairs objects with live ones, which --live or "+
			"--from-cluster gives; for the rule, type --in-namespace %s", o.namespace)},
		fault{hasConfigs && hasOperations, "--config and --operations must not be given together"},
		fault{o.rule.has() && hasOperations, "--operations must not be given together with " + ruleFlags(" or ")},
		fault{o.hasLive() && hasOperations, live + " and --operations must not be given together: operations have no live objects"},
		fault{o.inPlace && slices.Contains(paths, manifests.Stdin),
			fmt.Sprintf("--in-place must have files or folders to write back to, found %q", manifests.Stdin)},
		fault{o.inPlace && o.hasLive(), "--in-place and " + live + " must not be given together: the output is for one apply, not for the package"},
	)
}

// run goes over large manifests in chunks, unless all objects are needed at once.
func run(options runOptions, paths []string, streams Streams) error {
	inputs := slices.Concat(options.configs, []string{options.operations}, options.live, options.crds)
	paths, err := orStdin(paths, streams, inputs...)
	if err != nil {
		return err
	}
	if err := options.validate(paths); err != nil {
		return err
	}
	options.outcome.isPiped = slices.Contains(paths, manifests.Stdin)
	steps, err := options.steps(streams)
	if err != nil {
		return err
	}
	defer guard.OnAbort(func(failed report.Result) bool {
		results := []report.Result{failed}
		for _, s := range steps {
			s.NameIn(results)
		}
		return options.outcome.report(results, streams.Err) == nil
	})()
	found, err := options.paths.find(paths, manifests.Options{Strict: options.strict})
	if err != nil {
		return err
	}
	if err := options.outcome.checkFile(found, inputs); err != nil {
		return err
	}
	// The places of results that a review shows are looked up in the objects.
	o, writer := options.outcome, explain.WriterForFile(options.outcome.file)
	needsObjects := o.file != "" && writer.HasPlaces || slices.Contains(reviewFormats, o.format)
	m := streams.meter
	m.show(streams.Err, found.Count())
	job := runJob{options: options, steps: steps, found: found, paths: paths, meter: m, streams: streams}
	if options.rule.clean {
		job.schemas = &schema.Schemas{}
	}
	inChunks := job
	stdin := io.Reader(streams.In)
	if options.operations == "" && !options.hasLive() && len(options.crds) == 0 && !needsObjects {
		input, err := rereadable(streams.In, slices.Contains(paths, manifests.Stdin), m)
		if err != nil {
			return err
		}
		defer input.close()
		if found.Size()+input.size >= chunkedFrom {
			if err := inChunks.inChunks(input); !errors.Is(err, errNotInChunks) {
				return err
			}
		}
		if _, err = input.Seek(input.start, io.SeekStart); err != nil {
			return err
		}
		stdin = input
	}
	return job.atOnce(stdin)
}

func (o runOptions) settings(beside []*object.Object, mask *redact.Mask) hostless.Settings {
	needsAll := o.outcome.all || o.outcome.isForPrograms() || o.outcome.file != ""
	settings := hostless.Settings{Strict: o.strict, Beside: beside, Whole: o.check || needsAll}
	settings.Options = fn.Options{Mask: mask, IgnoreFields: ignorefields.Options{Measures: o.stats}}
	settings.Options.IgnoreFields.Purpose = func(c *ignorefields.Config) {
		if o.check {
			ignorefields.Check(c)
		}
		c.Live.FieldManager = cmp.Or(o.fieldManager, c.Live.FieldManager)
	}
	return settings
}

func (o runOptions) steps(streams Streams) ([]hostless.ConfigStep, error) {
	if o.operations != "" {
		text, err := manifests.ReadText(o.operations, streams.In)
		if !applyoperations.IsHook(text) {
			if file, fault := manifests.Parse(o.operations, text, nil); fault == nil {
				err = cmp.Or(err, configIn([]*manifests.File{file}))
			}
		}
		return []hostless.ConfigStep{{FunctionConfig: applyoperations.FromHook(text), Path: nameOfFile(o.operations)}}, err
	}
	steps, err := readConfigs(o.configs, streams)
	if err != nil {
		return nil, err
	}
	if o.rule.has() {
		steps = append(steps, hostless.ConfigStep{FunctionConfig: o.rule.functionConfig()})
	}
	if !o.check {
		return steps, nil
	}
	for _, s := range steps { // --check can't run what changes something in each run, or needs live objects
		if kind := s.Kind(); !kind.ReadsLive {
			return nil, fmt.Errorf("with --check, %s must be of kind %s, found %s, which may change something in each run",
				s.Path, ignorefields.Kind, kind.Name)
		}
		action, what := ignorefields.ConfigOf(s.FunctionConfig).Action, "--action must not be "
		if s.Path != "" {
			what = s.Path + " must not have action: "
		}
		if ignorefields.ActionOf(action).Effect == ignorefields.TakenFromLive {
			return nil, fmt.Errorf("with --check, %s%s, which needs live objects: a result with live objects is good for one apply only", what, action)
		}
	}
	return steps, nil
}
