package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/suggest"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

func newSuggest(streams Streams) *cobra.Command {
	var options suggest.Options
	var namespace string
	var files pathOptions
	command := &cobra.Command{
		Use:   "suggest DESIRED [LIVE]",
		Short: "Suggest the IgnoreFields that makes a difference from the cluster go away",
		Long: `suggest compares manifests (DESIRED) with what the cluster says (LIVE), each a
file, a folder or "-" for stdin, and writes an IgnoreFields configuration to
stdout that strips the fields of the manifests that differ. Comments say what
differs, and who has set it on the cluster.

Without LIVE, the rules are for the fields that the objects of DESIRED say that
others own, as a HorizontalPodAutoscaler says of replicas: those that a rule with
fromOwners stands for, in full.

There is no rule for what the server sets, for what only the cluster has, such as
defaults, and for what only the manager that applies the package has set: there,
the package has changed since. What a person has set by hand is listed as drift.
The configuration is tried out before it is written.

Exit codes: 0, also where there is nothing to suggest; 1 on an error.`,
		Example: `  kubectl get -f package/ -o yaml --show-managed-fields | krm-fields suggest package/ -
  krm-fields suggest package/ live.yaml > ignore-fields.yaml
  krm-fields suggest package/`,
		Args: checkArguments("DESIRED", "[LIVE]"),
		RunE: func(_ *cobra.Command, paths []string) error {
			if len(paths) == 1 {
				return suggestFromOwners(options, namespace, files, paths[0], streams)
			}
			return runSuggest(options, namespace, files, paths, streams)
		},
	}
	flags := command.Flags()
	flags.StringVar(&options.Name, "name", "owned-by-others", "name of the configuration")
	flags.StringVar(&options.FieldManager, "field-manager", "kpt",
		"field manager that the package is applied with, beside those of kubectl apply")
	flags.BoolVar(&options.IncludeEdits, "include-edits", false, "suggest rules for what a person has set by hand, too")
	flags.StringVar(&options.Manager, "manager", "", "suggest rules for fields of these managers only: a name, or a `GLOB` with *")
	addNamespace(flags, &namespace)
	files.addTo(command)
	completeFiles(command)
	return command
}

func runSuggest(options suggest.Options, namespace string, files pathOptions, paths []string, streams Streams) error {
	desiredPath, livePath := paths[0], paths[1]
	if desiredPath == manifests.Stdin && livePath == manifests.Stdin {
		return errors.New(`only one of DESIRED and LIVE must be "-", found both`)
	}
	desired, err := readObjects("DESIRED", desiredPath, files, streams)
	if err != nil {
		return err
	}
	live, err := readObjects("LIVE", livePath, files, streams)
	if err != nil {
		return err
	}
	assumeNamespace(namespace, desired, live)
	out, err := suggest.Suggest(desired, live, options)
	if err != nil {
		return err
	}
	if fn.HasError(out.Results) {
		printResults(streams.Err, withoutInfos(out.Results))
		return exitCode(1)
	}
	printResults(streams.Err, out.Results)
	if out.Compared == 0 {
		return fmt.Errorf("LIVE must have an object of DESIRED, by group, kind, namespace and name, found none in %s", livePath)
	}
	return writeSuggestion(out, streams)
}

// suggestFromOwners suggests rules without a live side.
func suggestFromOwners(options suggest.Options, namespace string, files pathOptions, path string, streams Streams) error {
	objects, err := readObjects("DESIRED", path, files, streams)
	if err != nil {
		return err
	}
	assumeNamespace(namespace, objects)
	out, err := suggest.FromOwners(objects, options)
	if err != nil {
		return err
	}
	printResults(streams.Err, out.Results)
	return writeSuggestion(out, streams)
}

func writeSuggestion(out suggest.Outcome, streams Streams) error {
	if out.Config == nil {
		fmt.Fprintln(streams.Err, "nothing to suggest: no field needs a rule")
		return nil
	}
	return manifests.WriteStream(streams.Out, documents([]*yaml.Node{out.Config}))
}

// readObjects reads the objects of an argument, of which there must be one at least.
func readObjects(argument, path string, options pathOptions, streams Streams) ([]*object.Object, error) {
	files, skipped, err := options.read([]string{path}, true, streams.In)
	if err != nil {
		return nil, err
	}
	printResults(streams.Err, skipped)
	objects := manifests.Objects(files)
	if len(objects) == 0 {
		return nil, fmt.Errorf("%s must hold objects, found none in %s", argument, path)
	}
	return objects, nil
}
