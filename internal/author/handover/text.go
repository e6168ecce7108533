package handover

import (
	"fmt"
	"io"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// labels are the outcomes in the text, in the order of the summary, and their colours.
var labels = []struct {
	outcome, label string
	colour         printable.Colour
	reason         string
}{
	{HandOver, "to hand over", printable.Yellow, ""},
	{Patched, "handed over", printable.Green, ""},
	{Nothing, "nothing to hand over", "", ""},
	{NotThere, "not on the cluster", "", ""},
	{Blocked, "blocked", printable.Red, report.ReasonHandoverBlocked},
	{Refused, "refused", printable.Red, report.ReasonRefused},
	{Unknown, "unknown", printable.Red, report.ReasonUnknown},
	{Failed, "failed", printable.Red, ""},
	{NotSent, "not sent", printable.Red, ""},
}

// WriteObject writes what becomes of one object for a person to read, in colour if asked.
func (h *Handover) WriteObject(out io.Writer, o *Object, coloured bool) {
	for _, l := range labels {
		if l.outcome != o.Outcome {
			continue
		}
		head := printable.Source(o.Ref.String()) + ": " + l.colour.Of(l.label, coloured)
		if l.reason != "" {
			head += " [" + l.reason + "]"
		}
		fmt.Fprintln(out, head)
	}
	for _, line := range h.lines(o) {
		fmt.Fprintln(out, printable.Source("  "+line))
	}
}

func (h *Handover) lines(o *Object) (lines []string) {
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if o.Cause != "" {
		line("%s", o.Cause)
	}
	if o.entries == nil || o.Outcome == Failed || o.Outcome == NotSent {
		return lines
	}
	from := words.All(lists.Map(o.From, EntryName.String))
	switch {
	case len(o.Moved) > 0:
		line("%s from %s to %s (Apply): %s", words.Count(len(o.Moved), "field"), from, h.Manager, words.Some(o.Moved, maxNamed))
	case from != "":
		line("no field from %s to %s (Apply)", from, h.Manager)
	}
	for _, s := range o.Stale {
		then := fmt.Sprintf("it has no owner any more; --remove-stale has %s remove it, and so does: %s", h.To, s.Command)
		if o.maker.RemoveStale {
			then = "the next apply of " + h.To + " removes it"
		}
		line("stale: %s, %s, which the package lacks: %s [%s]", s.Path, shown(s.Value), then, report.ReasonLeftover)
	}
	for _, r := range o.Released {
		if len(r.To) == 0 {
			line("left as it is by a rule, without an owner: %s", r.Path)
		} else {
			line("left to %s: %s", words.All(r.To), r.Path)
		}
	}
	for _, m := range o.Marks {
		then := "stays; --forget removes it"
		if o.maker.Forget {
			then = "is removed"
		}
		line("%s, by which %s finds its objects, %s", m.Path, h.From, then)
	}
	if o.Next == nil {
		return lines
	}
	line("next apply of %s: %s", h.To, o.Next.Outcome)
	if o.Next.Cause != "" {
		line("  %s", o.Next.Cause)
	}
	for _, text := range o.Next.Lines() {
		line("  %s", text)
	}
	return lines
}

// maxShown is how many characters of a value are shown.
const maxShown = 60

func shown(value any) string {
	text, err := tree.MarshalJSON(tree.FromValue(value))
	if err != nil {
		return "a " + tree.Type(tree.FromValue(value))
	}
	return words.Shorten(string(text), maxShown)
}

// Summary counts the objects by their outcomes.
func (h *Handover) Summary() string {
	counts := map[string]int{}
	for _, o := range h.Objects {
		counts[o.Outcome]++
	}
	var parts []string
	for _, l := range labels {
		if n := counts[l.outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, l.label))
		}
	}
	summary := fmt.Sprintf("Handover from %s to %s (%s): %s", h.From, h.To, h.Manager, words.Count(len(h.Objects), "object"))
	if parts != nil {
		summary += ": " + strings.Join(parts, ", ")
	}
	return summary + "."
}

// Succeeds tells whether all that is to be handed over is, or would be.
func (h *Handover) Succeeds() bool {
	for _, o := range h.Objects {
		switch o.Outcome {
		case Blocked, Refused, Unknown, Failed, NotSent:
			return false
		}
	}
	return true
}
