package cli

import (
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/author/plan"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/words"
)

// noPlanCode is the exit code of plan if it could not be made. 1 is that of an apply that would
// fail.
const noPlanCode exitCode = 2

// planOptions are the flags of `krm-fields plan`.
type planOptions struct {
	clusterOptions
	configs        []string
	as             string
	forceConflicts bool
	output         string
	paths          pathOptions
}

func newPlan(streams Streams) *cobra.Command {
	var options planOptions
	command := &cobra.Command{
		Use:   "plan [--config FILE...] {--live LIVE | --from-cluster} [PATH...]",
		Short: "Predict what the next server-side apply would do to each object",
		Long: `plan runs functionConfigs, if there are any, on manifests and predicts what a
server-side apply of the output would do: to each object and to each field that it
touches, with the field managers before and after, and with whom it conflicts. For
each rule it says what becomes of its fields: handed over to another manager,
removed, inside an atomic list and so without effect, required, or not needed. For
conflicts it prints the rules that resolve them. The values of Secrets are shown
as ***.

Nothing is applied. LIVE is the output of kubectl get -o yaml --show-managed-fields;
--from-cluster runs that command, in the current context of kubectl. Custom kinds
need a CustomResourceDefinition among the manifests, the live objects or the objects
of --crds; without one, their lists count as atomic.

--as says who applies: its field manager, whether it forces conflicts, as Argo CD and
Flux do, and whose entries it takes over, such as those of client-side apply. What an
old entry of that tool keeps on the object, so that no apply removes it, is shown as
leftover, with the command that does.

Not modelled are admission, defaulting, validation beyond required fields, and
conversion between versions.

` + pathHelp + `

Exit codes: 0 if the apply would go through; 1 if an object has a conflict or would
be refused, a field of a rule would be removed or reset, or onHandover or onNoMatch
makes the run fail; 2 if an error prevents the plan, be it of one object.`,
		Example: `  krm-fields plan --config ignore-fields.yaml --from-cluster package/
  kubectl get -f package/ -o yaml --show-managed-fields | krm-fields plan --live - package/
  krm-fields plan -c ignore-fields.yaml --live live.yaml --field-manager kpt -o markdown package/ > comment.md`,
		Annotations: map[string]string{failureCode: "2"},
		RunE:        func(_ *cobra.Command, paths []string) error { return runPlan(options, paths, streams) },
	}
	flags := command.Flags()
	flags.StringArrayVarP(&options.configs, "config", "c", nil, "`FILE` of a functionConfig, or -; may be given several times")
	options.addTo(command)
	flags.StringVar(&options.as, "as", merge.Tools[0].Name, "`TOOL` that applies: "+words.List(toolNames()))
	flags.BoolVar(&options.forceConflicts, "force-conflicts", false, "plan an apply that takes over conflicting fields from their managers")
	flags.StringVarP(&options.output, "output", "o", "text", "`FORMAT`: text, markdown or json")
	options.paths.addTo(command)
	completeFiles(command, "config")
	completeValues(command, "output", planFormats)
	completeValues(command, "as", toolNames())
	return command
}

// planFormats are the values of --output.
var planFormats = []string{"text", "markdown", "json"}

// toolNames are the values of --as.
func toolNames() []string {
	var names []string
	for _, tool := range merge.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// check checks flags that need each other, or go badly together.
func (o planOptions) check(paths []string) error {
	if err := checkValue("output", o.output, planFormats); err != nil {
		return err
	}
	if err := checkValue("as", o.as, toolNames()); err != nil {
		return err
	}
	if len(o.live) == 0 && !o.fromCluster {
		return errors.New("there must be live objects, found none; type --live PATH with what kubectl get -o yaml --show-managed-fields " +
			"printed, or --from-cluster")
	}
	if err := o.clusterOptions.check(); err != nil {
		return err
	}
	return stdinOnce(slices.Concat(o.configs, o.inputs(), paths))
}

func runPlan(options planOptions, paths []string, streams Streams) error {
	paths, err := orStdin(paths, streams)
	if err != nil {
		return err
	}
	if err := options.check(paths); err != nil {
		return err
	}
	maker, err := options.read(paths, streams)
	if err != nil {
		return err
	}
	tool := merge.ToolNamed(options.as)
	results, failed := maker.Run(tool, options.fieldManager)
	printResults(streams.Err, slices.DeleteFunc(slices.Clone(results), options.isInPlan))
	if failed {
		return noPlanCode
	}
	input, err := maker.Input(tool, options.fieldManager, options.forceConflicts)
	if err != nil {
		return err
	}
	made := plan.Of(input)
	printResults(streams.Err, maker.Warnings(input))
	if err := writePlan(made, options.output, streams.Out); err != nil {
		return err
	}
	if !made.IsWhole() {
		return noPlanCode
	}
	if !made.Succeeds() || fn.HasError(results) {
		return exitCode(1)
	}
	return nil
}

func writePlan(p *plan.Plan, format string, out io.Writer) error {
	switch format {
	case "json":
		return p.WriteJSON(out)
	case "markdown":
		return p.WriteMarkdown(out)
	}
	return p.WriteText(out)
}

// isInPlan tells whether the plan says the same as a result.
func (o planOptions) isInPlan(r report.Result) bool {
	if r.Severity != report.SeverityWarning {
		return r.Severity == report.SeverityInfo
	}
	switch r.Tags["reason"] {
	case report.ReasonAtomicParent, report.ReasonRequiredField, report.ReasonSoleFieldManager:
		return true
	case report.ReasonLiveKindMissing:
		return o.fromCluster // which was asked for every object
	}
	return false
}

// read reads the input.
func (o planOptions) read(paths []string, streams Streams) (*plan.Maker, error) {
	var steps []plan.Step
	for _, path := range o.configs {
		config, err := readConfig(path, streams)
		if err != nil {
			return nil, err
		}
		steps = append(steps, plan.Step{FunctionConfig: config.Root(), Path: nameOfFile(path)})
	}
	files, skipped, err := o.paths.read(paths, true, streams.In)
	if err != nil {
		return nil, err
	}
	printResults(streams.Err, skipped)
	objects := manifests.Objects(files)
	live, err := o.readAll(slices.DeleteFunc(slices.Clone(objects), hostless.IsLocal), streams)
	if err != nil {
		return nil, err
	}
	assumeNamespace(o.namespace, objects, hostless.MarkLive(live))
	definitions, err := readDefinitions(o.crds, streams)
	return plan.NewMaker(steps, objects, live, definitions), err
}
