package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/explain"
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
	line   int
	field  string
	object string
	output string
	paths  pathOptions
	// hasLine tells whether a line was given.
	hasLine bool
}

func newLocate(streams Streams) *cobra.Command {
	var options locateOptions
	command := &cobra.Command{
		Use:   "locate {--line N | --field FIELD} [PATH...]",
		Short: "Print the expressions that name a field",
		Long: `You see a field in a manifest and want a rule for it: locate prints the expressions
that name it, one for each list of a rule, and with -o yaml the rule to paste into
ignoreFields. Where they can, they select list elements by their content and not by
their index; a JSON Pointer can't. Each expression is verified: it finds the field
in the object, and nothing else.

--line selects all fields that begin on a line of one file, and so does a PATH like
deployment.yaml:24. --field selects one by its name, as results show it, or by its
JSON Pointer, in every object that has it.

` + pathHelp + `

Exit codes: 0; 1 on an error, or if there is no such field.`,
		Example: `  krm-fields locate deployment.yaml --line 24
  krm-fields locate package/ --object Deployment/web --field 'spec.template.spec.containers[0].image'
  krm-fields locate package/ --field /metadata/annotations/prometheus.io~1port -o yaml`,
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
	switch {
	case !options.hasLine && options.field == "":
		return errors.New("there must be a line or a field, found neither; type --line N or --field FIELD")
	case options.hasLine && options.field != "":
		return errors.New("--line and --field must not be given together")
	}
	paths, err := orStdin(paths, streams)
	if err != nil {
		return err
	}
	files, skipped, err := options.paths.read(paths, true, streams.In)
	if err != nil {
		return err
	}
	printResults(streams.Err, skipped)
	search, err := newSearch(options, strings.Join(paths, ", "), files)
	if err != nil {
		return err
	}
	objects, err := named(options.object, manifests.Objects(files))
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

func newSearch(options locateOptions, path string, files []*manifests.File) (locate.Search, error) {
	if options.field != "" {
		search, err := locate.NewField(options.field)
		if _, ok := errors.AsType[*location.FieldError](err); ok {
			err = fmt.Errorf("--field: %w", err)
		}
		return search, err
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("--line must be that of one file, found %d files in %s", len(files), path)
	}
	lines := files[0].Lines()
	if options.line < 1 || options.line > len(lines) {
		return nil, fmt.Errorf("--line must be from 1 to %d, the last line of %s, found %d", len(lines), files[0].Path, options.line)
	}
	return locate.NewLine(files[0].Path, lines, options.line), nil
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
