package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/author/locate"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/spf13/cobra"
)

// locateOptions are the flags of `krm-fields locate`.
type locateOptions struct {
	line    int
	field   string
	object  string
	output  string
	paths   pathOptions
	cluster clusterOptions
	// hasLine tells whether a line was given.
	hasLine bool
}

func newLocate(streams Streams) *cobra.Command {
	var options locateOptions
	command := &cobra.Command{
		Use:   "locate {--line N | --field FIELD | --live LIVE | --from-cluster} [PATH...]",
		Short: "Print the expressions that name a field, or who owns it",
		Long: `You see a field in a manifest and want a rule for it: locate prints the expressions
that name it, one for each list of a rule, and with -o yaml the rule to paste into
ignoreFields. Where they can, they select list elements by their content and not by
their index; a JSON Pointer can't. Each expression is verified: it finds the field
in the object, and nothing else.

--line selects all fields that begin on a line of one file, and so does a PATH like
deployment.yaml:24. --field selects one by its name, as results show it, or by its
JSON Pointer, in every object that has it.

With live objects, from --live or --from-cluster, it prints each line of the files,
or the one of --line, and who owns its fields on the cluster, as git blame does: the
field manager, its operation and subresource, and when it last changed what it owns.

` + pathHelp + `

Exit codes: 0; 1 on an error, or if there is no such field.`,
		Example: `  krm-fields locate deployment.yaml --line 24
  krm-fields locate package/ --object Deployment/web --field 'spec.template.spec.containers[0].image'
  krm-fields locate package/ --field /metadata/annotations/prometheus.io~1port -o yaml
  krm-fields locate --live live.yaml deployment.yaml`,
		RunE: func(command *cobra.Command, paths []string) error {
			options.hasLine = command.Flags().Changed("line")
			return runLocate(options, paths, streams)
		},
	}
	flags := command.Flags()
	flags.IntVar(&options.line, "line", 0, "line `N` of the file, from 1")
	flags.StringVar(&options.field, "field", "", "the `FIELD`: spec.replicas, or /spec/replicas")
	flags.StringVar(&options.object, "object", "", "only in this `OBJECT`: kind/name or kind/namespace/name")
	flags.StringVarP(&options.output, "output", "o", "text", "`FORMAT`: text, yaml for rules to paste into ignoreFields, or json")
	options.cluster.addTo(command)
	options.paths.addTo(command)
	completeFiles(command)
	completeValues(command, "output", locatedFormats)
	completeObjects(command, "object")
	return command
}

// locatedFormats are the values of --output.
var locatedFormats = []string{"text", "json", "yaml"}

func runLocate(options locateOptions, paths []string, streams Streams) error {
	if err := checkValue("output", options.output, locatedFormats); err != nil {
		return err
	}
	if !options.hasLine && options.field == "" && len(paths) == 1 {
		paths[0], options.line, options.hasLine = cutLine(paths[0])
	}
	if err := options.check(); err != nil {
		return err
	}
	paths, err := orStdin(paths, streams)
	if err != nil {
		return err
	}
	if err := stdinOnce(slices.Concat(paths, options.cluster.inputs())); err != nil {
		return err
	}
	files, skipped, err := options.paths.read(paths, true, streams.In)
	if err != nil {
		return err
	}
	printResults(streams.Err, skipped)
	objects, err := named(options.object, manifests.Objects(files))
	if err != nil {
		return err
	}
	if options.hasLine {
		if err := checkLine(options.line, strings.Join(paths, ", "), files); err != nil {
			return err
		}
	}
	if options.cluster.hasLive() {
		return options.blame(files, objects, streams)
	}
	search, err := newSearch(options, files)
	if err != nil {
		return err
	}
	places, err := locate.Find(search, objects)
	if err != nil {
		return err
	}
	all := make([]locate.Located, len(places))
	for i, place := range places {
		all[i] = place.Spell()
	}
	return printLocated(options.output, all, streams.Out)
}

// check checks flags that exclude each other.
func (o locateOptions) check() error {
	live := o.cluster.hasLive()
	switch {
	case !live && !o.hasLine && o.field == "":
		return errors.New("there must be a line or a field, found neither; type --line N or --field FIELD")
	case o.hasLine && o.field != "":
		return errors.New("--line and --field must not be given together")
	case live && o.field != "":
		return fmt.Errorf("--field and %s must not be given together; type --line N", o.cluster.liveFlag())
	case live && o.output == "yaml":
		return fmt.Errorf("--output must be text or json with %s, found %q", o.cluster.liveFlag(), o.output)
	}
	return o.cluster.check()
}

// blame prints who owns the fields of the objects on the cluster.
func (o locateOptions) blame(files []*manifests.File, objects []*object.Object, streams Streams) error {
	objects = slices.DeleteFunc(slices.Clone(objects), hostless.IsLocal)
	live, err := o.cluster.readAll(objects, streams)
	if err != nil {
		return err
	}
	assumeNamespace(o.cluster.namespace, objects, live)
	all, results := locate.NewBlame(files, objects, live, o.line)
	printResults(streams.Err, results)
	if o.output == "json" {
		err = explain.WriteJSON(streams.Out, locate.Fields(all))
	} else {
		err = locate.WriteBlame(streams.Out, all, hasColour(streams.Out))
	}
	if err == nil && fn.HasError(results) {
		return exitCode(1)
	}
	return err
}

// cutLine cuts the line off a path such as deployment.yaml:24, as results show it.
func cutLine(path string) (file string, line int, ok bool) {
	at := strings.LastIndexByte(path, ':')
	if _, err := os.Lstat(path); err == nil || at < 0 {
		return path, 0, false
	}
	line, err := strconv.Atoi(path[at+1:])
	if err != nil {
		return path, 0, false
	}
	return path[:at], line, true
}

// named returns the objects with a name, which is kind/name or kind/namespace/name; all for "".
func named(text string, objects []*object.Object) ([]*object.Object, error) {
	if text == "" {
		return objects, nil
	}
	name, ok := explain.ParseName(text)
	if !ok {
		return nil, fmt.Errorf("--object must be kind/name or kind/namespace/name, found %q", text)
	}
	if err := checkName(name, text, objects); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(objects, func(o *object.Object) bool { return !name.Names(report.RefOf(o.Root())) }), nil
}

func newSearch(options locateOptions, files []*manifests.File) (locate.Search, error) {
	if options.hasLine {
		return locate.NewLine(files[0].Path, files[0].Lines(), options.line), nil
	}
	search, err := locate.NewField(options.field)
	if _, ok := errors.AsType[*location.FieldError](err); ok {
		err = fmt.Errorf("--field: %w", err)
	}
	return search, err
}

// checkLine checks that a line is one of the only file.
func checkLine(line int, path string, files []*manifests.File) error {
	if len(files) != 1 {
		return fmt.Errorf("--line must be that of one file, found %d files in %s", len(files), path)
	}
	if lines := files[0].Lines(); line < 1 || line > len(lines) {
		return fmt.Errorf("--line must be from 1 to %d, the last line of %s, found %d", len(lines), files[0].Path, line)
	}
	return nil
}

func printLocated(format string, all []locate.Located, out io.Writer) error {
	switch format {
	case "json":
		return explain.WriteJSON(out, all)
	case "yaml":
		return explain.WriteNode(out, locate.Rules(all))
	}
	line := func(format string, args ...any) { fmt.Fprintln(out, printable.Line(fmt.Sprintf(format, args...))) }
	for i, found := range all {
		if i > 0 {
			fmt.Fprintln(out)
		}
		line("%s, %s (%s:%d)", found.Object, found.Field, found.File, found.Line)
		for _, texts := range found.Within {
			line("  within:")
			for _, d := range expr.SimplestFirst() {
				line("    %-17s  %s", d.Field, orNone(texts[d.Name]))
			}
		}
		for _, d := range expr.SimplestFirst() {
			line("  %-17s  %s", d.Field, orNone(found.Texts[d.Name]))
		}
		for _, note := range found.Notes {
			line("  note: %s", note)
		}
	}
	return nil
}

// orNone returns the expression, or a text that there is none.
func orNone(text string) string {
	if text == "" {
		return "can't name it"
	}
	return text
}
