package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/krm-fields/krm-fields/internal/words"
)

// groupsOfCommands are the headings of the list of commands, each with its commands.
var groupsOfCommands = []struct {
	title    string
	commands []string
}{
	{"Rules", []string{"suggest", "locate", "explain", "run", "convert", "schema"}},
	{"Cluster", []string{"plan", "diff", "apply", "handover", "audit"}},
	{"Other", []string{"completion", "help", "version"}},
	{"Topics", []string{"paths"}},
}

// groupsOfFlags are the headings of the list of flags; what stands in none of them is about output.
var groupsOfFlags = []struct {
	title string
	flags []string
}{
	{"Rules", []string{
		"config", "operations", "pointer", "jsonpath", "jq", "from-owners", "clean", "action", "kind", "group", "name", "in-namespace", "selector",
		"exclude-kind", "exclude-name", "exclude-namespace", "strict", "check", "error", "suggest", "include-edits", "manager", "owners", "from", "to",
		"line", "field", "object",
	}},
	{"Files", []string{"in-place", "exclude", "skip-invalid", "crds", "openapi", "raw"}},
	{"Cluster", []string{
		"live", "from-cluster", "context", "kubeconfig", "field-manager", "namespace", "as", "force-conflicts", "dry-run", "server", "prune",
		"applyset", "retry-timeout", "timeout", "remove-stale", "forget", "force", "undo", "verbose",
	}},
	{"Output", nil},
}

// groupCommands puts the commands of the root under their headings.
func groupCommands(root *cobra.Command) {
	for _, g := range groupsOfCommands {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
	}
	for _, command := range root.Commands() {
		for _, g := range groupsOfCommands {
			if slices.Contains(g.commands, command.Name()) {
				command.GroupID = g.title
			}
		}
	}
}

// usage writes how a command is typed, its examples, commands and flags, and what its help says
// after these.
func usage(command *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:\n  " + command.UseLine() + "\n")
	if command.HasAvailableSubCommands() {
		b.WriteString("  " + command.CommandPath() + " [command]\n")
	}
	if command.HasExample() {
		b.WriteString("\nExamples:\n" + command.Example + "\n")
	}
	for _, g := range command.Groups() {
		writeCommands(&b, command, g)
	}
	if len(command.Groups()) == 0 && command.HasAvailableSubCommands() {
		writeCommands(&b, command, &cobra.Group{Title: "Commands:"})
	}
	writeFlags(&b, command)
	if after := command.Annotations[afterUsage]; after != "" {
		b.WriteString("\n" + after + "\n")
	}
	_, err := fmt.Fprint(command.OutOrStderr(), b.String())
	return err
}

// afterUsage is the annotation of a command with what its help says after the flags.
const afterUsage = "after the usage"

func writeCommands(b *strings.Builder, command *cobra.Command, group *cobra.Group) {
	b.WriteString("\n" + group.Title + "\n")
	for _, sub := range command.Commands() {
		if sub.GroupID == group.ID && (sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() || sub.Name() == "help") {
			fmt.Fprintf(b, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
		}
	}
}

// writeFlags writes the flags of a command under their headings.
func writeFlags(b *strings.Builder, command *cobra.Command) {
	grouped, names, width := map[string][]*pflag.Flag{}, map[*pflag.Flag]string{}, 0
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		title := groupOf(flag)
		grouped[title] = append(grouped[title], flag)
		names[flag] = nameOf(flag)
		width = max(width, len(names[flag]))
	})
	for _, g := range groupsOfFlags {
		if len(grouped[g.title]) == 0 {
			continue
		}
		fmt.Fprintf(b, "\nFlags, %s:\n", strings.ToLower(g.title))
		for _, flag := range grouped[g.title] {
			fmt.Fprintf(b, "%-*s   %s\n", width, names[flag], aboutFlag(flag))
		}
	}
}

func groupOf(flag *pflag.Flag) string {
	for _, g := range groupsOfFlags {
		if slices.Contains(g.flags, flag.Name) {
			return g.title
		}
	}
	return groupsOfFlags[len(groupsOfFlags)-1].title
}

// nameOf is how a flag is typed, with the name of its value.
func nameOf(flag *pflag.Flag) string {
	text := "      --" + flag.Name
	if flag.Shorthand != "" {
		text = "  -" + flag.Shorthand + ", --" + flag.Name
	}
	switch variable, _ := pflag.UnquoteUsage(flag); {
	case variable == "" || flag.Value.Type() == "bool":
		return text
	case flag.NoOptDefVal != "":
		return text + "[=" + variable + "]"
	default:
		return text + " " + variable
	}
}

// aboutFlag says what a flag does, which values it takes, and its default.
func aboutFlag(flag *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(flag)
	if c, ok := flag.Value.(choice); ok && !strings.Contains(text, words.List(c.known)) {
		text += ": " + words.List(c.known)
	}
	if slices.Contains([]string{"", "false", "[]", "0", "0s"}, flag.DefValue) {
		return text
	}
	return text + " (default " + flag.DefValue + ")"
}
