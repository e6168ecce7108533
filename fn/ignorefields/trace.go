package ignorefields

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Trace records what a run looked at and what it found, for a person who asks why. Without a Trace,
// a run records nothing.
type Trace struct {
	// FoundOnly leaves out where an expression finds nothing, and why: that costs more than what is
	// found.
	FoundOnly bool
	// IsAsked tells of which objects it says why rules do not apply; nil: of the first ones.
	IsAsked func(report.Ref) bool
	// Rules are those of the functionConfig.
	Rules []rules.Rule
	// Objects are by the index of the item; nil for items that the run did not reach.
	Objects []*TracedObject
	// Unmatched are the entries of selectors and exclude that match no object.
	Unmatched []selector.Unmatched
	// Effect is that of the action; Keeps tells that what stripping would not leave to another
	// manager keeps its live value.
	Effect Effect
	Keeps  bool
}

// TracedObject is the outcome of the rules for an object.
type TracedObject struct {
	Ref  report.Ref
	File report.File
	// IsLive is true for an object that shows the state of the cluster, or that is input only for
	// its schema.
	IsLive bool
	// NotChosen is why no rule applies; nil if the object is selected.
	NotChosen *selector.Refusal
	// UnreadRules is true if the object is not selected and has rules of its own.
	UnreadRules bool
	// Applied are the numbers of the rules that are for it.
	Applied []int
	// NotInRule says, by the number of a rule, why that one does not apply; not for all objects
	// where there are many rules.
	NotInRule map[int]selector.Refusal
	// OwnRules are those of the object's own annotation.
	OwnRules []rules.Rule
	// Resolved is true if the rules were resolved in it.
	Resolved bool
	Found    []TracedField
	// InLive are the fields of the live object, without values and lines, where the action takes
	// them from there.
	InLive  []TracedField
	Missing []TracedMiss
	Failed  []TracedMiss
	Dotted  []TracedMiss
	// Places are the places of the output object that a comparison must not see.
	Places []location.Location
}

// TracedField is a field that an expression, or a rule with fromAnnotation or fromOwners, found.
type TracedField struct {
	By        string // the path of the expression, or of the rule
	Owner     string // that a rule with fromOwners names
	Page      string // that documents what the owner writes
	Condition string
	Location  location.Location
	// Inside are the places in the documents in the string at the location. Place and Pointer are
	// all of it as a message shows it.
	Inside  []embedded.InnerLocation
	Place   string
	Pointer string
	// Value is as tree.Value gives it, with *** for the values of a Secret.
	Value any
	// Line is the line of the file; 0 if it is not known.
	Line int
}

// TracedMiss is an expression that found nothing, or failed, and why; Why is "" if that is not
// known.
type TracedMiss struct {
	By  string
	Why string
}

// fill adds what the run knows at its end.
func (t *Trace) fill(r *run, items []*object.Object, outcomes []itemOutcome) {
	t.Rules, t.Effect = r.rules, r.action.Effect
	t.Keeps = r.config.OnHandover == policyKeep
	for _, o := range outcomes {
		t.Objects = append(t.Objects, o.traced)
	}
	seen := r.compared(items)
	t.Unmatched = r.selection.Unmatched(seen)
	for _, rule := range r.rules {
		t.Unmatched = append(t.Unmatched, rule.Selection.Unmatched(seen)...)
	}
}

// maxMisfits is about how often a trace says why a rule does not apply to an object.
const maxMisfits = 100_000

// choice returns what is known of the item before its rules are resolved.
func (t *Trace) choice(r *run, index int, item *object.Object, identity *selector.Candidate) *TracedObject {
	traced := &TracedObject{Ref: report.RefOf(item.Root()), File: item.File(), NotInRule: map[int]selector.Refusal{}}
	if refusal, refused := r.selection.Refusal(identity); refused {
		traced.NotChosen = &refusal
		_, traced.UnreadRules = annotation(item.Root(), RulesAnnotation)
		return traced
	}
	traced.Applied = r.rulesFor(identity).numbers
	if t.FoundOnly || t.IsAsked == nil && index > maxMisfits/max(1, len(r.rules)) || t.IsAsked != nil && !t.IsAsked(traced.Ref) {
		return traced
	}
	for i, rule := range r.rules {
		if refusal, refused := rule.Selection.Misfit(identity); refused {
			traced.NotInRule[i] = refusal
		}
	}
	return traced
}

// withoutOwners records that the rules with fromOwners do not apply, if the object has no owner.
func (t *TracedObject) withoutOwners(compiled []rules.Rule, owned ownedFields) {
	if owned.isClaimed {
		return
	}
	t.Applied = slices.DeleteFunc(slices.Clone(t.Applied), func(i int) bool {
		if compiled[i].FromOwners {
			t.NotInRule[i] = selector.Refusal{
				Path: compiled[i].Path, Wants: "a field that another object owns", Has: "none", Reason: "no object of the list owns a field of it",
			}
		}
		return compiled[i].FromOwners
	})
}

// resolved adds what the rules resolved to, own ones among them, while the object's data is loaded.
func (t *TracedObject) resolved(j *job, own []rules.Rule) {
	t.Resolved = true
	t.OwnRules = own
	var lines embedded.Lines
	for _, f := range j.resolver.Found {
		t.Found = append(t.Found, TracedField{
			By: f.By.Path, Owner: f.By.Owner, Page: f.By.Page, Condition: f.Condition, Location: f.Location, Place: j.placeOf(f),
			Inside: f.Inside, Pointer: embedded.Pointer(j.shownPlace(f)), Value: j.valueOf(f), Line: j.lineOf(f, &lines),
		})
	}
	for _, f := range j.inLive {
		t.InLive = append(t.InLive, TracedField{By: f.By.Path, Condition: f.Condition, Location: f.Location, Inside: f.Inside})
	}
	for _, f := range j.resolver.Failures {
		t.Failed = append(t.Failed, TracedMiss{By: f.Path, Why: j.run.mask.Error(f.Err, j.shown.HasSecret())})
	}
	for _, f := range j.resolver.Dotted {
		t.Dotted = append(t.Dotted, TracedMiss{By: f.Path, Why: j.run.mask.Error(f.Err, j.shown.HasSecret())})
	}
	if !j.run.tracesMissing() {
		return
	}
	for _, f := range j.resolver.Missing {
		// the hint of its dialect, unless another expression has stripped its fields before
		why := words.WithQuoted(j.run.mask, f.Why, f.Quotes)
		if by := j.finder(f.Missed); by != "" {
			why = alreadyFound(by)
		}
		t.Missing = append(t.Missing, TracedMiss{By: f.Path, Why: j.shown.Text(why)})
	}
	for _, rule := range j.rules {
		if rule.FromAnnotation == nil {
			continue
		}
		if name := rule.FromAnnotation.Annotation; tree.Get(j.view.Original(), "metadata", "annotations", name) == nil {
			t.Missing = append(t.Missing, TracedMiss{By: rule.Path, Why: "the object has no annotation " + name})
		}
	}
}

// lineOf returns the line of the file on which a field begins; 0 if it is not known.
func (j *job) lineOf(f rules.Found, lines *embedded.Lines) int {
	if len(f.Inside) == 0 {
		return j.object.LineAt(f.Location)
	}
	return lines.Of(j.object, f.Location, f.Inside)
}

// finder returns the path of the expression that found, and took from the ones behind it, what e
// names in the original object; "" for none.
func (j *job) finder(e *rules.Expression) string {
	if e == nil || len(j.resolver.Found) == 0 {
		return ""
	}
	outcome, err := e.Locate(&expr.Input{Root: j.view.Original()})
	if err != nil {
		return ""
	}
	for _, l := range outcome.Locations {
		for _, f := range j.resolver.Found {
			if len(f.Inside) == 0 && f.Condition != rules.OnSpokeChange && f.Location.Contains(l) {
				return f.By.Path
			}
		}
	}
	return ""
}
