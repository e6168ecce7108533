package plan

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// notModelledText says what a plan does not predict.
const notModelledText = "Not modelled: admission webhooks, further validation, conversion between versions."

// colours of the outcomes.
var colours = map[string]printable.Colour{
	Create: printable.Green, Change: printable.Yellow, Conflict: printable.Red, Refused: printable.Red, Unknown: printable.Red,
	Gone: printable.Red,
}

// reasons are those of outcomes that need an explanation, for krm-fields explain.
var reasons = map[string]string{Conflict: report.ReasonConflict, Refused: report.ReasonRefused, Unknown: report.ReasonUnknown}

// WriteText writes the plan for a person to read, in colour if asked.
func (p *Plan) WriteText(out io.Writer, coloured bool) error {
	var w bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintln(&w, printable.Source(fmt.Sprintf(format, args...))) }
	for _, r := range p.Rules {
		line("%s %s: %s [%s]", r.Path, r.Expression, r, r.reason)
	}
	if len(p.Rules) > 0 {
		line("")
	}
	for _, o := range p.Objects {
		head := printable.Source(o.Ref.String()) + ": " + colours[o.Outcome].Of(o.Outcome, coloured)
		if reason := reasons[o.Outcome]; reason != "" {
			head += " [" + reason + "]"
		}
		if o.OrderOnly {
			head += ", order only"
		}
		fmt.Fprintln(&w, head)
		if o.Cause != "" {
			line("  %s", o.Cause)
		}
		for _, text := range o.Lines() {
			line("  %s", text)
		}
		if o.changesNoField() {
			line("  %s", noField)
		}
		for _, text := range o.serverLines() {
			line("  %s [%s]", text, report.ReasonPlanAssumption)
		}
		for _, l := range o.Leftover {
			line("  leftover: %s, which an old entry of %s keeps, and no apply removes: %s%s [%s]",
				l.Path, l.Manager, l.Command, l.orHandover(), report.ReasonLeftover)
		}
	}
	for _, pruned := range p.Pruned {
		line("%s [%s]", pruned, report.ReasonDeleted)
	}
	if rules := p.resolvingRules(); rules != nil {
		fmt.Fprintf(&w, "\n%s:\n\n", p.resolvingText())
		if err := explain.WriteNode(&w, rules); err != nil {
			return err
		}
	}
	for _, text := range p.appliers() {
		line("")
		line("%s.", text)
	}
	line("")
	fmt.Fprintln(&w, printable.Bold.Of(printable.Source(p.summary()), coloured))
	line(notModelledText)
	_, err := out.Write(w.Bytes())
	return err
}

// noField is said of an object that the API server would write although no field changes.
const noField = "no field changes, only managedFields or metadata that is not shown"

func (o *PlannedObject) changesNoField() bool { return o.Outcome == Change && len(o.Fields) == 0 }

// Lines say what becomes of the fields. All those of a new object are set.
func (o *PlannedObject) Lines() []string {
	if o.isNew {
		if o.Outcome == Refused {
			return nil
		}
		return []string{words.Count(len(o.Fields), "field") + " set"}
	}
	var lines []string
	kept, same, told := 0, map[string]int{}, map[string]bool{}
	for _, f := range o.Fields {
		if !f.isChanged {
			same[f.outcome()]++
		}
	}
	for _, f := range o.Fields {
		outcome := f.outcome()
		switch {
		case f.onlyGainsOwners():
			kept++
		case f.isChanged || same[outcome] <= maxSame:
			lines = append(lines, f.name()+": "+f.String())
		case !told[outcome]:
			told[outcome] = true
			lines = append(lines, words.Count(same[outcome], "field")+" with the same value, "+outcome)
		}
	}
	if kept > 0 {
		lines = append(lines, words.Count(kept, "field")+" with the same value, which we own from now on, too")
	}
	return lines
}

// maxSame is how many fields of one object are listed that keep their value and become the same.
const maxSame = 3

func (p *Plan) resolvingText() string {
	fields := "the conflicting fields"
	if p.as != nil && p.as.Forces {
		fields = "the fields that are taken over"
	}
	if p.isOfWorks {
		return "These rules leave " + fields + " to their owners; krm-fields convert --to ocm writes them as manifestConfigs of a work"
	}
	if p.hasRules {
		return "Append these rules to ignoreFields to leave " + fields + " to their owners"
	}
	return "Save these rules as a file for --config to leave " + fields + " to their owners"
}

// summary counts the objects by their outcomes.
func (p *Plan) summary() string {
	counts := map[string]int{}
	for _, o := range p.Objects {
		counts[o.Outcome]++
	}
	as := p.manager
	if p.as.Name != p.manager {
		as = p.as.Name + " (" + p.manager + ")"
	}
	summary := fmt.Sprintf("Apply as %s: %s", as, words.Count(len(p.Objects), "object"))
	if len(p.Objects) > 0 {
		summary += ": " + counted(counts)
	}
	return summary + "."
}

// String says what becomes of the field.
func (f TouchedField) String() string {
	before, after := f.values()
	would := ""
	if f.Base != nil {
		if _, would = f.Base.values(); would == after && !reflect.DeepEqual(f.value, f.Base.value) {
			after, would = shown(f.New, f.Base.New)
		}
	}
	text := before
	if f.isChanged {
		text += " → " + after
	}
	text += ", " + f.outcome()
	if f.Base != nil {
		text += "; without the change: " + would + ", " + f.Base.outcome()
	}
	return text
}

// outcome says why, and who owns the field.
func (f TouchedField) outcome() string {
	if owners := owners(f.OwnersBefore, f.OwnersAfter); owners != "" {
		return f.why() + " (" + owners + ")"
	}
	return f.why()
}

// onlyGainsOwners tells whether the value stays, and so do all owners, and that no other plan has
// something else of it.
func (f TouchedField) onlyGainsOwners() bool {
	lost := func(name string) bool { return !slices.Contains(f.OwnersAfter, name) }
	return !f.isChanged && f.Base == nil && f.Why != merge.Conflicting && f.Why != merge.Left && !slices.ContainsFunc(f.OwnersBefore, lost)
}

// name is the path of the field; that of a list or map with one owner says so.
func (f TouchedField) name() string {
	if f.atomic == "" {
		return f.Path
	}
	return f.Path + ", an atomic " + f.atomic
}

// values are the value before and after: of a list or map that is too long to be shown, the first
// place that changes.
func (f TouchedField) values() (before, after string) {
	before, after = shown(f.Old, f.New)
	if f.isReordered {
		names := func(value *any, other string) string {
			if value == nil {
				return other
			}
			return fmt.Sprint(*value)
		}
		return names(f.Old, before), names(f.New, after)
	}
	if f.part == nil || !strings.Contains(before+after, "…") {
		return before, after
	}
	before, after = shown(f.part.old, f.part.new)
	before = f.part.path + " " + before
	if f.part.more > 0 {
		after += fmt.Sprintf(", and %d more", f.part.more)
	}
	return before, after
}

func (f TouchedField) why() string {
	switch f.Why {
	case merge.Removed:
		return "removed, or reset to its default, since we own it alone"
	case merge.Left:
		if len(f.others) == 0 {
			return "left as is"
		}
		return "left to " + strings.Join(f.others, ", ")
	case merge.Shared:
		return "shared with " + strings.Join(f.others, ", ")
	case merge.Conflicting:
		if f.hasLiveValues {
			return "conflict: --force-conflicts takes it over, with the live values that the rules take"
		}
		if f.advice != "" {
			return "conflict: " + f.advice
		}
		return "conflict"
	}
	switch {
	case len(f.takenFrom) > 0:
		return "taken over from " + strings.Join(f.takenFrom, ", ")
	case f.isDefault:
		return "its default"
	case f.OrderOnly:
		return "order only"
	case f.isReordered:
		return "reordered"
	}
	return "set by us"
}

func owners(before, after []string) string {
	was, is := strings.Join(before, ", "), strings.Join(after, ", ")
	switch {
	case was == "" && is == "":
		return ""
	case was == is:
		return "owned by " + is
	case was == "":
		return "owned by " + is + " from now on"
	case is == "":
		return "owned by " + was + " until now"
	}
	return "owned by " + was + " → " + is
}

// maxValue is how many characters of a value are shown, and maxAlike how many of them are before
// the first difference.
const (
	maxValue = 60
	maxAlike = 20
)

// shown are two values, nil for none: of long ones that begin alike, what is around the first place
// that differs.
func shown(a, b *any) (textOfA, textOfB string) {
	wholeA, wholeB := shownWhole(a), shownWhole(b)
	textOfA, textOfB = words.Shorten(wholeA, maxValue), words.Shorten(wholeB, maxValue)
	if textOfA != textOfB || wholeA == wholeB {
		return textOfA, textOfB
	}
	runesOfA, runesOfB := []rune(wholeA), []rune(wholeB)
	from := 0
	for from < min(len(runesOfA), len(runesOfB)) && runesOfA[from] == runesOfB[from] {
		from++
	}
	from -= maxAlike
	return "…" + words.Shorten(string(runesOfA[from:]), maxValue), "…" + words.Shorten(string(runesOfB[from:]), maxValue)
}

func shownWhole(value *any) string {
	if value == nil {
		return "nothing"
	}
	text, err := tree.JSONText(*value)
	if err != nil {
		return err.Error()
	}
	return text
}

// String says what becomes of the expression's fields.
func (r RuleVerdict) String() string {
	text := strings.ReplaceAll(r.judgement.text, "%s", strings.Join(r.managers, ", "))
	if r.Objects > 0 {
		text += fmt.Sprintf(" (%s)", words.Count(r.Objects, "object"))
	}
	return text
}

// WriteJSON writes the plan as JSON.
func (p *Plan) WriteJSON(out io.Writer) error { return explain.WriteJSON(out, p) }
