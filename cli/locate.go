package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/author/locate"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/world"
)

type locateOptions struct {
	line    int
	field   string
	object  string
	output  string
	cluster clusterOptions
	// hasLine tells whether a line was given.
	hasLine bool
}

func newLocate(streams Streams) *cobra.Command {
	var options locateOptions
	command := describe("locate")
	command.RunE = func(command *cobra.Command, paths []string) error {
		options.hasLine = command.Flags().Changed("line")
		return runLocate(options, paths, streams)
	}
	flags := command.Flags()
	flags.IntVar(&options.line, "line", 0, "line `N` of the file, from 1")
	flags.StringVar(&options.field, "field", "", "the `FIELD`: spec.replicas, or /spec/replicas")
	addObject(command, &options.object, "only in this")
	addFormat(command, &options.output, []string{"text", "json", "yaml"}, "`FORMAT`: text, yaml for rules to paste into ignoreFields, or json")
	options.cluster.addTo(command)
	return command
}

func runLocate(options locateOptions, paths []string, streams Streams) error {
	if !options.hasLine && options.field == "" && len(paths) == 1 {
		paths[0], options.line, options.hasLine = cutLine(paths[0])
	}
	if err := options.check(paths); err != nil {
		return err
	}
	in, err := options.cluster.inputs(paths, nil, streams)
	if err != nil {
		return err
	}
	printResults(streams.Err, in.skipped)
	files := in.files
	if _, in.objects, err = named(options.object, in.objects); err != nil {
		return err
	}
	if options.hasLine && len(files) != 1 {
		return fmt.Errorf("--line must be that of one file, found %d files in %s", len(files), strings.Join(in.paths, ", "))
	}
	if options.hasLine {
		if last := len(files[0].Lines()); options.line < 1 || options.line > last {
			return fmt.Errorf("--line must be from 1 to %d, the last line of %s, found %d", last, files[0].Path, options.line)
		}
	}
	if options.cluster.hasLive() {
		return options.blame(in, streams)
	}
	var search locate.Search
	if options.hasLine {
		search = locate.NewLine(files[0].Path, files[0].Lines(), options.line)
	} else if search, err = locate.NewField(options.field); err != nil {
		if _, ok := errors.AsType[*location.FieldError](err); ok {
			err = fmt.Errorf("--field: %w", err)
		}
		return err
	}
	places, err := locate.Find(search, in.objects)
	if err != nil {
		return err
	}
	all := lists.Map(places, locate.FoundField.Spell)
	switch options.output {
	case "json":
		return explain.WriteJSON(streams.Out, append([]locate.Located{}, all...)) // not null where there are none
	case "yaml":
		return explain.WriteNode(streams.Out, locate.Rules(all))
	}
	writeLocated(all, streams.Out, hasColour(streams.Out))
	return nil
}

func (o locateOptions) check(paths []string) error {
	live, flag := o.cluster.hasLive(), o.cluster.liveFlag()
	field := "FIELD"
	if last := len(paths) - 1; last > 0 {
		if _, err := os.Stat(paths[last]); err != nil {
			field = paths[last]
		}
	}
	return firstOf(
		fault{!live && !o.hasLine && o.field == "", "there must be a line or a field, found neither; type --line N or --field " + field},
		fault{o.hasLine && o.field != "", "--line and --field must not be given together"},
		fault{live && o.field != "", "--field and " + flag + " must not be given together; type --line N"},
		fault{live && o.output == "yaml", fmt.Sprintf("--output must be text or json with %s, found %q", flag, o.output)},
	)
}

// blame prints who owns the fields of the objects on the cluster.
func (o locateOptions) blame(in inputs, streams Streams) error {
	w := &world.World{Objects: slices.DeleteFunc(in.objects, hostless.IsLocal), Live: in.live, HasLive: true, Unread: in.unread(), Mask: streams.mask}
	all, results, err := locate.NewBlame(w, in.files, o.line, o.output == "json")
	printResults(streams.Err, results)
	if err != nil {
		return err
	}
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

const cannotName = "can't name it"

// writeLocated writes what names each field for a person to read, in colour if asked.
func writeLocated(all []locate.Located, out io.Writer, coloured bool) {
	line := func(c printable.Colour, format string, args ...any) {
		fmt.Fprintln(out, c.Of(printable.Line(fmt.Sprintf(format, args...)), coloured))
	}
	for i, found := range all {
		if i > 0 {
			fmt.Fprintln(out)
		}
		line(printable.Bold, "%s, %s (%s:%d)", found.Object, found.Field, found.File, found.Line)
		for _, texts := range found.Within {
			line("", "  within:")
			for _, d := range expr.SimplestFirst() {
				line(printable.Cyan, "    %-17s  %s", d.Field, cmp.Or(texts[d.Name], cannotName))
			}
		}
		for _, d := range expr.SimplestFirst() {
			line(printable.Cyan, "  %-17s  %s", d.Field, cmp.Or(found.Texts[d.Name], cannotName))
		}
		for _, note := range found.Notes {
			line(printable.Yellow, "  note: %s", note)
		}
	}
}
