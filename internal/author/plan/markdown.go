package plan

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
)

// maxTable is how many bytes of fields are in the comment on a pull request, which has 65,536
// characters at most.
const maxTable = 40_000

// WriteMarkdown writes the plan as a comment on a pull request.
func (p *Plan) WriteMarkdown(out io.Writer) error {
	var w bytes.Buffer
	fmt.Fprintf(&w, "### What a server-side apply would do\n\n%s\n", printable.Markdown(p.summary()))
	left := 0
	if len(p.Rules) > 0 {
		fmt.Fprint(&w, "\n| rule | expression | verdict |\n| --- | --- | --- |\n")
	}
	for _, r := range p.Rules {
		fmt.Fprintf(&w, "| %s | %s | %s |\n", printable.Code(r.Path), printable.Code(r.Expression), printable.Markdown(r.String()))
	}
	for _, o := range p.Objects {
		if o.Outcome == Unchanged && o.serverLines() == nil {
			continue
		}
		if w.Len() > maxTable {
			left++
			continue
		}
		o.writeMarkdown(&w)
	}
	if left > 0 {
		fmt.Fprintf(&w, "\n%s not shown.\n", words.Count(left, "more object"))
	}
	for _, pruned := range p.Pruned {
		fmt.Fprintf(&w, "\n#### %s\n", printable.Markdown(pruned.String()))
	}
	if rules := p.resolvingRules(); rules != nil {
		var text strings.Builder
		if err := explain.WriteNode(&text, rules); err != nil {
			return err
		}
		fmt.Fprintf(&w, "\n%s:\n\n%s\n", p.resolvingText(), printable.Fence("yaml", text.String()))
	}
	for _, text := range p.appliers() {
		fmt.Fprintf(&w, "\n%s.\n", printable.Markdown(text))
	}
	fmt.Fprintf(&w, "\n%s\n", notModelledText)
	_, err := out.Write(w.Bytes())
	return err
}

func (o *PlannedObject) writeMarkdown(w *bytes.Buffer) {
	order := ""
	if o.OrderOnly {
		order = ", order only"
	}
	fmt.Fprintf(w, "\n#### %s: %s%s\n", printable.Markdown(o.Ref.String()), o.Outcome, order)
	if o.Cause != "" {
		fmt.Fprintf(w, "\n%s\n", printable.Markdown(o.Cause))
	}
	for _, text := range o.serverLines() {
		fmt.Fprintf(w, "\n%s.\n", printable.Markdown(text))
	}
	if o.changesNoField() {
		fmt.Fprintf(w, "\n%s.\n", noField)
	}
	if o.isNew {
		for _, text := range o.Lines() {
			fmt.Fprintf(w, "\n%s.\n", text)
		}
		return
	}
	for _, l := range o.Leftover {
		fmt.Fprintf(w, "\nleftover: %s, which an old entry of %s keeps: %s\n", printable.Code(l.Path), printable.Code(l.Manager), printable.Code(l.Command))
	}
	if len(o.Fields) > 0 {
		fmt.Fprint(w, "\n| field | before | after | why | owners |\n| --- | --- | --- | --- | --- |\n")
	}
	for i, f := range o.Fields {
		if w.Len() > maxTable {
			fmt.Fprintf(w, "\n%s not shown.\n", words.Count(len(o.Fields)-i, "more field"))
			return
		}
		before, after := f.values()
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", printable.Code(f.name()), printable.Code(before), printable.Code(after),
			printable.Markdown(f.why()), printable.Markdown(owners(f.OwnersBefore, f.OwnersAfter)))
	}
}
