package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// manifestExtensions are the extensions of the files that are completed.
var manifestExtensions = []string{"yaml", "yml", "json"}

// usualKinds are completed along with those in the manifests.
var usualKinds = []string{
	"ConfigMap", "CronJob", "DaemonSet", "Deployment", "HorizontalPodAutoscaler", "Ingress", "Job", "Pod", "Secret", "Service", "StatefulSet",
}

// completeFiles completes files of manifests and folders, as arguments and as the values of flags.
func completeFiles(command *cobra.Command, flags ...string) {
	command.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return manifestExtensions, cobra.ShellCompDirectiveFilterFileExt
	}
	for _, flag := range flags {
		_ = command.MarkFlagFilename(flag, manifestExtensions...) // the flag is there
	}
}

// completeValues completes the values of a flag.
func completeValues(command *cobra.Command, flag string, values []string) {
	_ = command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// completeObjects completes names of the objects in the manifests that the arguments name.
func completeObjects(command *cobra.Command, flag string) {
	completeFrom(command, flag, func(ref report.Ref) string {
		return strings.Join(slices.DeleteFunc([]string{ref.Kind, ref.Namespace, ref.Name}, func(s string) bool { return s == "" }), "/")
	})
}

// completeKinds completes kinds: usual ones, and those in the manifests that the arguments name.
func completeKinds(command *cobra.Command, flag string) {
	completeFrom(command, flag, func(ref report.Ref) string { return ref.Kind }, usualKinds...)
}

func completeFrom(command *cobra.Command, flag string, text func(report.Ref) string, more ...string) {
	_ = command.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		texts := slices.Clone(more)
		for _, o := range argumentObjects(args) {
			texts = append(texts, text(report.RefOf(o.Root())))
		}
		slices.Sort(texts)
		return slices.Compact(texts), cobra.ShellCompDirectiveNoFileComp
	})
}

// argumentObjects are the objects in the manifests that arguments name; none where they can't be
// read.
func argumentObjects(args []string) []*object.Object {
	paths := slices.DeleteFunc(slices.Clone(args), func(path string) bool { return path == manifests.Stdin })
	read, err := manifests.ReadPackage(paths, nil, manifests.Options{SkipInvalid: true})
	if err != nil {
		return nil
	}
	return manifests.Objects(read.Files)
}

// plainFormats are the values of --output of commands that write text, or a structure as JSON.
var plainFormats = []string{"text", "json"}
