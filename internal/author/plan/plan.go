// Package plan tells what the next server-side apply of a package would do to each object on the
// cluster: which fields it sets, removes, leaves and shares, with whom it conflicts, and what
// becomes of the fields that rules strip.
//
// It predicts by package merge, and needs no cluster. Not modelled are admission webhooks,
// validation beyond that of package merge, and conversion between versions.
package plan

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Outcomes of an apply to one object.
const (
	Create    = "create"
	Unchanged = "unchanged"
	Change    = "change"
	Conflict  = "conflict"
	Refused   = "refused"
	// Unknown is that of an object without a prediction.
	Unknown = "unknown"
)

// Verdicts on an expression of a rule.
const (
	HandedOver     = "handedOver"
	Removed        = "removed"
	NoEffectAtomic = "noEffectAtomic"
	Required       = "required"
	NotNeeded      = "notNeeded"
	MatchedNothing = "matchedNothing"
)

// NotModelled is what a plan does not predict, in the words of its JSON form.
var NotModelled = []string{"admission", "validation", "conversion"}

// Plan is a predicted apply.
type Plan struct {
	Objects []*PlannedObject `json:"objects"`
	Rules   []*RuleVerdict   `json:"rules"`
	// Pruned are the objects that kubectl would delete.
	Pruned      []Pruned `json:"pruned,omitempty"`
	NotModelled []string `json:"notModelled"`
	// Sent are the objects that are applied.
	Sent []*object.Object `json:"-"`

	manager  string
	as       *managedfields.Tool
	hasRules bool
	// isOfWorks tells that the objects are manifests of works.
	isOfWorks bool
	// counted are how many objects beside Objects have an outcome.
	counted map[string]int
}

// PlannedObject is the predicted apply to one object.
type PlannedObject struct {
	report.Ref
	Outcome string `json:"outcome"`
	// Cause says why the API server would refuse the object, or why that is not known.
	Cause string `json:"cause,omitempty"`
	// OrderOnly tells that each field that the apply touches changes its order only.
	OrderOnly bool `json:"orderOnly,omitempty"`
	// Merged is the object as it would be stored, without the times of its managedFields.
	Merged    map[string]any  `json:"merged,omitempty"`
	Conflicts []ConflictField `json:"conflicts"`
	Fields    []TouchedField  `json:"fields"`
	Leftover  []Leftover      `json:"leftover,omitempty"`
	Server    *Server         `json:"server,omitempty"`

	// leftoverFields are the fields that Leftover stands for.
	leftoverFields []TouchedField

	object    *object.Object
	resolving expr.Lists
	// applier is another manager that has applied the object, with which conflicts get no rule.
	applier string
	isNew   bool
	// assumes tells that the plan of the object rests on something that is not known for certain.
	assumes bool
	// judged are the rules that have to do with the object.
	judged []judged
	// state is what is known of the object, if the planner keeps it.
	state *state
}

// Leftover is a field that an old entry of the tool that applies keeps, although the package does
// not have it, so that no apply removes it.
type Leftover struct {
	Path    string `json:"path"`
	Manager string `json:"manager"`
	Value   any    `json:"value"`
	// Command removes the field.
	Command string `json:"command"`
	// Handover gives the tool that applies all such fields of another one, so that it removes them;
	// "" where the manager is no tool that is known.
	Handover string `json:"handover,omitempty"`
}

func (l Leftover) orHandover() string {
	if l.Handover == "" {
		return ""
	}
	return ", or all such fields: " + l.Handover
}

// ConflictField is a field that the apply would change and that another manager has, as the API
// server writes it in its message.
type ConflictField struct {
	Manager string `json:"manager"`
	Field   string `json:"field"`
	// Source is the page about what is known to write under the name of the manager.
	Source string `json:"source,omitempty"`
}

// TouchedField is a field that the apply touches. Old and New are nil if it is not there, and lead
// to nil if it is null.
type TouchedField struct {
	Path         string    `json:"path"`
	Old          *any      `json:"old,omitempty"`
	New          *any      `json:"new,omitempty"`
	OwnersBefore []string  `json:"ownersBefore"`
	OwnersAfter  []string  `json:"ownersAfter"`
	Why          merge.Why `json:"why"`
	// OrderOnly tells that nothing changes but the order of lists whose order means nothing to the
	// API.
	OrderOnly bool `json:"orderOnly,omitempty"`
	// Base is what would become of the field without a change of the package; nil if nothing.
	Base *TouchedField `json:"base,omitempty"`

	at fieldpath.Path
	// place is the path in the package, for its line.
	place string
	// others are the owners afterwards except the applier, and its old entries where it leaves the
	// field.
	others []string
	// isChanged tells that the value changes, which is not to be seen where it is hidden.
	isChanged bool
	// atomic is "list" or "map" if the field is one that has one owner as a whole.
	atomic string
	// value is New as it is stored, which must not be shown.
	value any
	// isReordered tells that the field is a list whose elements change their order.
	isReordered bool
	// isDefault tells that the API server sets the field, and nobody else.
	isDefault bool
	// hasLiveValues tells that rules have put live values into the field.
	hasLiveValues bool
	// advice is what is to be done about a conflict that no rule resolves.
	advice string
	// takenFrom are the managers that lose the field to the applier.
	takenFrom []string
	// part is the first place in a list or map whose value changes; nil for none.
	part *part
}

// part is a place in a field.
type part struct {
	path     string
	old, new *any
	// more counts the other places that change.
	more int
}

// RuleVerdict is what becomes of the fields of one expression in its objects.
type RuleVerdict struct {
	Rule       int    `json:"rule"`
	Expression string `json:"expression"`
	Verdict    string `json:"verdict"`
	// To are the managers that have the fields afterwards.
	To []string `json:"to"`
	// Objects counts the objects.
	Objects int `json:"objects"`
	// Path is where the expression is: ignoreFields[0].jsonPointers[1].
	Path string `json:"-"`

	judgement *judgement
	// managers are those that the text names, and reason is for krm-fields explain.
	managers []string
	reason   string
}

// Succeeds tells whether the apply would succeed, and leave the fields of rules to others.
func (p *Plan) Succeeds() bool {
	isHarmful := func(r *RuleVerdict) bool { return r.Verdict == Removed || r.Verdict == Required }
	return !slices.ContainsFunc(p.Objects, func(o *PlannedObject) bool {
		return o.Outcome == Conflict || o.Outcome == Refused || o.Server != nil && o.Server.Refused != ""
	}) && !slices.ContainsFunc(p.Rules, isHarmful)
}

// IsWhole tells whether there is a prediction for every object.
func (p *Plan) IsWhole() bool {
	return !slices.ContainsFunc(p.Objects, func(o *PlannedObject) bool { return o.Outcome == Unknown })
}
