package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
)

// checkNoArguments refuses arguments, which are probably a misspelled subcommand.
func checkNoArguments(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known, topics []string
	for _, sub := range command.Commands() {
		switch {
		case sub.IsAvailableCommand() || sub.Name() == "help":
			known = append(known, sub.Name())
		case sub.IsAdditionalHelpTopicCommand():
			topics = append(topics, sub.Name())
		}
	}
	if len(known) == 0 && command.Flags().Lookup("live") != nil {
		return fmt.Errorf("there must be no arguments, found %q; type %s --live %[1]s", args[0], command.CommandPath())
	}
	if len(known) == 0 {
		return fmt.Errorf("there must be no arguments, found %q; type %s", args[0], command.CommandPath())
	}
	if near, ok := words.Nearest(args[0], slices.Concat(known, topics)); ok {
		return fmt.Errorf("unknown command %q; did you mean %q?", args[0], command.CommandPath()+" "+near)
	}
	hint := ""
	if _, err := os.Stat(args[0]); err == nil || strings.ContainsAny(args[0], `./\`) {
		hint = fmt.Sprintf("to run on manifests, use `%s run --config FILE [PATH...]`; ", command.CommandPath())
	}
	return fmt.Errorf("unknown command %q; %sthe commands are %s", args[0], hint, strings.Join(known, ", "))
}

const completionExample = `  source <(krm-fields completion bash)
  krm-fields completion zsh > ~/.zfunc/_krm-fields
  krm-fields completion fish > ~/.config/fish/completions/krm-fields.fish`

// checkDefaults makes the commands that cobra adds refuse unknown arguments.
func checkDefaults(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, command := range root.Commands() {
		switch command.Name() {
		case "completion":
			command.Args = checkNoArguments
			command.Example = completionExample
			for _, c := range append(command.Commands(), command) {
				c.Long = strings.TrimSpace(c.Long) + "\n\nExit codes: 0; 1 on an error."
			}
			command.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
		case "help":
			command.Args = func(_ *cobra.Command, args []string) error {
				if found, _, err := root.Find(args); err != nil || found == root {
					return checkNoArguments(root, args)
				}
				return nil
			}
		}
	}
}

func checkArguments(names ...string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		isOptional := func(name string) bool { return name[0] == '[' }
		required := slices.DeleteFunc(slices.Clone(names), isOptional)
		if len(args) >= len(required) && len(args) <= len(names) {
			return nil
		}
		return fmt.Errorf("there must be %s, found %d arguments; type %s %s",
			strings.Join(names, " and "), len(args), command.CommandPath(), strings.Join(names, " "))
	}
}

// flagError says what is wrong with a flag, and what to type.
func flagError(command *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(command, unknown)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		flag := missing.GetFlag()
		variable, _ := pflag.UnquoteUsage(flag)
		return fmt.Errorf("--%s must have a value; type --%s %s", flag.Name, flag.Name, variable)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag, found := invalid.GetFlag(), invalid.GetValue()
		if c, ok := flag.Value.(choice); ok {
			return fmt.Errorf("--%s must be %s, found %q%s", flag.Name, words.List(c.known), found, words.DidYouMean(found, c.known))
		}
		return fmt.Errorf("--%s must be %s, found %q", flag.Name, typeNames[flag.Value.Type()], found)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return fmt.Errorf("a flag must be written --NAME or --NAME VALUE, found %q", invalid.GetSpecifiedFlag())
	}
	return err
}

var typeNames = map[string]string{"bool": "true or false", "int": "a whole number", "duration": "a duration, such as 30s"}

// unknownFlag names the flag that may have been meant.
func unknownFlag(command *cobra.Command, unknown *pflag.NotExistError) error {
	name, written := unknown.GetSpecifiedName(), "--"+unknown.GetSpecifiedName()
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		name, written = letters, "-"+letters
	}
	var known []string
	if run, _, err := command.Find([]string{"run"}); err == nil && run != command && run.Flags().Lookup(name) != nil {
		return fmt.Errorf("unknown flag %s; it is a flag of the command run: %s run %s", written, command.CommandPath(), written)
	}
	if command.HasAvailableSubCommands() && command.Flags().NArg() > 0 { // its subcommand would know the flag
		return checkNoArguments(command, command.Flags().Args())
	}
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			known = append(known, flag.Name)
		}
	})
	if slices.Contains([]string{"f", "file", "filename"}, name) {
		for _, argument := range []string{"DESIRED", "PATH"} {
			if strings.Contains(command.Use, " "+argument) || strings.Contains(command.Use, " ["+argument) {
				return fmt.Errorf("unknown flag %s; a %s needs no flag: %s %[2]s", written, argument, command.CommandPath())
			}
		}
	}
	if meant, ok := meantFlag(name, known); ok {
		return fmt.Errorf("unknown flag %s; did you mean --%s?", written, meant)
	}
	return fmt.Errorf("unknown flag %s; the flags are in %s --help", written, command.CommandPath())
}

// meantFlag finds the flag that a name may stand for, which is none of those known.
func meantFlag(name string, known []string) (meant string, ok bool) {
	for _, own := range kubectlFlags[name] {
		if slices.Contains(known, own) {
			return own, true
		}
	}
	if d, ok := expr.Misspelt(name); ok && slices.Contains(known, d.Flag) { // --jsonPointers
		return d.Flag, true
	}
	if len(name) == 1 {
		return "", false
	}
	if near, ok := words.Nearest(name, known); ok {
		return near, true
	}
	parts := slices.DeleteFunc(known, func(flag string) bool { return !strings.HasPrefix(flag, name) && !strings.HasSuffix(flag, "-"+name) })
	if len(parts) != 1 {
		return "", false
	}
	return parts[0], true
}

// kubectlFlags are flags of kubectl with those of ours that mean the same; a command has one of
// them.
var kubectlFlags = map[string][]string{
	"f": {"live"}, "file": {"live"}, "filename": {"live"}, "n": {"in-namespace", "namespace"},
	"l": {"selector"}, "label": {"selector"}, "labels": {"selector"},
}

// choice is the value of a flag that takes one of those known.
type choice struct {
	value *string
	known []string
}

func (c choice) Set(text string) error {
	if !slices.Contains(c.known, text) {
		return errors.New("unknown") // which flagError says in full
	}
	*c.value = text
	return nil
}

func (c choice) String() string { return *c.value }

// Type has the help show the default in quotes.
func (c choice) Type() string { return "string" }

// addChoice adds a flag that takes one of the values known; its default is what the value is.
func addChoice(command *cobra.Command, value *string, name, short string, known []string, usage string) {
	command.Flags().VarP(choice{value, known}, name, short, usage)
	completeValues(command, name, known)
}

// addFormat adds the flag --output, whose default is the first format.
func addFormat(command *cobra.Command, format *string, known []string, usage string) {
	*format = known[0]
	addChoice(command, format, "output", "o", known, usage)
}

// addFile adds a flag of a file, which is completed with the files of the extensions, or with all
// files if there are none.
func addFile(command *cobra.Command, path *string, name, usage string, extensions ...string) {
	command.Flags().StringVar(path, name, "", usage)
	_ = command.MarkFlagFilename(name, extensions...) // the flag is there
}

func addFiles(command *cobra.Command, paths *[]string, name, short, usage string) {
	command.Flags().StringArrayVarP(paths, name, short, nil, usage+"; may be given several times")
	_ = command.MarkFlagFilename(name, manifestExtensions...) // the flag is there
}

func addConfigs(command *cobra.Command, paths *[]string) {
	addFiles(command, paths, "config", "c", "`FILE` of a functionConfig, or -")
}

// objectForms are the forms of an object on the command line.
const objectForms = "kind, kind/name or kind/namespace/name"

func addObject(command *cobra.Command, name *string, usage string) {
	command.Flags().StringVar(name, "object", "", usage+" `OBJECT`: "+objectForms)
	completeObjects(command)
}

func completeObjects(command *cobra.Command) { completeFrom(command, "object", report.Ref.Slashed) }

// plainFormats are the values of --output of commands that write text, or a structure as JSON.
var plainFormats = []string{"text", "json"}

// manifestExtensions are the extensions of the files that are completed.
var manifestExtensions = []string{"yaml", "yml", "json"}

func completeValues(command *cobra.Command, flag string, values []string) {
	_ = command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// completeList completes a flag whose values have commas between them.
func completeList(command *cobra.Command, flag string, values []string) {
	_ = command.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		given := strings.Split(before, ",")
		left := slices.DeleteFunc(slices.Clone(values), func(value string) bool { return slices.Contains(given, value) })
		return lists.Map(left, func(value string) string { return before + value }), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeFrom completes a flag with texts about the objects of the arguments, and others.
func completeFrom(command *cobra.Command, flag string, text func(report.Ref) string, more ...string) {
	_ = command.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		texts := slices.Clone(more)
		paths := slices.DeleteFunc(slices.Clone(args), func(path string) bool { return path == manifests.Stdin })
		read, _ := manifests.ReadPackage(paths, nil, manifests.Options{SkipInvalid: true}) // what can't be read is not completed
		for _, o := range manifests.Objects(read.Files) {
			texts = append(texts, text(report.RefOf(o.Root())))
		}
		slices.Sort(texts)
		return slices.Compact(texts), cobra.ShellCompDirectiveNoFileComp
	})
}

// fault is a condition under which flags are refused, and what is then said.
type fault struct {
	is   bool
	text string
}

// firstOf returns the first of the faults that there is; nil for none.
func firstOf(faults ...fault) error {
	for _, f := range faults {
		if f.is {
			return errors.New(f.text)
		}
	}
	return nil
}
