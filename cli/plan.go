package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/plan"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/kubectl"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
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
	tools := words.Of(managedfields.Tools, func(tool *managedfields.Tool) string { return tool.Name })
	options.as = tools[0]
	addChoice(command, &options.as, "as", "", tools, "`TOOL` that applies: "+words.List(tools))
	flags.BoolVar(&options.forceConflicts, "force-conflicts", false, "plan an apply that takes over conflicting fields from their managers")
	addFile(command, &options.openAPI, "openapi", "`FILE` with what kubectl get --raw /openapi/v2 prints: the schemas of the server itself")
	flags.BoolVar(&options.server, "server", false, "ask the API server, too, by kubectl apply --dry-run=server")
	options.pruning.addTo(command)
	addFormat(command, &options.output, []string{"text", "markdown", "json", "github"},
		"`FORMAT`: text, markdown or json; with --base, also github: annotations of GitHub Actions")
	return command
}

func runPlan(options planOptions, paths []string, streams Streams) error {
	as, prune := managedfields.ToolNamed(options.as), options.pruning.args()
	options.works = as.Works
	isDryRun := options.server || len(prune) > 0
	err := firstOf(
		fault{isDryRun && as.Manager != managedfields.Kubectl,
			"--server and --prune plan what kubectl applies, found --as " + as.Name + "; leave them out, or use --as kubectl"},
		fault{options.server && len(prune) > 0, "--server and --prune must not be given together: they are dry runs of different applies"},
		fault{options.hasBase && options.base == "", wantBase + `, found ""`},
		fault{options.hasBase && (isDryRun || options.fromCluster),
			"--base compares with files of live objects; leave out --from-cluster, --server and --prune"},
		fault{!options.hasBase && options.output == "github", "--output github is for --base; leave it out, or type --base BASE"})
	if err != nil {
		return err
	}
	if !options.hasLive() {
		return errors.New("there must be live objects, found none; type --live PATH with what kubectl get -o yaml --show-managed-fields " +
			"printed, or --from-cluster")
	}
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
	if len(prune) > 0 { // kubectl must get all objects, also the unchanged ones
		world.RemoveHashes(in.steps, in.live)
	}
	if options.pruning.applySet != "" { // of which kubectl labels the objects
		labels := *as
		labels.Adds = append(slices.Clip(as.Adds), "applyset.kubernetes.io/part-of")
		o.As = &labels
	}
	applier := &kubectl.Applier{
		Kubectl: options.kubectl(streams), FieldManager: options.fieldManager, ForceConflicts: options.forceConflicts,
		DryRun: kubectl.Server, Live: kubectl.Finder(in.live, options.namespace), Prune: prune,
	}
	if options.server {
		o.Ask = applier.Ask
	}
	made, results, warnings, err := plan.Make(o)
	printResults(streams.Err, slices.Concat(slices.DeleteFunc(slices.Clone(results), options.isInPlan), warnings))
	if err != nil {
		return err
	}
	if made == nil {
		return noPlanCode
	}
	if len(prune) > 0 {
		applier.ForceConflicts = true // kubectl prunes nothing where an apply fails
		applier.Tell = func(o kubectl.Outcome) {
			if o.Outcome == kubectl.Pruned {
				made.AddPruned(o.Ref, in.live)
			}
		}
		applier.Apply(context.Background(), made.Sent)
		if failed := applier.Results(); len(failed) > 0 {
			printResults(streams.Err, failed)
			return noPlanCode
		}
	}
	switch options.output {
	case "json":
		err = made.WriteJSON(streams.Out)
	case "markdown":
		err = made.WriteMarkdown(streams.Out)
	default:
		err = made.WriteText(streams.Out, hasColour(streams.Out))
	}
	switch {
	case err != nil:
		return err
	case !made.IsWhole():
		return noPlanCode
	case !made.Succeeds() || fn.HasError(results):
		return exitCode(1)
	}
	return nil
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
