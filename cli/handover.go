package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/handover"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// retryTimeout is how long a patch is retried after conflicts.
const retryTimeout = 30 * time.Second

type handoverOptions struct {
	cluster     clusterOptions
	configs     []string
	from, to    string
	removeStale bool
	forget      bool
	force       bool
	save, undo  string
	dryRun      string
	output      string
}

func newHandover(streams Streams) *cobra.Command {
	var options handoverOptions
	tools := lists.Map(managedfields.Tools, func(tool *managedfields.Tool) string { return tool.Name })
	command := describe("handover")
	command.RunE = func(_ *cobra.Command, paths []string) error {
		if options.undo != "" {
			return runUndo(options, paths, streams)
		}
		return runHandover(options, paths, streams)
	}
	flags := command.Flags()
	addChoice(command, &options.from, "from", "", tools, "`TOOL` that has applied the package")
	addChoice(command, &options.to, "to", "", tools, "`TOOL` that will apply it")
	addConfigs(command, &options.configs)
	flags.BoolVar(&options.removeStale, "remove-stale", false, "give the new tool what the package lacks, so that its first apply removes it")
	flags.BoolVar(&options.forget, "forget", false, "remove the labels and annotations by which the old tool finds its objects")
	flags.BoolVar(&options.force, "force", false, "also hand over objects of which the next apply would change values that the package does not explain")
	addFile(command, &options.save, "save",
		"`FILE` to keep what was there; an earlier one is added to (default: a new one, which the summary names)", manifestExtensions...)
	addFile(command, &options.undo, "undo", "`FILE` of --save: put back what was there", manifestExtensions...)
	addDryRun(command, &options.dryRun, dryRunOfSending)
	options.cluster.addTo(command)
	flags.Lookup("field-manager").Usage = "field manager `NAME` of the new tool (default: its usual one)"
	addFormat(command, &options.output, []string{"text", "json", "yaml"},
		"`FORMAT`; yaml is the patches, as operations for krm-fields apply, and nothing is sent")
	return command
}

func (o handoverOptions) check(paths []string) error {
	isUndo := o.undo != ""
	return cmp.Or(o.cluster.check(), firstOf(
		fault{isUndo && (o.from != "" || o.to != "" || len(paths) > 0 || o.cluster.hasLive() || len(o.configs) > 0),
			"--undo needs nothing but its FILE: no --from, --to, --config, --live or PATH"},
		fault{isUndo && o.output == "yaml", "--undo must not be given with --output yaml"},
		fault{isUndo && o.dryRun == kubectl.Client, "--undo must be given with --dry-run=server, or without --dry-run, found --dry-run=client"},
		fault{!isUndo && (o.from == "" || o.to == ""), "--from and --to must be given: the tools that have applied and that will apply the package"},
		fault{o.save != "" && !o.sends(), "--save must not be given where nothing is sent"}))
}

// sends tells whether the cluster is changed.
func (o handoverOptions) sends() bool {
	return len(o.cluster.live) == 0 && o.dryRun != kubectl.Client && o.output != "yaml"
}

func (o handoverOptions) applier(streams Streams, tell func(kubectl.Outcome)) *kubectl.Applier {
	return &kubectl.Applier{Kubectl: o.cluster.kubectl(streams), DryRun: o.dryRun, RetryTimeout: retryTimeout, Tell: tell}
}

func runHandover(options handoverOptions, paths []string, streams Streams) error {
	if err := options.check(paths); err != nil {
		return err
	}
	options.cluster.fromCluster = len(options.cluster.live) == 0
	options.cluster.paths.refusesRules = len(options.configs) == 0
	in, err := options.cluster.inputs(paths, options.configs, streams)
	if err != nil {
		return err
	}
	made, results, warnings, err := handover.Make(handover.Options{
		World: in.world(options.cluster, managedfields.ToolNamed(options.to)), From: managedfields.ToolNamed(options.from),
		RemoveStale: options.removeStale, Forget: options.forget, Force: options.force,
	})
	printResults(streams.Err, slices.Concat(in.skipped, slices.DeleteFunc(results, options.cluster.isInPlan), warnings))
	if err != nil {
		return err
	}
	if made == nil {
		return exitCode(1)
	}
	made.DryRun = options.dryRun != "none"
	var interrupted error
	switch {
	case options.output == "yaml":
		err = made.WritePatches(streams.Out)
	case options.sends():
		interrupted, err = options.carryOut(made, streams)
	default:
		for _, o := range made.Objects {
			options.write(made, o, streams)
		}
	}
	if err == nil && options.output != "yaml" {
		err = options.conclude(made, streams)
	}
	switch {
	case err != nil:
		return err
	case interrupted != nil:
		return interrupted
	case !made.Succeeds():
		return exitCode(1)
	}
	return nil
}

// write writes one object as text.
func (o handoverOptions) write(made *handover.Handover, of *handover.Object, streams Streams) {
	if o.output == "text" {
		made.WriteObject(streams.Out, of, hasColour(streams.Out))
	}
}

// conclude writes the summary, or all as JSON.
func (o handoverOptions) conclude(made *handover.Handover, streams Streams) error {
	if o.output == "json" {
		return explain.WriteJSON(streams.Out, made)
	}
	dryRun := ""
	if made.DryRun {
		dryRun = " (" + o.dryRun + " dry run)"
	}
	fmt.Fprintf(streams.Out, "\n%s%s\n", made.Summary(), dryRun)
	if made.Saved != "" {
		undo := words.Shell([]string{"krm-fields", "handover", "--undo", made.Saved})
		fmt.Fprintf(streams.Out, "%s keeps what was there: %s puts it back.\n", made.Saved, undo)
	}
	return nil
}

// carryOut patches one object after the other, unless a signal interrupts it. What was there is
// saved before it is changed.
func (o handoverOptions) carryOut(made *handover.Handover, streams Streams) (interrupted, err error) {
	byRef, edits := map[report.Ref]*handover.Object{}, []kubectl.Edit(nil)
	earlier, err := o.openSave(made)
	if err != nil {
		return nil, err
	}
	save := func() error {
		if made.DryRun {
			return nil
		}
		return earlier.With(made).WriteFile(made.Saved)
	}
	for _, object := range made.Objects {
		if object.Outcome != handover.HandOver {
			o.write(made, object, streams)
			continue
		}
		byRef[object.Ref] = object
		isFirst := true
		edits = append(edits, kubectl.Edit{Ref: object.Ref, File: object.File(), Live: object.Live(), Patches: func(live *tree.Node) ([]kubectl.Patch, error) {
			if !isFirst {
				if err := errors.Join(object.Again(live), save()); err != nil || object.Outcome == handover.Nothing {
					return nil, err
				}
			}
			isFirst = false
			return []kubectl.Patch{{Operations: object.Patch()}}, nil
		}})
	}
	if len(edits) == 0 {
		made.Saved = ""
		return nil, nil
	}
	if err := save(); err != nil {
		return nil, fmt.Errorf("--save: %w; nothing is handed over", err)
	}
	outcomes := map[string]string{
		kubectl.Patched: handover.Patched, kubectl.Unchanged: handover.Nothing, kubectl.Failed: handover.Failed, kubectl.NotSent: handover.NotSent,
	}
	applier := o.applier(streams, func(done kubectl.Outcome) {
		object := byRef[done.Ref]
		object.Outcome = outcomes[done.Outcome]
		o.write(made, object, streams)
	})
	ctx, stop := untilSignal()
	defer stop()
	applier.Edits(ctx, edits)
	printResults(streams.Err, applier.Results())
	return context.Cause(ctx), nil
}

// openSave chooses the file that keeps what was there, and returns what it has.
func (o handoverOptions) openSave(made *handover.Handover) (*handover.Saved, error) {
	switch made.Saved = o.save; {
	case made.DryRun:
		made.Saved = ""
	case o.save == "":
		made.Saved = handover.FreeName(o.from, o.to)
	default:
		saved, err := handover.ReadSaved(o.save)
		if !errors.Is(err, os.ErrNotExist) {
			return saved, err
		}
	}
	return &handover.Saved{}, nil
}

// runUndo puts back what a file keeps, the last handover first.
func runUndo(options handoverOptions, paths []string, streams Streams) error {
	if err := options.check(paths); err != nil {
		return err
	}
	saved, err := handover.ReadSaved(options.undo)
	if err != nil {
		return err
	}
	var edits []kubectl.Edit
	for i, r := range slices.Backward(saved.Objects) {
		edits = append(edits, kubectl.Edit{Ref: r.Ref, File: report.File{Path: options.undo}, Patches: func(live *tree.Node) ([]kubectl.Patch, error) {
			removed, entries, err := r.Undo(live, saved.Objects[:i])
			var patches []kubectl.Patch
			if removed != nil {
				patches = append(patches, kubectl.Patch{Operations: removed, Manager: handover.UndoManager})
			}
			if entries != nil {
				patches = append(patches, kubectl.Patch{Operations: entries})
			}
			return patches, err
		}})
	}
	printer := progress{out: streams.Out}
	printer.options.dryRun, printer.options.outcome.format = options.dryRun, options.output
	applier := options.applier(streams, printer.print)
	ctx, stop := untilSignal()
	defer stop()
	applier.Edits(ctx, edits)
	if err := printer.end(); err != nil {
		return err
	}
	results := applier.Results()
	switch printResults(streams.Err, results); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case fn.HasError(results):
		return exitCode(1)
	}
	return nil
}
