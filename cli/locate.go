package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn/explain"
	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/manifests"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/printable"
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
		Long: `locate prints the JSON Pointer, the JSONPath and the jq expression that name a
field, for the ignoreFields of a functionConfig. They name the elements of lists
by what is in them, not by their position, where they can; a JSON Pointer can't.
Each is proved: in the object, it finds the field and nothing else.

--line takes all fields that begin on a line of one file; --field one by its name,
as results show it, or by its JSON Pointer, in every object that has it.

` + pathHelp + `

Exit codes: 0; 1 on an error, or where there is no such field.`,
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
	flags.StringVar(&options.object, "object", "", "in one `OBJECT` alone: kind/name or kind/namespace/name")
	flags.StringVarP(&options.output, "output", "o", "text", "`FORMAT`: text, json or yaml")
	options.paths.addTo(command)
	completeFiles(command)
	completeValues(command, "output", locatedFormats)
	completeObjects(command, "object")
	return command
}

// locatedFormats are the values of --output.
var locatedFormats = []string{"text", "json", "yaml"}

// located is a field and the expressions for it.
type located struct {
	Object      explain.Object `json:"object"`
	Field       string         `json:"field"`
	File        string         `json:"file"`
	Line        int            `json:"line,omitempty"`
	JSONPointer string         `json:"jsonPointer,omitempty"`
	JSONPath    string         `json:"jsonPath,omitempty"`
	JQ          string         `json:"jq,omitempty"`
	Notes       []string       `json:"notes,omitempty"`
}

func runLocate(options locateOptions, paths []string, streams Streams) error {
	if err := checkValue("output", options.output, locatedFormats); err != nil {
		return err
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
	var all []located
	for _, o := range objects {
		locations, err := search.in(o)
		if err != nil {
			return err
		}
		if len(locations) == 0 {
			continue
		}
		mask := redact.New(o.Root())
		for _, l := range locations {
			all = append(all, spell(o, mask, l))
		}
	}
	if len(all) == 0 {
		return search.nothing(objects)
	}
	return printLocated(options.output, all, streams.Out)
}

// named returns the objects of a name, which is kind/name or
// kind/namespace/name, or all where it is "".
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

// search looks for fields in one object after another.
type search interface {
	in(o *object.Object) ([]locate.Location, error)
	// nothing is the error where no object has any.
	nothing(objects []*object.Object) error
}

func newSearch(options locateOptions, path string, files []*manifests.File) (search, error) {
	if options.field != "" {
		return newFieldSearch(options.field)
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("--line must be that of one file, found %d files in %s", len(files), path)
	}
	lines := files[0].Lines()
	if options.line < 1 || options.line > len(lines) {
		return nil, fmt.Errorf("--line must be from 1 to %d, the last line of %s, found %d", len(lines), files[0].Path, options.line)
	}
	return &lineSearch{file: files[0].Path, lines: lines, line: options.line}, nil
}

// lineSearch finds the fields on a line of a file.
type lineSearch struct {
	file  string
	lines []string
	line  int
}

// maxLineWork is how much may be looked at to prove the expressions for all fields of a line: each is resolved in the
// whole object.
const maxLineWork = 10_000_000

func (s *lineSearch) in(o *object.Object) ([]locate.Location, error) {
	on := locate.OnLine(o.Root(), s.lines, o.FirstLine()-1, s.line)
	if len(on) > 1 && len(on)*locate.Places(o.Root()) > maxLineWork {
		return nil, fmt.Errorf("line %d of %s must have fewer fields, found %d in an object that is too large to tell of all; "+
			"ask for one, such as --field '%s'", s.line, s.file, len(on), on[len(on)-1])
	}
	return on, nil
}

func (s *lineSearch) nothing(objects []*object.Object) error {
	message := fmt.Sprintf("line %d of %s has no field", s.line, s.file)
	var next locate.Location
	nearest := 0
	for _, o := range objects {
		if l, line := locate.NextLine(o.Root(), o.FirstLine()-1, s.line); line > 0 && (nearest == 0 || line < nearest) {
			next, nearest = l, line
		}
	}
	if nearest > 0 {
		message += fmt.Sprintf("; the next one, %s, is on line %d", next, nearest)
	}
	return errors.New(message)
}

// fieldSearch finds a field by its name: a location, as results show it, and what
// it means as an expression where there is no such place.
type fieldSearch struct {
	text       string
	location   locate.Location
	expression locate.Expression
	// hint is why an object has no such field, from the one that comes nearest.
	hint  string
	depth int
}

func newFieldSearch(text string) (search, error) {
	s := &fieldSearch{text: text}
	var err error
	if strings.HasPrefix(text, "/") {
		s.expression, err = locate.ParseJSONPointer(text)
		return s, err
	}
	if s.location, err = locate.ParseField(text); err != nil {
		return nil, fmt.Errorf("--field: %w", err)
	}
	if s.expression, err = locate.ParseJSONPath("." + strings.TrimPrefix(text, ".")); err != nil {
		s.expression, err = locate.ParseJSONPointer(s.location.Pointer())
	}
	return s, err
}

func (s *fieldSearch) in(o *object.Object) ([]locate.Location, error) {
	if s.location != nil && locate.At(o.Root(), s.location) != nil {
		return []locate.Location{s.location}, nil
	}
	found, err := s.expression.Locate(&locate.Input{Root: o.Root()})
	if err == nil && s.hint == "" || found.Depth > s.depth {
		s.hint, s.depth = found.Hint, found.Depth
	}
	if _, failed := errors.AsType[*locate.RuntimeError](err); failed {
		return nil, nil // an index in what is no list: another object may have the field
	}
	return found.Locations, err
}

func (s *fieldSearch) nothing(objects []*object.Object) error {
	message := fmt.Sprintf("none of the %d objects has the field '%s'", len(objects), s.text)
	if len(objects) == 1 {
		message = fmt.Sprintf("%s has no field '%s'", report.RefOf(objects[0].Root()), s.text)
	}
	if s.hint != "" {
		message += "; " + s.hint
	}
	return errors.New(message)
}

// spell makes the expressions for a place of an object.
func spell(o *object.Object, mask redact.Mask, l locate.Location) located {
	root := o.Root()
	expressions := locate.Spell(root, l, jq.Limits{}, mask.Hides)
	found := located{
		Object: explain.Object(report.RefOf(root)), Field: l.String(),
		File: o.File().Path, Line: o.LineOf(locate.Begin(root, l)),
		JSONPointer: expressions.JSONPointer, JSONPath: expressions.JSONPath, JQ: expressions.JQ,
	}
	for _, list := range expressions.ByIndex {
		found.Notes = append(found.Notes, fmt.Sprintf("nothing but its position tells the element of %s from the others", list))
	}
	for _, list := range expressions.ByPair {
		found.Notes = append(found.Notes, fmt.Sprintf(
			"it takes two keys to tell the element of %s from the others, and a JSONPath can ask for one", list))
	}
	if expressions.JQ == "" && tree.Type(locate.At(root, l)) == tree.Null {
		found.Notes = append(found.Notes, "the field is null, and a null is nothing to jq")
	}
	return found
}

func printLocated(format string, all []located, out io.Writer) error {
	switch format {
	case "json":
		return explain.WriteJSON(out, all)
	case "yaml":
		return explain.WriteYAML(out, all)
	}
	line := func(format string, args ...any) { fmt.Fprintln(out, printable.Line(fmt.Sprintf(format, args...))) }
	for i, found := range all {
		if i > 0 {
			fmt.Fprintln(out)
		}
		line("%s, %s (%s:%d)", found.Object, found.Field, found.File, found.Line)
		for _, expression := range [][2]string{
			{"JSON Pointer", found.JSONPointer}, {"JSONPath", found.JSONPath}, {"jq", found.JQ},
		} {
			if expression[1] == "" {
				expression[1] = "can't name it"
			}
			line("  %-12s  %s", expression[0], expression[1])
		}
		for _, note := range found.Notes {
			line("  note: %s", note)
		}
	}
	return nil
}
