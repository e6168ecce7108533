package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/plan"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// noPlanCode is the exit code without a plan; 1 is that of an apply that would fail.
const noPlanCode exitCode = 2

type planOptions struct {
	clusterOptions
	configs        []string
	base           string
	hasBase        bool
	as             string
	forceConflicts bool
	openAPI        string
	output         string
	server         bool
	pruning        pruneOptions
}

func newPlan(streams Streams) *cobra.Command {
	var options planOptions
	command := describe("plan")
	command.Annotations = map[string]string{failureCode: "2"}
	command.RunE = func(_ *cobra.Command, paths []string) error {
		options.hasBase = command.Flags().Changed("base")
		return runPlan(options, paths, streams)
	}
	flags := command.Flags()
	addConfigs(command, &options.configs)
	options.addTo(command)
	flags.Lookup("live").Usage += ", or with --base NAME=PATH"
	flags.StringVar(&options.base, "base", "", "show only what differs from the package at `BASE`: a folder, a file, or a revision of the repository of PATH")
	tools := lists.Map(managedfields.Tools, func(tool *managedfields.Tool) string { return tool.Name })
	options.as = tools[0]
	addChoice(command, &options.as, "as", "", tools, "`TOOL` that applies: "+words.List(tools))
	flags.BoolVar(&options.forceConflicts, "force-conflicts", false, "plan an apply that takes over conflicting fields from their managers")
	addFile(command, &options.openAPI, "openapi",
		"`FILE` with what kubectl get --raw /openapi/v2 prints: the schemas of the server itself", manifestExtensions...)
	flags.BoolVar(&options.server, "server", false, "ask the API server, too, by kubectl apply --dry-run=server")
	options.pruning.addTo(command)
	addFormat(command, &options.output, []string{"text", "markdown", "json", "github"},
		"`FORMAT`: text, markdown or json; with --base, also github: annotations of GitHub Actions")
	return command
}

func runPlan(options planOptions, paths []string, streams Streams) error {
	as := managedfields.ToolNamed(options.as)
	if err := options.check(as); err != nil {
		return err
	}
	options.works = as.Works
	if options.hasBase {
		return runPlanBase(options, paths, streams)
	}
	options.paths.refusesRules = len(options.configs) == 0
	in, err := options.inputs(paths, options.configs, streams, options.openAPI)
	if err != nil {
		return err
	}
	printResults(streams.Err, slices.Concat(in.skipped, options.kubectl(streams).Check(in.found)))
	schemas, err := options.schemas(streams)
	if err != nil {
		return err
	}
	o := plan.Options{World: in.world(options.clusterOptions, as), Force: options.forceConflicts, Merged: options.output == "json"}
	o.Base = schemas
	applier := options.dryRun(in, streams)
	if options.server {
		o.Ask = applier.Ask
	}
	o.SendsAll = len(applier.Prune) > 0 // kubectl must get all objects, also the unchanged ones
	if options.pruning.applySet != "" {
		o.As = options.labelling(as)
	}
	made, results, warnings, err := plan.Make(o)
	printResults(streams.Err, slices.Concat(slices.DeleteFunc(slices.Clone(results), options.isInPlan), warnings))
	if err != nil {
		return err
	}
	if made == nil {
		return noPlanCode
	}
	if len(applier.Prune) > 0 {
		if failed := findPruned(made, applier, in.live); len(failed) > 0 {
			printResults(streams.Err, failed)
			return noPlanCode
		}
	}
	if err := options.write(made, streams); err != nil {
		return err
	}
	switch {
	case !made.IsWhole():
		return noPlanCode
	case !made.Succeeds() || fn.HasError(results):
		return exitCode(1)
	}
	return nil
}

// check checks that the flags go together, and that there are live objects.
func (o planOptions) check(as *managedfields.Tool) error {
	hasPrune := len(o.pruning.args()) > 0
	isDryRun := o.server || hasPrune
	return firstOf(
		fault{isDryRun && as.Manager != managedfields.Kubectl,
			"--server and --prune plan what kubectl applies, found --as " + as.Name + "; leave them out, or use --as kubectl"},
		fault{o.server && hasPrune, "--server and --prune must not be given together: they are dry runs of different applies"},
		fault{o.hasBase && o.base == "", wantBase + `, found ""`},
		fault{o.hasBase && (isDryRun || o.fromCluster),
			"--base compares with files of live objects; leave out --from-cluster, --server and --prune"},
		fault{!o.hasBase && o.output == "github", "--output github is for --base; leave it out, or type --base BASE"},
		fault{!o.hasLive(), "there must be live objects, found none; type --live PATH with what kubectl get -o yaml --show-managed-fields " +
			"printed, or --from-cluster"})
}

// dryRun is the apply that only the API server makes, of --server and --prune.
func (o planOptions) dryRun(in inputs, streams Streams) *kubectl.Applier {
	return &kubectl.Applier{
		Kubectl: o.kubectl(streams), FieldManager: o.fieldManager, ForceConflicts: o.forceConflicts,
		DryRun: kubectl.Server, Live: kubectl.Finder(in.live, o.namespace), Prune: o.pruning.args(),
	}
}

// labelling is kubectl as it labels the members of the ApplySet.
func (o planOptions) labelling(as *managedfields.Tool) *managedfields.Tool {
	labelling := *as
	if member := kubectl.MemberOf(o.pruning.applySet, o.namespace); member != "" {
		labelling.Labels = map[string]any{kubectl.MemberLabel: member}
	} else {
		labelling.Adds = append(slices.Clip(as.Adds), kubectl.MemberLabel)
	}
	return &labelling
}

// findPruned adds the objects that kubectl would delete; the results say why it fails.
func findPruned(made *plan.Plan, applier *kubectl.Applier, live []*object.Object) []report.Result {
	applier.ForceConflicts = true // kubectl prunes nothing where an apply fails
	applier.Tell = func(o kubectl.Outcome) {
		if o.Outcome == kubectl.Pruned {
			made.AddPruned(o.Ref, live)
		}
	}
	applier.Apply(context.Background(), made.Sent)
	return applier.Results()
}

func (o planOptions) write(made *plan.Plan, streams Streams) error {
	switch o.output {
	case "json":
		return made.WriteJSON(streams.Out)
	case "markdown":
		return made.WriteMarkdown(streams.Out)
	}
	return made.WriteText(streams.Out, hasColour(streams.Out))
}

// schemas are those of --openapi; none without it.
func (o planOptions) schemas(streams Streams) (*schema.Schemas, error) {
	schemas := &schema.Schemas{}
	if o.openAPI == "" {
		return schemas, nil
	}
	text, err := manifests.ReadText(o.openAPI, streams.In)
	if err == nil {
		err = schemas.AddOpenAPI(text)
	}
	if err != nil {
		return nil, fmt.Errorf("--openapi %s: %w", o.openAPI, err)
	}
	return schemas, nil
}

// isInPlan tells whether the plan says the same as a result.
func (o clusterOptions) isInPlan(r report.Result) bool {
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
