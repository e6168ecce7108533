package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Changes are what a change of a package does on clusters, beyond what an apply would do there
// without it.
type Changes struct {
	Clusters []*Cluster `json:"clusters"`
	// Objects are those of which the plans differ, the worst first.
	Objects     []*ChangedObject  `json:"objects"`
	Results     []*ClustersResult `json:"results"`
	NotModelled []string          `json:"notModelled"`

	byKey    map[string]*ChangedObject
	hasRules bool
}

// Cluster is one of the clusters.
type Cluster struct {
	Name string `json:"name"`
	// Applies tells whether the apply of what changes would succeed.
	Applies bool `json:"applies"`
	// Outcomes count the objects of which the plans differ, by their outcomes.
	Outcomes map[string]int `json:"outcomes"`
	// WithoutChange count, by their outcomes, the objects that an apply of the package without the
	// change would write as well, or fail on.
	WithoutChange map[string]int `json:"withoutChange"`

	// fails tells that the functionConfigs have an error, and hasFailed that they do not have one
	// of them without the change.
	fails, hasFailed bool
	// takeovers counts the fields that the change takes over from their managers.
	takeovers int
	// problems count what keeps the change from being applied, as the verdict says it.
	problems []string
}

// ChangedObject is an object of which the plans differ, in the same way on some clusters.
type ChangedObject struct {
	Clusters []string `json:"clusters"`
	PlannedObject
	// Before is the outcome without the change, "" if the package does not have the object then;
	// "change" where it is that on some of the clusters, and "unchanged" on others.
	Before string        `json:"outcomeBefore,omitempty"`
	Rules  []ChangedRule `json:"rules"`
	// Others are the fields of an object that leaves the package which others own.
	Others []OwnedField `json:"others,omitempty"`
	// IsLive tells of an object that leaves the package that the cluster has it.
	IsLive bool `json:"live,omitempty"`
	// Remarks are what a reviewer should know beside the plan.
	Remarks []string `json:"remarks,omitempty"`
	File    string   `json:"file,omitempty"`

	// brings tells that the change brings a conflict or a refusal, and isKept that no prune deletes
	// an object that leaves the package.
	brings, isKept bool
	// lacks tells that the cluster lacks the namespace or the kind of the object, and lacked that
	// it would without the change, too.
	lacks, lacked bool
}

// ChangedRule is an expression of a rule whose verdict on an object differs.
type ChangedRule struct {
	Path       string `json:"path"`
	Expression string `json:"expression"`
	Verdict    string `json:"verdict"`
	// Before is the verdict without the change; "" if the expression does not match then.
	Before string `json:"verdictBefore,omitempty"`

	text, textBefore string
}

// ClustersResult is a result of the runs on some clusters.
type ClustersResult struct {
	Clusters []string
	report.Result
}

// MarshalJSON writes the result as a ResourceList has it, behind the clusters.
func (r ClustersResult) MarshalJSON() ([]byte, error) {
	n := tree.NewMap("clusters", r.Clusters)
	n.Content = append(n.Content, r.Node().Content...)
	return tree.MarshalJSON(n)
}

// NewChanges returns the changes of no cluster.
func NewChanges() *Changes {
	return &Changes{
		Clusters: []*Cluster{}, Objects: []*ChangedObject{}, Results: []*ClustersResult{}, NotModelled: NotModelled, byKey: map[string]*ChangedObject{},
	}
}

// add adds what differs on a cluster; an object with the same entry as on another one only names
// the cluster.
func (c *Changes) add(x *comparison) error {
	c.hasRules = c.hasRules || len(x.head.Steps) > 0
	for outcome, count := range x.head.plan.counted {
		if outcome != Unchanged {
			x.cluster.WithoutChange[outcome] += count
		}
	}
	found := map[*problem]int{}
	for _, m := range x.matches {
		o, err := x.change(m)
		if err != nil {
			return err
		}
		if o == nil {
			continue
		}
		x.cluster.Outcomes[o.Outcome]++
		found[o.problem()]++
		for _, f := range o.Fields {
			if len(f.takenFrom) > 0 && (f.Base == nil || len(f.Base.takenFrom) == 0) {
				x.cluster.takeovers++
			}
		}
		key := o.key()
		same := c.byKey[key]
		if same == nil {
			same = o
			c.byKey[key], c.Objects = o, append(c.Objects, o)
		}
		if same.Before != o.Before {
			same.Before = Change
		}
		same.Clusters = append(same.Clusters, x.cluster.Name)
	}
	for _, p := range problems {
		if n := found[p]; n > 0 {
			x.cluster.problems = append(x.cluster.problems, p.count(n))
		}
	}
	switch {
	case x.cluster.hasFailed:
		x.cluster.problems = append(x.cluster.problems, "an error of the functionConfigs")
	case x.cluster.fails:
		x.cluster.problems = append(x.cluster.problems, "an error of the functionConfigs without the change, too")
	}
	x.cluster.Applies = len(x.cluster.problems) == 0
	c.Clusters = append(c.Clusters, x.cluster)
	order := map[report.Ref]int{}
	for i, o := range c.Objects {
		if _, ok := order[o.Ref]; !ok {
			order[o.Ref] = i
		}
	}
	slices.SortStableFunc(c.Objects, func(a, b *ChangedObject) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(order[a.Ref], order[b.Ref]))
	})
	return nil
}

// key is the same for results that are one entry. Of an object that is changed, it does not count
// whether an apply would have changed other fields without the change.
func (o *ChangedObject) key() string {
	entry := *o
	if entry.Outcome == Change && entry.Before == Unchanged {
		entry.Before = Change
	}
	text, _ := json.Marshal(entry) // of types that JSON has
	return string(text) + strings.Join(o.Lines(), "\n")
}

// AddResults adds results of the runs on a cluster.
func (c *Changes) AddResults(cluster string, results []report.Result) {
	for _, r := range results {
		same, ok := lists.Find(c.Results, func(o *ClustersResult) bool {
			return o.Message == r.Message && o.Ref == r.Ref && o.Severity == r.Severity
		})
		if !ok {
			same = &ClustersResult{Result: r}
			c.Results = append(c.Results, same)
		}
		if !slices.Contains(same.Clusters, cluster) {
			same.Clusters = append(same.Clusters, cluster)
		}
	}
}

// A problem keeps what changes from being applied as it should be.
type problem struct {
	one, several string
	// isOld tells that it is there without the change, too.
	isOld bool
}

// problems are in the order of their weight.
var problems = []*problem{newConflict, newRefusal, newLack, removedField, noPlan, oldConflict, oldRefusal, oldLack}

var (
	newConflict  = &problem{one: "conflict", several: "conflicts"}
	newRefusal   = &problem{one: "refused", several: "refused"}
	newLack      = &problem{one: "object lacks its namespace or kind", several: "objects lack their namespaces or kinds"}
	removedField = &problem{one: "object loses a field of a rule", several: "objects lose fields of rules"}
	noPlan       = &problem{one: "object without a plan", several: "objects without a plan"}
	oldConflict  = &problem{"conflict without the change, too", "conflicts without the change, too", true}
	oldRefusal   = &problem{"refused without the change, too", "refused without the change, too", true}
	oldLack      = &problem{
		"object lacks its namespace or kind without the change, too", "objects lack their namespaces or kinds without the change, too", true,
	}
)

func (p *problem) count(n int) string {
	if n == 1 {
		return "1 " + p.one
	}
	return fmt.Sprintf("%d %s", n, p.several)
}

// problem is that of the object; nil for none.
func (o *ChangedObject) problem() *problem {
	switch {
	case o.Outcome == Conflict && o.brings:
		return newConflict
	case o.Outcome == Refused && o.brings:
		return newRefusal
	case o.lacks && !o.lacked:
		return newLack
	case slices.ContainsFunc(o.Rules, ChangedRule.isHarmful):
		return removedField
	case o.Outcome == Unknown || o.Before == Unknown && o.Outcome != Gone:
		return noPlan
	case o.Outcome == Conflict:
		return oldConflict
	case o.Outcome == Refused:
		return oldRefusal
	case o.lacks:
		return oldLack
	}
	return nil
}

// isHarmful tells whether the change makes a rule remove its field.
func (r ChangedRule) isHarmful() bool {
	isHarm := func(verdict string) bool { return verdict == Removed || verdict == Required }
	return isHarm(r.Verdict) && !isHarm(r.Before)
}

// ranks are the outcomes without a problem, the worst first.
var ranks = []string{Gone, Change, Create, NotCompared, Unchanged}

func (o *ChangedObject) rank() int {
	if i := slices.Index(problems, o.problem()); i >= 0 {
		return i
	}
	return len(problems) + slices.Index(ranks, o.Outcome)
}

// Succeeds tells whether the change brings no problem.
func (c *Changes) Succeeds() bool {
	isHarm := func(o *ChangedObject) bool { return o.problem() != nil && !o.problem().isOld }
	return !slices.ContainsFunc(c.Objects, isHarm) && !slices.ContainsFunc(c.Clusters, func(one *Cluster) bool { return one.hasFailed })
}

// IsWhole tells whether there are both plans of every object that changes.
func (c *Changes) IsWhole() bool {
	return !slices.ContainsFunc(c.Objects, func(o *ChangedObject) bool { return o.problem() == noPlan })
}

// Verdict says on how many clusters the change applies, and what keeps it from the others.
func (c *Changes) Verdict() string {
	failing := c.groups(func(one *Cluster) string { return words.All(one.problems) })
	applies := len(c.Clusters)
	for _, group := range failing {
		applies -= len(group.clusters)
	}
	text := fmt.Sprintf("The change applies on %d of %s", applies, words.Count(len(c.Clusters), "cluster"))
	if len(c.Objects) == 0 {
		text = fmt.Sprintf("The change does nothing; it applies on %d of %s", applies, words.Count(len(c.Clusters), "cluster"))
	}
	for _, group := range failing {
		text += "; " + names(group.clusters) + ": " + group.text
	}
	return text + "."
}

// outcomeOrder is that of summaries.
var outcomeOrder = []string{Create, Change, Unchanged, Conflict, Refused, Unknown, Gone, NotCompared}

// counted says how many objects have which outcome: 1 create, 2 changes.
func counted(counts map[string]int) string {
	var parts []string
	for _, outcome := range outcomeOrder {
		switch n := counts[outcome]; {
		case n == 0:
		case outcome == Create || outcome == Change || outcome == Conflict:
			parts = append(parts, words.Count(n, outcome))
		case outcome == NotCompared:
			parts = append(parts, fmt.Sprintf("%d not compared", n))
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	return strings.Join(parts, ", ")
}

// withoutChange counts what would change without the change of the package, too, on one line; "" if
// nothing would.
func (c *Changes) withoutChange() string {
	all := 0
	for _, one := range c.Clusters {
		for _, n := range one.WithoutChange {
			all += n
		}
	}
	if all == 0 {
		return ""
	}
	groups := c.groups(func(one *Cluster) string { return counted(one.WithoutChange) })
	parts := lists.Map(groups, func(g *clusterGroup) string { return names(g.clusters) + ": " + g.text })
	return fmt.Sprintf("Without this change, too, %s would change or fail (%s).", words.Count(all, "object"), strings.Join(parts, "; "))
}

// heading names an object with its outcome, and the one without the change where that differs.
func (o *ChangedObject) heading() string {
	switch {
	case o.Outcome == NotCompared:
		return "not compared"
	case o.Before == "":
		return o.Outcome + ", new in the package"
	case o.Outcome == Gone:
		return "leaves the package"
	case o.Before == o.Outcome && !o.isApplied() && !o.brings:
		return o.Outcome + ", without the change, too"
	case o.Before != o.Outcome:
		return o.Before + " → " + o.Outcome
	}
	return o.Outcome
}

// details say what differs, a line each.
func (o *ChangedObject) details() (lines []string) {
	switch {
	case o.Cause != "":
		lines = append(lines, o.Cause)
	case o.Outcome == Gone && o.isKept:
		lines = append(lines, "stays on the cluster")
	case o.Outcome == Gone && o.IsLive:
		lines = append(lines, "stays on the cluster unless it is pruned; a prune deletes it"+withOthers(o.Others))
	case o.Outcome == Gone:
		lines = append(lines, "is not on the cluster")
	case o.Before == "" && o.Outcome == Unchanged:
		lines = append(lines, "the cluster has it as it is")
	}
	if o.Outcome != Gone && o.Outcome != NotCompared {
		lines = append(lines, o.Lines()...)
	}
	for _, l := range o.Leftover {
		lines = append(lines, fmt.Sprintf("leftover: %s, which an old entry of %s keeps, and no apply removes: %s", l.Path, l.Manager, l.Command))
	}
	for _, r := range o.Rules {
		lines = append(lines, "rule "+r.String())
	}
	return append(lines, o.Remarks...)
}

// String says what becomes of the expression.
func (r ChangedRule) String() string {
	name := strings.TrimSpace(r.Path + " " + r.Expression)
	switch {
	case r.textBefore == "":
		return name + " begins to match: " + r.text
	case r.text == "":
		return name + " ceases to match; without the change: " + r.textBefore
	}
	return name + ": " + r.text + "; without the change: " + r.textBefore
}

// resolving are the rules that leave the fields of conflicts which the change brings to their
// owners; nil for none.
func (c *Changes) resolving() *tree.Node {
	p := &Plan{hasRules: c.hasRules}
	known := map[report.Ref]bool{}
	for _, o := range c.Objects {
		if o.brings && !known[o.Ref] {
			known[o.Ref] = true
			p.Objects = append(p.Objects, &o.PlannedObject)
		}
	}
	return p.resolvingRules()
}

// WriteJSON writes the changes as JSON.
func (c *Changes) WriteJSON(out io.Writer) error { return explain.WriteJSON(out, c) }
