package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/suggest"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// suggestOptions are the flags of `krm-fields suggest`.
type suggestOptions struct {
	rules   suggest.Options
	cluster clusterOptions
	files   pathOptions
	results resultOptions
	// failed is a file with the text of a failed apply.
	failed string
}

func newSuggest(streams Streams) *cobra.Command {
	var options suggestOptions
	command := &cobra.Command{
		Use:   "suggest [DESIRED] [--live LIVE | --from-cluster]",
		Short: "Suggest IgnoreFields rules for the differences from the cluster",
		Long: `suggest writes the rules for you, as a functionConfig on stdout. DESIRED is a file, a
folder or "-" for stdin, which is also read without it.

Without live objects, the rules are for the fields that other objects of DESIRED
own, such as the replicas that a HorizontalPodAutoscaler sets: what a rule with
fromOwners does, written out.

With live objects, from --live, --from-cluster or a second argument, the rules are
for the fields that differ on the cluster. Comments say what differs, and who has
set it there.

There are no rules for fields that the API server sets, for fields that only the
cluster has, such as defaults, or for fields that only the manager of the package
has set: there, the package has changed since. What a person has set by hand is
listed as drift. The rules are verified before they are written.

With --error, the rules are for the conflicts in the text of a failed server-side
apply, from kubectl, Helm, Flux, Argo CD, Terraform or Pulumi, in the tool's own form,
too, where it has one; with DESIRED they are verified on it. Duplicate and undeclared
fields get an ApplyPatches. Messages say who owns what, and how to take it over.

Exit codes: 0, also if there is nothing to suggest; 1 on an error.`,
		Example: `  kubectl get -f package/ -o yaml --show-managed-fields | krm-fields suggest package/ -
  krm-fields suggest --live live.yaml package/ > ignore-fields.yaml
  krm-fields suggest package/
  kubectl apply --server-side -f package/ 2>&1 | krm-fields suggest --error - package/`,
		Args: checkArguments("[DESIRED]", "[LIVE]"),
		RunE: func(command *cobra.Command, paths []string) error {
			return options.results.reportError(command, runSuggest(options, paths, streams), streams.Err)
		},
	}
	flags := command.Flags()
	flags.StringVar(&options.rules.Name, "name", suggest.DefaultName, "name of the configuration")
	options.cluster.addTo(command)
	flags.BoolVar(&options.rules.IncludeEdits, "include-edits", false, "suggest rules for what a person has set by hand, too")
	flags.StringVar(&options.rules.Manager, "manager", "", "suggest rules for fields of these managers only: a name, or a `GLOB` with *")
	flags.StringVar(&options.failed, "error", "", "suggest rules for the text of a failed server-side apply: a `FILE`, or -")
	addResultFormat(command, &options.results.format)
	options.files.addTo(command)
	completeFiles(command, "error")
	return command
}

func runSuggest(options suggestOptions, paths []string, streams Streams) error {
	if err := checkValue("output", options.results.format, resultFormats); err != nil {
		return err
	}
	if options.failed != "" {
		return suggestFromError(options, paths, streams)
	}
	paths, err := orStdin(paths, streams)
	if err != nil {
		return err
	}
	if len(paths) == 2 { // the short form
		options.cluster.live = append(options.cluster.live, paths[1])
	}
	if err := options.cluster.check(); err != nil {
		return err
	}
	if err := stdinOnce(slices.Concat(paths[:1], options.cluster.inputs())); err != nil {
		return err
	}
	desired, skipped, err := readObjects("DESIRED", paths[0], options.files, streams)
	if err != nil {
		return err
	}
	definitions, err := readDefinitions(options.cluster.crds, streams)
	if err != nil {
		return err
	}
	desired = append(desired, definitions...)
	options.rules.FieldManager = cmp.Or(options.cluster.fieldManager, suggest.DefaultFieldManager)
	if !options.cluster.hasLive() {
		return suggestFromOwners(options, desired, skipped, streams)
	}
	live, more, from, err := options.readLive(desired, streams)
	if err != nil {
		return err
	}
	assumeNamespace(options.cluster.namespace, desired, live)
	out, err := suggest.Suggest(desired, live, options.rules)
	if err != nil {
		return err
	}
	out.Results = slices.Concat(skipped, more, out.Results)
	if out.Compared == 0 && !fn.HasError(out.Results) {
		err := fmt.Errorf("LIVE must have an object of DESIRED, by group, kind, namespace and name, found none in %s", from)
		out.Results = append(out.Results, errorResults(err)...)
	}
	return options.write(out, func() string { return nothingFor(desired, options.rules) }, streams)
}

// readLive reads the live objects, and says what was skipped and where they come from.
func (o suggestOptions) readLive(desired []*object.Object, streams Streams) (live []*object.Object, skipped []report.Result, from string, err error) {
	if o.cluster.fromCluster {
		live, err = o.cluster.readAll(desired, streams)
		return live, nil, "the cluster", err
	}
	for _, path := range o.cluster.live {
		objects, more, err := readObjects("LIVE", path, o.files, streams)
		if err != nil {
			return nil, nil, "", err
		}
		live, skipped = append(live, objects...), append(skipped, more...)
	}
	return live, skipped, strings.Join(o.cluster.live, ", "), nil
}

// nothingFor is why live objects need no rule, and how to get those by owner if there are any.
func nothingFor(desired []*object.Object, rules suggest.Options) string {
	reason := "no field that differs from LIVE needs a rule"
	if byOwner, err := suggest.FromOwners(desired, rules); err == nil && byOwner.Config != nil {
		reason += "; without LIVE, suggest finds the fields that other objects of DESIRED own"
	}
	return reason
}

// suggestFromOwners suggests rules without a live side.
func suggestFromOwners(options suggestOptions, objects []*object.Object, skipped []report.Result, streams Streams) error {
	assumeNamespace(options.cluster.namespace, objects)
	out, err := suggest.FromOwners(objects, options.rules)
	if err != nil {
		return err
	}
	out.Results = slices.Concat(skipped, out.Results)
	nothing := func() string {
		return "no object of DESIRED owns a field of another one; give LIVE to compare with the cluster"
	}
	return options.write(out, nothing, streams)
}

// suggestFromError suggests rules for the text of a failed apply. The paths are those of the
// package; there may be none.
func suggestFromError(options suggestOptions, paths []string, streams Streams) error {
	if options.cluster.hasLive() {
		return fmt.Errorf("--error and %s must not be given together", options.cluster.liveFlag())
	}
	if err := stdinOnce(append([]string{options.failed}, paths...)); err != nil {
		return err
	}
	text, err := manifests.ReadText(options.failed, streams.In)
	if err != nil {
		return err
	}
	var objects []*object.Object
	var skipped []report.Result
	for _, path := range paths {
		more, passed, err := readObjects("PATH", path, options.files, streams)
		if err != nil {
			return err
		}
		objects, skipped = append(objects, more...), append(skipped, passed...)
	}
	assumeNamespace(options.cluster.namespace, objects)
	options.rules.FieldManager = options.cluster.fieldManager
	out, err := suggest.FromError(string(text), objects, options.rules)
	if err != nil {
		return fmt.Errorf("%s: %w", options.failed, err)
	}
	out.Results = slices.Concat(skipped, out.Results)
	return options.write(out, func() string { return "no field of the text needs a rule or a patch" }, streams)
}

// write reports the results and writes the configuration, or why there is none.
func (o suggestOptions) write(out suggest.Outcome, nothing func() string, streams Streams) error {
	if fn.HasError(out.Results) {
		if err := o.results.report(withoutInfos(out.Results), streams.Err); err != nil {
			return err
		}
		return exitCode(1)
	}
	if err := o.results.report(out.Results, streams.Err); err != nil {
		return err
	}
	configs := slices.DeleteFunc([]*tree.Node{out.Config, out.Patches}, func(n *tree.Node) bool { return n == nil })
	if len(configs) > 0 {
		return manifests.WriteStream(streams.Out, documents(configs))
	}
	if o.results.isVerbose() {
		fmt.Fprintln(streams.Err, "nothing to suggest: "+nothing())
	}
	return nil
}

// readObjects reads the objects of an argument, of which there must be one at least. The results
// say which files were passed over.
func readObjects(argument, path string, options pathOptions, streams Streams) ([]*object.Object, []report.Result, error) {
	files, skipped, err := options.read([]string{path}, true, streams.In)
	if err != nil {
		return nil, nil, err
	}
	objects := manifests.Objects(files)
	if len(objects) == 0 {
		return nil, nil, fmt.Errorf("%s must hold objects, found none in %s", argument, path)
	}
	return objects, skipped, nil
}
