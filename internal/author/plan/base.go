package plan

import (
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Outcomes of an object beside those of a plan.
const (
	// Gone is that of an object which leaves the package.
	Gone = "gone"
	// NotCompared is that of a Secret where the live objects have none.
	NotCompared = "notCompared"
)

// FailedError is a run of functionConfigs that has failed, so that there is nothing to compare.
type FailedError struct {
	// IsBase tells that the package before the change has failed, not the one after it.
	IsBase  bool
	Results []report.Result
}

func (e *FailedError) Error() string {
	if e.IsBase {
		return "the functionConfigs fail on the package of --base"
	}
	return "the functionConfigs fail on the package"
}

// Compare plans the package of before and that of after on one cluster, and adds what differs. Both
// worlds have the same live objects. Only objects that come out of the runs with another text, or
// to which other rules apply, are planned whole; of the others, the outcomes are counted. The
// results are those of the package after the change alone. The error may be a *FailedError.
func (c *Changes) Compare(name string, before, after Options) ([]report.Result, error) {
	x := &comparison{base: newPlanner(before), head: newPlanner(after), sameKinds: map[schema.GVK]bool{}}
	x.base.keepsStates, x.head.keepsStates = true, true
	x.cluster = &Cluster{Name: name, Outcomes: map[string]int{}, WithoutChange: map[string]int{}}
	basePairs, baseResults, err := x.base.prepare(true)
	if err != nil {
		return nil, err
	}
	headPairs, results, err := x.head.prepare(false)
	if err != nil {
		return nil, err
	}
	isLiveSecret := func(o *object.Object) bool { return isSecret(selector.IdentityOf(o.Ref(), "")) }
	x.lacksSecrets = len(after.Live) > 0 && !slices.ContainsFunc(after.Live, isLiveSecret)
	x.match(basePairs, headPairs)
	if err := x.plan(); err != nil {
		return nil, err
	}
	keyOf := func(r report.Result) string { return r.Severity + " " + r.Message + " " + r.Ref.String() }
	known := map[string]bool{}
	for _, r := range report.Whole(baseResults) {
		known[keyOf(r)] = true
	}
	x.cluster.fails = fn.HasError(results)
	results = slices.DeleteFunc(report.Whole(results), func(r report.Result) bool { return known[keyOf(r)] })
	x.cluster.hasFailed = fn.HasError(results)
	return slices.Concat(results, x.head.warnings), c.add(x)
}

// prepare runs the functionConfigs, and pairs what comes out with the live objects.
func (p *planner) prepare(isBase bool) ([]pair, []report.Result, error) {
	outcome, results, failed := p.run()
	if failed {
		return nil, nil, &FailedError{isBase, results}
	}
	return p.pairs(outcome), results, nil
}

// comparison compares two plans of one cluster.
type comparison struct {
	base, head *planner
	cluster    *Cluster
	matches    []*match
	headPairs  []pair
	// lacksSecrets tells that no live object is a Secret.
	lacksSecrets bool
	// sameKinds tells of the kinds that were looked for whether both sides have the same schema.
	sameKinds map[schema.GVK]bool
}

var likenesses = []likeness{
	{func(o *named) selector.Identity { return o.name }, func(base, head *named) bool {
		return base.identity.Name != "" || isSameText(base.object, head.object)
	}},
	{func(o *named) selector.Identity { return o.name }, func(*named, *named) bool { return true }},
	{ // of which one side leaves the namespace to the applier
		func(o *named) selector.Identity {
			return selector.Identity{Group: o.name.Group, Kind: o.name.Kind, Name: o.name.Name}
		},
		func(base, head *named) bool {
			isBare := base.name.Namespace == ""
			return base.live == head.live && (base.live != nil || isBare || head.name.Namespace == "") || isBare && base.live == nil // or several
		},
	},
}

// match finds the objects of which the plans may differ, in the order of the package after the
// change.
func (x *comparison) match(basePairs, headPairs []pair) {
	x.headPairs = headPairs
	head := namesOf(headPairs)
	before, gone := pairUp(namesOf(basePairs), head)
	for _, o := range head {
		m := &match{head: o.pair, lacks: x.head.lacking(o.pair)}
		m.isTwice = o.count > 1
		if was := before[o]; was != nil {
			m.base, m.lacked, m.isTwice = was.pair, x.base.lacking(was.pair), o.count > max(1, was.count)
		}
		isSame := m.base != nil && !m.isTwice && x.isSame(m)
		m.head.isCounted = isSame
		if !isSame || m.head.isSent && (!x.lacksSecrets || !isSecret(o.identity)) {
			x.matches = append(x.matches, m)
		}
	}
	for _, o := range gone {
		x.matches = append(x.matches, &match{base: o.pair})
	}
}

// isSame tells whether the plans of an object are the same on both sides, for all that they are
// made of is.
func (x *comparison) isSame(m *match) bool {
	return m.base.isSent == m.head.isSent && m.base.live == m.head.live && slices.Equal(m.lacked, m.lacks) &&
		x.base.Applier(m.base.object) == x.head.Applier(m.head.object) &&
		(x.base.Unread[m.base.object] == nil) == (x.head.Unread[m.head.object] == nil) && x.isSameKind(m.head) &&
		isSameText(m.base.object, m.head.object) && slices.EqualFunc(x.base.appliedRules(m.base), x.head.appliedRules(m.head), slices.Equal)
}

// isSameKind tells whether the kind of an object has the same schema on both sides.
func (x *comparison) isSameKind(p *pair) bool {
	ref := p.object.Ref()
	gvk := schema.ParseGVK(ref.APIVersion, ref.Kind)
	isSame, known := x.sameKinds[gvk]
	if !known {
		isSame = reflect.DeepEqual(x.base.schemas.Kind(gvk), x.head.schemas.Kind(gvk))
		x.sameKinds[gvk] = isSame
	}
	return isSame
}

// appliedRules are the rules that were for an object: the expressions of each.
func (p *planner) appliedRules(pair *pair) (rules [][]string) {
	for number, at := range pair.stages {
		r := p.runs[number]
		if at < 0 || at >= len(r.trace.Objects) || r.trace.Objects[at] == nil {
			continue
		}
		if r.texts == nil {
			for _, rule := range r.trace.Rules {
				r.texts = append(r.texts, lists.Map(expressionsOf(rule), func(e expression) string { return rule.Condition + " " + e.text }))
			}
		}
		for _, i := range r.trace.Objects[at].Applied {
			rules = append(rules, r.texts[i])
		}
	}
	return rules
}

// plan plans both sides of what may differ.
func (x *comparison) plan() error {
	var basePairs, headPairs []pair
	var before, after []*match
	for _, m := range x.matches {
		isSkipped := x.lacksSecrets && (m.head != nil && isSecret(m.head.identity) || m.base != nil && isSecret(m.base.identity))
		switch {
		case isSkipped && m.head != nil:
			m.after = notCompared(m.head)
		case isSkipped:
			m.before = notCompared(m.base)
		case m.head != nil && m.head.isCounted:
			headPairs = append(headPairs, *m.head)
		default:
			if m.head != nil {
				headPairs, after = append(headPairs, *m.head), append(after, m)
			}
			if m.base != nil {
				basePairs, before = append(basePairs, *m.base), append(before, m)
			}
		}
	}
	if err := x.base.objects(basePairs); err != nil {
		return err
	}
	if err := x.head.objects(headPairs); err != nil {
		return err
	}
	for i, m := range before {
		m.before = x.base.plan.Objects[i]
	}
	for i, m := range after {
		m.after = x.head.plan.Objects[i]
	}
	x.head.warnOfNoOwners()
	return nil
}

func notCompared(p *pair) *PlannedObject {
	return &PlannedObject{
		Ref: p.object.Ref(), object: p.object, Outcome: NotCompared, Conflicts: []ConflictField{}, Fields: []TouchedField{},
		Cause: "the live objects have no Secret, so this one was not compared",
	}
}

// change returns what differs between the plans of an object; nil for nothing. It counts what would
// change without the change of the package, too.
func (x *comparison) change(m *match) (*ChangedObject, error) {
	switch {
	case m.after == nil && m.before == nil: // of which only the outcome was counted
		return nil, nil
	case m.after == nil:
		return x.gone(m), nil
	}
	o := &ChangedObject{PlannedObject: *m.after, Rules: []ChangedRule{}, File: m.head.object.File().Path, Remarks: x.remarks(m)}
	o.lacks, o.lacked = len(m.lacks) > 0, len(m.lacked) > 0
	if m.before == nil {
		o.brings = o.Outcome == Conflict || o.Outcome == Refused
		if !o.isNew {
			o.Rules = changedRules(nil, m.after.judged)
		}
		return o, nil
	}
	o.Before = m.before.Outcome
	before := *m.before
	wrote, writes := before.isApplied(), o.isApplied()
	o.isNew = o.isNew && wrote != writes
	var common int
	if o.Outcome != Unknown {
		o.Fields, common = changedFields(before.allFields(), m.after.allFields(), wrote, writes)
		o.Fields = slices.DeleteFunc(o.Fields, func(f TouchedField) bool { // Leftover stands for it
			return slices.ContainsFunc(m.after.leftoverFields, func(l TouchedField) bool { return l.Path == f.Path })
		})
	}
	if wrote && writes {
		if err := x.addStored(o, m); err != nil {
			return nil, err
		}
	}
	x.addOthers(o)
	isOld := func(c ConflictField) bool { return slices.Contains(before.Conflicts, c) }
	added := slices.DeleteFunc(slices.Clone(m.after.Conflicts), isOld)
	isOldLeftover := func(l Leftover) bool {
		return slices.ContainsFunc(before.Leftover, func(b Leftover) bool { return b.Path == l.Path && b.Manager == l.Manager })
	}
	o.Leftover = slices.DeleteFunc(slices.Clone(m.after.Leftover), isOldLeftover)
	o.Rules = changedRules(before.judged, m.after.judged)
	isSame := o.Outcome == o.Before && o.Cause == before.Cause
	o.brings = len(added) > 0 || o.Outcome == Refused && !isSame
	isStill := o.Outcome != Unchanged && (isSame && len(o.Fields) == 0 || common > 0)
	if before.Outcome != Unchanged && (isStill || len(m.after.Conflicts) > len(added)) {
		x.cluster.WithoutChange[before.Outcome]++
	}
	if isSame && len(o.Fields)+len(added)+len(o.Leftover)+len(o.Rules) == 0 && len(m.after.Conflicts) == len(before.Conflicts) &&
		!m.isTwice && slices.Equal(m.lacked, m.lacks) && !m.isEdited() {
		return nil, nil
	}
	return o, nil
}

// addOthers adds to the fields that only the package before the change would touch who else owns
// them.
func (x *comparison) addOthers(o *ChangedObject) {
	for i := range o.Fields {
		f := &o.Fields[i]
		if f.Why != merge.Left {
			continue
		}
		f.others = slices.DeleteFunc(slices.Clone(f.OwnersAfter), x.head.plan.isOwn)
		if slices.Contains(f.OwnersAfter, x.head.Manager) && len(f.others) > 0 { // the apply does not touch it
			f.Why = merge.Shared
		}
	}
}

// allFields are the fields that the apply touches, with those that Leftover stands for.
func (o *PlannedObject) allFields() []TouchedField { return slices.Concat(o.Fields, o.leftoverFields) }

// isApplied tells whether the apply stores the object as it is in the package; else it stays as it
// is on the cluster.
func (o *PlannedObject) isApplied() bool {
	return o.Outcome == Create || o.Outcome == Change || o.Outcome == Unchanged
}

// isEdited tells whether the package has another object that neither apply stores, although no
// field is known to differ.
func (m *match) isEdited() bool {
	before, after := m.before, m.after
	return !before.isApplied() && !after.isApplied() && len(before.Fields)+len(after.Fields) == 0 && before.state != nil && after.state != nil &&
		!isSameText(before.object, after.object) && (before.state.applied == nil || !reflect.DeepEqual(before.state.applied, after.state.applied))
}

// gone returns an object that leaves the package.
func (x *comparison) gone(m *match) *ChangedObject {
	o := &ChangedObject{Before: m.before.Outcome, IsLive: m.base.live != nil, Rules: []ChangedRule{}}
	o.PlannedObject = PlannedObject{Ref: m.before.Ref, Outcome: Gone, Conflicts: []ConflictField{}, Fields: []TouchedField{}}
	if o.Before == NotCompared || x.base.Unread[m.base.object] != nil {
		o.Cause = m.before.Cause
	}
	if o.IsLive {
		o.Others = x.base.plan.othersIn(m.base.live)
		o.Remarks, o.isKept = x.pruning(m)
	}
	return o
}

// addStored adds what differs in the objects that come out, and that no apply touches by itself:
// the defaults of a new object, and the order of elements.
func (x *comparison) addStored(o *ChangedObject, m *match) error {
	before, after := m.before.state, m.after.state
	differing, err := after.prediction.Differing(before.prediction)
	if err != nil {
		return err
	}
	if after.live == nil { // what one side alone sets to its default is stored by both
		differs := map[string]bool{}
		for _, d := range differing {
			differs[d.After.Path.String()] = true
		}
		o.Fields = slices.DeleteFunc(o.Fields, func(f TouchedField) bool { return !differs[f.at.String()] && f.Base != nil && f.New != nil })
		for i, f := range o.Fields {
			if !differs[f.at.String()] {
				o.Fields[i] = f.besideDefault()
			}
		}
	}
	at := map[string]int{}
	for i, f := range o.Fields {
		at[f.Path] = i
	}
	for _, d := range differing {
		if after.live != nil && !d.After.Reordered {
			continue
		}
		isOurs := func(name string) bool { return name == x.head.Manager }
		head, base := after.field(d.After, isOurs), before.field(d.Before, isOurs)
		for _, f := range []*TouchedField{&base, &head} {
			f.isDefault = !f.isReordered && len(f.OwnersAfter) == 0
		}
		i, isThere := at[head.Path]
		switch {
		case !isThere:
			if base.New != nil {
				head.Base = &base
			}
			at[head.Path] = len(o.Fields)
			o.Fields = append(o.Fields, head)
		case head.isReordered:
		case o.Fields[i].Base == nil && base.New != nil:
			o.Fields[i].Base = &base
		case o.Fields[i].New == nil && head.New != nil:
			head.Base = o.Fields[i].Base
			o.Fields[i] = head
		}
	}
	slices.SortStableFunc(o.Fields, func(a, b TouchedField) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// besideDefault is a field that one side sets to what is its default on the other one.
func (f TouchedField) besideDefault() TouchedField {
	set := f
	if f.Base != nil {
		set = *f.Base
	}
	other := set
	other.OwnersAfter, other.others, other.isDefault = []string{}, nil, true
	if f.Base == nil {
		set.Base = &other
		return set
	}
	other.Base = &set
	return other
}

// changedFields returns the fields that end up different under the two applies. A field that only
// the package before the change would touch is listed with its live value. An apply that fails
// leaves all fields as they are; if both fail, what they would have done is compared. Common is the
// number of fields that both change in the same way.
func changedFields(before, after []TouchedField, wrote, writes bool) (changed []TouchedField, common int) {
	changed = []TouchedField{}
	byPath := map[string]*TouchedField{}
	for i := range before {
		byPath[before[i].Path] = &before[i]
	}
	counts := func(base *TouchedField) bool { return wrote || !writes || base.Why == merge.Conflicting }
	for _, f := range after {
		base := byPath[f.Path]
		if delete(byPath, f.Path); base != nil && wrote == writes && f.isSame(base) {
			common++
			continue
		}
		if base != nil && counts(base) {
			f.Base = base
		}
		changed = append(changed, f)
	}
	for i, f := range before {
		if byPath[f.Path] == nil || !counts(&f) {
			continue
		}
		changed = append(changed, TouchedField{
			Path: f.Path, Old: f.Old, New: f.Old, OwnersBefore: f.OwnersBefore, OwnersAfter: f.OwnersBefore, Why: merge.Left, Base: &before[i], at: f.at,
		})
	}
	slices.SortStableFunc(changed, func(a, b TouchedField) int { return strings.Compare(a.Path, b.Path) })
	return changed, common
}

// isSame tells whether a field becomes the same in another plan of the same live object.
func (f TouchedField) isSame(other *TouchedField) bool {
	return f.Why == other.Why && (f.New == nil) == (other.New == nil) && slices.Equal(f.OwnersBefore, other.OwnersBefore) &&
		slices.Equal(f.OwnersAfter, other.OwnersAfter) && f.isReordered == other.isReordered && reflect.DeepEqual(f.value, other.value)
}

// judged is a rule that has to do with an object, of a functionConfig.
type judged struct {
	config *tree.Node
	*RuleVerdict
}

func (j judged) key() string { return report.RefOf(j.config).String() + " " + j.Expression }

// changedRules returns the expressions whose verdicts on an object differ.
func changedRules(before, after []judged) []ChangedRule {
	changed := []ChangedRule{}
	old := map[string][]judged{}
	for _, j := range before {
		old[j.key()] = append(old[j.key()], j)
	}
	for _, j := range after {
		r := ChangedRule{Path: j.Path, Expression: j.Expression, Verdict: j.Verdict, text: j.String()}
		if was := old[j.key()]; len(was) > 0 {
			old[j.key()] = was[1:]
			r.Before, r.textBefore = was[0].Verdict, was[0].String()
		}
		if r.text != r.textBefore {
			changed = append(changed, r)
		}
	}
	for _, j := range before {
		if was := old[j.key()]; len(was) > 0 && was[0] == j {
			old[j.key()] = was[1:]
			changed = append(changed, ChangedRule{Path: j.Path, Expression: j.Expression, Verdict: MatchedNothing, Before: j.Verdict, textBefore: j.String()})
		}
	}
	return changed
}
