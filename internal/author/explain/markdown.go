package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
)

// A comment on GitHub has 65,536 characters at most. So each part of ours has its share of bytes,
// and says how much it leaves out.
const (
	maxTable = 20_000
	maxList  = 10_000
	maxDiff  = 20_000
	// maxCell is how many characters a name, a path or a value has.
	maxCell = 100
)

// WriteMarkdown writes the explanation as a comment on a pull request, within the length that a
// comment may have.
func (e *Explanation) WriteMarkdown(out io.Writer) error {
	w := markdownWriter{bufio.NewWriter(out)}
	w.line("### %s", printable.Markdown(e.FunctionConfig.String()))
	w.line("\n%s", e.Summary)
	w.fields(e.Rules)
	w.list("Matched nothing", e.nothing())
	w.list("Results", e.told())
	w.diff(e.Changes)
	return w.out.Flush()
}

type markdownWriter struct{ out *bufio.Writer }

func (w markdownWriter) line(format string, args ...any) { fmt.Fprintf(w.out, format+"\n", args...) }

// fields writes the table of what was found.
func (w markdownWriter) fields(rules []*ExplainedRule) {
	var rows []string
	for _, rule := range rules {
		for _, e := range rule.Expressions {
			for _, found := range e.Found {
				for _, field := range found.Fields {
					rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s |", printable.Markdown(found.Object.String()),
						code(field.Path), code(string(field.Value)), printable.Markdown(field.place()), code(e.Path)))
				}
			}
		}
	}
	if len(rows) == 0 {
		return
	}
	w.line("\n| object | field | value | where | by |\n| --- | --- | --- | --- | --- |")
	if left := w.some(rows, maxTable); left > 0 {
		w.line("\n%s not shown.", words.Count(left, "more field"))
	}
}

// some writes texts up to a number of bytes and returns how many are left.
func (w markdownWriter) some(texts []string, most int) (left int) {
	for i, text := range texts {
		if most -= len(text) + 1; most < 0 {
			return len(texts) - i
		}
		w.line("%s", text)
	}
	return 0
}

// nothing lists what matched nothing in the whole run, and why.
func (e *Explanation) nothing() []string {
	var texts []string
	for _, rule := range e.Rules {
		for _, expression := range rule.Expressions {
			if !expression.MatchedNothing {
				continue
			}
			text := code(expression.Path) + " " + code(expression.Text)
			if expression.Text == "" {
				text = code(expression.Path)
			}
			if rule.Chosen == 0 {
				text += ": the rule applies to no object"
			}
			for _, group := range groupMissed(expression.Nothing) {
				text += "; in " + printable.Markdown(group.text())
			}
			texts = append(texts, strings.Replace(text, "; in ", ": in ", 1))
		}
	}
	for _, u := range e.Unmatched {
		texts = append(texts, code(u.Path)+": "+printable.Markdown(u.Message))
	}
	return texts
}

// told lists the results that say something of their own, errors first.
func (e *Explanation) told() []string {
	var errors, others []string
	for _, r := range e.other() {
		text := "**" + r.Severity + "**" + printable.Markdown(strings.TrimPrefix(r.Line(), r.Severity))
		if r.Severity == report.SeverityError {
			errors = append(errors, text)
			continue
		}
		others = append(others, text)
	}
	return append(errors, others...)
}

func (w markdownWriter) list(title string, texts []string) {
	if len(texts) == 0 {
		return
	}
	w.line("\n**%s**\n", title)
	if left := w.some(lists.Map(texts, func(text string) string { return "- " + text }), maxList); left > 0 {
		w.line("- and %d more", left)
	}
}

func (w markdownWriter) diff(changes []Change) {
	var text strings.Builder
	left := 0
	for _, change := range changes {
		if text.Len()+len(change.Diff) > maxDiff {
			left++
			continue
		}
		text.WriteString(change.Diff)
	}
	if text.Len() > 0 {
		w.line("\n<details><summary>Changes</summary>\n\n%s\n\n</details>", printable.Fence("diff", text.String()))
	}
	if left > 0 {
		w.line("\nThe changes of %s not shown.", words.Count(left, "more object"))
	}
}

// code writes the beginning of a text as a span of code.
func code(text string) string { return printable.Code(words.Shorten(text, maxCell)) }
