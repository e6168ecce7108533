package plan

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// WriteText writes the changes for a person to read, in colour if asked.
func (c *Changes) WriteText(out io.Writer, coloured bool) error {
	var w bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintln(&w, printable.Source(fmt.Sprintf(format, args...))) }
	fmt.Fprintln(&w, printable.Bold.Of(printable.Source(c.Verdict()), coloured))
	for _, group := range c.byOutcomes() {
		line("  %s: %s", names(group.clusters), group.text)
	}
	for _, o := range c.Objects {
		head := "\n" + printable.Source(o.Ref.String()) + ": " + colours[o.Outcome].Of(o.heading(), coloured)
		if reason := reasons[o.Outcome]; reason != "" {
			head += " [" + reason + "]"
		}
		fmt.Fprintln(&w, head+printable.Source(c.on(o.Clusters)))
		for _, text := range o.details() {
			line("  %s", text)
		}
	}
	line("")
	for _, r := range c.Results {
		line("%s%s", r.Line(), c.on(r.Clusters))
	}
	if rules := c.resolving(); rules != nil {
		fmt.Fprintf(&w, "%s:\n\n", (&Plan{hasRules: c.hasRules}).resolvingText())
		if err := explain.WriteNode(&w, rules); err != nil {
			return err
		}
		line("")
	}
	if text := c.withoutChange(); text != "" {
		line("%s", text)
	}
	line(notModelledText)
	_, err := out.Write(w.Bytes())
	return err
}

// place is the field whose line an annotation is for: the first one in conflict, or the first.
func (o *ChangedObject) place() string {
	if i := slices.IndexFunc(o.Fields, func(f TouchedField) bool { return f.Why == merge.Conflicting }); i >= 0 {
		return o.Fields[i].place
	}
	if o.Before == "" || len(o.Fields) == 0 {
		return ""
	}
	return o.Fields[0].place
}

// maxNames is how many clusters are named where the same is said of more.
const maxNames = 5

func names(clusters []string) string { return words.Some(clusters, maxNames) }

// on names the clusters; "" for all of them.
func (c *Changes) on(clusters []string) string {
	if len(clusters) == len(c.Clusters) {
		return ""
	}
	return " (" + names(clusters) + ")"
}

// clusterGroup are clusters of which the same is to be said.
type clusterGroup struct {
	clusters []string
	applies  bool
	text     string
}

// groups are the clusters by what is to be said of each; nothing for "".
func (c *Changes) groups(say func(*Cluster) string) (groups []*clusterGroup) {
	for _, one := range c.Clusters {
		text := say(one)
		if text == "" {
			continue
		}
		same, ok := lists.Find(groups, func(g *clusterGroup) bool { return g.text == text && g.applies == one.Applies })
		if !ok {
			same = &clusterGroup{applies: one.Applies, text: text}
			groups = append(groups, same)
		}
		same.clusters = append(same.clusters, one.Name)
	}
	return groups
}

// byOutcomes are the clusters by what changes on them.
func (c *Changes) byOutcomes() []*clusterGroup {
	return c.groups(func(one *Cluster) string {
		text := cmp.Or(counted(one.Outcomes), "nothing changes")
		if one.takeovers > 0 {
			text += ", " + words.Count(one.takeovers, "forced takeover")
		}
		return text
	})
}

// reasonsOfChange are those of outcomes that are no problem.
var reasonsOfChange = map[string]string{Create: report.ReasonCreate, Change: report.ReasonUpdate, Unchanged: report.ReasonUnchanged}

// Annotations returns what is to be said at the lines of the files, and the objects that it is
// about.
func (c *Changes) Annotations() (results []report.Result, about []*object.Object) {
	for _, o := range c.Objects {
		severity := report.SeverityInfo
		switch problem := o.problem(); {
		case problem != nil && !problem.isOld:
			severity = report.SeverityError
		case problem != nil || o.Outcome == Gone || len(o.Remarks) > 0:
			severity = report.SeverityWarning
		}
		var file report.File
		if o.object != nil {
			file, about = o.object.File(), append(about, o.object)
		}
		reason := cmp.Or(reasons[o.Outcome], reasonsOfChange[o.Outcome])
		r := report.New(severity, reason, o.Ref.String()+": "+o.heading()+c.on(o.Clusters)).Of(o.Ref, file)
		r.Detail = strings.Join(o.details(), "\n")
		r.Field.Path = o.place()
		results = append(results, r)
	}
	for _, r := range c.Results {
		one := r.Result
		one.Message += c.on(r.Clusters)
		results = append(results, one)
	}
	all := report.New(report.SeverityInfo, "", strings.TrimSpace(c.Verdict()+" "+c.withoutChange()))
	return append([]report.Result{all}, results...), about
}
