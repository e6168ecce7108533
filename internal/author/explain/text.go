package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
)

const (
	// maxNames is how many objects a line names.
	maxNames = 3
	// maxValue is how many characters of a value are shown.
	maxValue = 80
)

// textWriter writes an explanation for a terminal.
type textWriter struct {
	out *bufio.Writer
	// coloured is true if the terminal shows colours.
	coloured bool
}

// WriteText writes the explanation for a person to read, in colour if asked. Errors are left to the
// caller to print.
func (e *Explanation) WriteText(out io.Writer, coloured bool) error {
	w := textWriter{out: bufio.NewWriterSize(out, 1<<16), coloured: coloured}
	file := ""
	if e.FunctionConfig.File != "" {
		file = " (" + e.FunctionConfig.File + ")"
	}
	w.line("%s%s", w.paint(printable.Bold, e.FunctionConfig.String()), file)
	for _, rule := range e.Rules {
		w.rule(rule, e.Summary.Objects)
	}
	var results []painted
	unmatched := lists.Map(e.Unmatched, func(u selector.Unmatched) painted { return w.paint(printable.Yellow, u.Path+": "+u.Message) })
	notChosen := lists.Map(groupRefused(e.NotChosen), func(g group) painted { return painted(printable.Line(g.text())) })
	for _, r := range e.other() {
		if severity := r.Severity; severity != report.SeverityError {
			rest := printable.Line(strings.TrimPrefix(r.Line(), severity))
			results = append(results, w.paint(report.Colours[severity], severity)+painted(rest))
		}
	}
	w.section("Selectors that match nothing", unmatched)
	w.section("Not selected", notChosen)
	w.section("Results", results)
	if len(e.Changes) > 0 {
		w.line("\n%s", w.paint(printable.Bold, "Changes"))
	}
	w.diffs(e.Changes, "")
	w.line("\n%s", w.paint(printable.Bold, e.Summary.String()))
	return w.out.Flush()
}

// section writes lines below a title, if there are any.
func (w textWriter) section(title string, lines []painted) {
	if len(lines) > 0 {
		w.line("\n%s", w.paint(printable.Bold, title))
	}
	for _, line := range lines {
		w.line("  %s", line)
	}
}

// line writes one line, in which printable.Line writes the texts.
func (w textWriter) line(format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = printable.Line(text)
		}
	}
	fmt.Fprintf(w.out, format+"\n", args...)
}

// painted is a text that line writes as it is.
type painted string

func (p painted) String() string { return string(p) }

// paint returns a text as printable.Source writes it, in a colour.
func (w textWriter) paint(c printable.Colour, text string) painted {
	return painted(c.Of(printable.Source(text), w.coloured))
}

func (w textWriter) rule(rule *ExplainedRule, objects int) {
	w.line("")
	if rule.Of != nil {
		w.line("%s of %s, %s", w.paint(printable.Bold, rule.Path), rule.Of.String(), rule.Condition)
	} else {
		w.line("%s, %s, on %d of %s", w.paint(printable.Bold, rule.Path), rule.Condition, rule.Chosen, words.Count(objects, "object"))
	}
	for _, group := range groupRefused(rule.NotInRule) {
		w.line("  not on %s", group.text())
	}
	if rule.MoreNotInRule > 0 {
		w.line("  not on %s", words.Count(rule.MoreNotInRule, "more object"))
	}
	for _, e := range rule.Within {
		w.line("  in the documents of %s", w.paint(printable.Cyan, e.label(rule)+" "+e.Text))
		w.missed(e)
	}
	for _, expression := range rule.Expressions {
		w.expression(rule, expression)
	}
}

func (w textWriter) expression(rule *ExplainedRule, e *Expression) {
	w.line("  %s", w.paint(printable.Cyan, strings.TrimSpace(e.label(rule)+" "+e.Text)))
	for _, found := range e.Found {
		w.line("    %s", found.Object.String())
		for _, field := range found.Fields {
			w.field(rule, field)
		}
	}
	w.missed(e)
	switch {
	case !e.MatchedNothing:
	case rule.Chosen == 0:
		w.line("    %s", w.paint(printable.Yellow, "matched nothing, since the rule applies to no object"))
	default:
		w.line("    %s", w.paint(printable.Yellow, "matched nothing in the whole run"))
	}
}

// missed writes where an expression failed or found nothing, and what else is to be said of it.
func (w textWriter) missed(e *Expression) {
	for _, group := range groupMissed(e.Failed) {
		w.line("    %s", w.paint(printable.Red, "failed on "+group.text()))
	}
	for _, group := range groupMissed(e.Nothing) {
		w.line("    nothing in %s", group.text())
	}
	for _, note := range e.Notes {
		w.line("    %s", note)
	}
}

// label names the expression within its rule.
func (e *Expression) label(rule *ExplainedRule) string {
	if e.key != "" {
		return e.key
	}
	return strings.TrimPrefix(e.Path, rule.Path+".")
}

func (w textWriter) field(rule *ExplainedRule, f FoundField) {
	place, condition := f.place(), ""
	if place != "" {
		place += "  "
	}
	if f.Condition != rule.Condition {
		condition = " (" + f.Condition + ")"
	}
	if f.Owner != "" {
		condition += ", owner: " + f.Owner
	}
	w.line("      %s%s: %s%s", place, w.paint(printable.Green, f.Path), words.Shorten(string(f.Value), maxValue), condition)
}

// place is the file and line of the field: web.yaml:7.
func (f FoundField) place() string {
	if f.File == "" || f.Line == 0 {
		return f.File
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// diffs writes the diffs, one file behind the other, behind those of a file. It returns the last
// file.
func (w textWriter) diffs(all []Change, file string) string {
	for _, change := range all {
		lines := strings.Split(strings.TrimSuffix(change.Diff, "\n"), "\n")
		if change.Diff == "" {
			continue
		}
		if change.File != "" && change.File == file {
			lines = lines[2:] // the file is named already
		}
		file = change.File
		for j, line := range lines {
			fmt.Fprintln(w.out, w.diffLine(line, j < 2))
		}
	}
	return file
}

// diffLine colours a line of a diff; a head names the file.
func (w textWriter) diffLine(line string, isHead bool) painted {
	switch {
	case isHead && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ")):
		return w.paint(printable.Bold, line)
	case strings.HasPrefix(line, "@@"):
		return w.paint(printable.Cyan, line)
	case strings.HasPrefix(line, "-"):
		return w.paint(printable.Red, line)
	case strings.HasPrefix(line, "+"):
		return w.paint(printable.Green, line)
	}
	return w.paint("", line)
}
