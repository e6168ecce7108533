package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
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
	Object explain.ObjectName
	Field  string
	File   string
	Line   int
	// Texts are the expressions by the name of the dialect.
	Texts map[string]string
	// Within are the expressions for the strings whose documents hold the field, the outermost
	// first.
	Within []map[string]string
	Notes  []string
}

// MarshalJSON writes the expressions as members by the name of their dialect.
func (l located) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	members := []any{"object", l.Object, "field", l.Field, "file", l.File}
	if l.Line > 0 {
		members = append(members, "line", l.Line)
	}
	for _, d := range expr.SimplestFirst() {
		if l.Texts[d.Name] != "" {
			members = append(members, d.Name, l.Texts[d.Name])
		}
	}
	if len(l.Within) > 0 {
		members = append(members, "within", l.Within)
	}
	if len(l.Notes) > 0 {
		members = append(members, "notes", l.Notes)
	}
	separator := '{'
	for i := 0; i < len(members); i += 2 {
		fmt.Fprintf(&text, "%c%q:", separator, members[i])
		if err := encoder.Encode(members[i+1]); err != nil {
			return nil, err
		}
		separator = ','
	}
	text.WriteByte('}')
	return text.Bytes(), nil
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
			inside := search.inside(o, l)
			if len(inside) == 0 {
				all = append(all, spell(o, mask, l))
			}
			for _, places := range inside {
				all = append(all, spellInside(o, mask, l, places))
			}
		}
	}
	if len(all) == 0 {
		return search.nothing(objects)
	}
	return printLocated(options.output, all, streams.Out)
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

// search looks for fields in one object after another.
type search interface {
	in(o *object.Object) ([]location.Location, error)
	// inside returns the places in documents inside the string at a location, from the outside in;
	// none if the location itself is meant.
	inside(o *object.Object, l location.Location) [][]embedded.Place
	// nothing is the error if no object has any.
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

// maxLineWork bounds the nodes that are visited to prove the expressions for all fields of a line:
// each is resolved in the whole object.
const maxLineWork = 10_000_000

func (s *lineSearch) in(o *object.Object) ([]location.Location, error) {
	on := location.OnLine(o.Root(), s.lines, o.FirstLine()-1, s.line)
	if len(on) > 1 && len(on)*location.Places(o.Root()) > maxLineWork {
		return nil, fmt.Errorf("line %d of %s must have fewer fields, found %d in an object that is too large to tell of all; "+
			"ask for one, such as --field '%s'", s.line, s.file, len(on), on[len(on)-1])
	}
	return on, nil
}

func (s *lineSearch) inside(o *object.Object, l location.Location) [][]embedded.Place {
	n := location.At(o.Root(), l)
	if n == nil || n.Kind != yaml.ScalarNode || o.LineOf(location.Begin(o.Root(), l)) == s.line {
		return nil
	}
	return embedded.OnLine(o, l, s.line)
}

func (s *lineSearch) nothing(objects []*object.Object) error {
	message := fmt.Sprintf("line %d of %s has no field", s.line, s.file)
	var next location.Location
	nearest := 0
	for _, o := range objects {
		if l, line := location.NextLine(o.Root(), o.FirstLine()-1, s.line); line > 0 && (nearest == 0 || line < nearest) {
			next, nearest = l, line
		}
	}
	if nearest > 0 {
		message += fmt.Sprintf("; the next one, %s, is on line %d", next, nearest)
	}
	return errors.New(message)
}

// fieldSearch finds a field by its location, as results show it, or, if an object has no such
// place, by an expression.
type fieldSearch struct {
	text       string
	location   location.Location
	expression expr.Expression
	// hint is why an object has no such field, from the one that comes nearest.
	hint  string
	depth int
}

func newFieldSearch(text string) (search, error) {
	s := &fieldSearch{text: text}
	var err error
	if strings.HasPrefix(text, "/") {
		s.expression, err = jsonpointer.Parse(text)
		return s, err
	}
	if s.location, err = location.ParseField(text); err != nil {
		return nil, fmt.Errorf("--field: %w", err)
	}
	if s.expression, err = jsonpath.Parse("." + strings.TrimPrefix(text, ".")); err != nil {
		s.expression, err = jsonpointer.Parse(s.location.Pointer())
	}
	return s, err
}

func (s *fieldSearch) in(o *object.Object) ([]location.Location, error) {
	if s.location != nil && location.At(o.Root(), s.location) != nil {
		return []location.Location{s.location}, nil
	}
	found, err := s.expression.Locate(&expr.Input{Root: o.Root()})
	if err == nil && s.hint == "" || found.Depth > s.depth {
		s.hint, s.depth = found.Hint, found.Depth
	}
	if _, failed := errors.AsType[*expr.RuntimeError](err); failed {
		return nil, nil // an index where there is no list: another object may have the field
	}
	return found.Locations, err
}

func (s *fieldSearch) inside(*object.Object, location.Location) [][]embedded.Place { return nil }

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
func spell(o *object.Object, mask redact.Mask, l location.Location) located {
	root := o.Root()
	expressions := expr.Spell(root, l, jq.Limits{}, mask.Hides)
	found := located{
		Object: explain.ObjectName(report.RefOf(root)), Field: l.String(),
		File: o.File().Path, Line: o.LineOf(location.Begin(root, l)),
		Texts: expressions.Texts,
	}
	for _, list := range expressions.ByIndex {
		found.Notes = append(found.Notes, fmt.Sprintf("nothing but its position tells the element of %s from the others", listName(list)))
	}
	for _, list := range expressions.ByPair {
		found.Notes = append(found.Notes, fmt.Sprintf(
			"it takes two keys to tell the element of %s from the others, and a JSONPath can ask for one", listName(list)))
	}
	for _, d := range expr.Dialects {
		if d.SkipsNull && found.Texts[d.Name] == "" && tree.Type(location.At(root, l)) == tree.Null {
			found.Notes = append(found.Notes, "the field is null, and a null is nothing to "+d.Title)
		}
	}
	return found
}

// spellInside makes the expressions for a place in a document inside the string at a location, and
// those for the string.
func spellInside(o *object.Object, mask redact.Mask, l location.Location, places []embedded.Place) located {
	found := spell(o, mask, l)
	found.Field, found.Line = embedded.Text(l, places), embedded.Line(o, l, places)
	within, outer := found.Texts, o
	for i, p := range places {
		found.Within = append(found.Within, within)
		document := embedded.Documents(outer, l)[p.Document]
		inner := spell(document.Object, mask, p.Location)
		if n := len(embedded.Documents(outer, l)); n > 1 && i == len(places)-1 {
			found.Notes = append(found.Notes, fmt.Sprintf("a rule with these expressions takes the field in all %d documents of the string", n))
		}
		found.Notes = append(found.Notes, inner.Notes...)
		within, outer, l = inner.Texts, document.Object, p.Location
	}
	found.Texts = within
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
		for _, texts := range found.Within {
			line("  within:")
			for _, d := range expr.SimplestFirst() {
				line("    %-12s  %s", d.Title, orNone(texts[d.Name]))
			}
		}
		for _, d := range expr.SimplestFirst() {
			line("  %-12s  %s", d.Title, orNone(found.Texts[d.Name]))
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

// listName names a list in a note.
func listName(l location.Location) string {
	if len(l) == 0 {
		return "the document"
	}
	return l.String()
}
