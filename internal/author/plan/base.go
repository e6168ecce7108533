package plan

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
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
	x := &comparison{base: newPlanner(before), head: newPlanner(after), kinds: map[string]objectsOfKind{}}
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
	pairs, err := p.pairs(outcome)
	return pairs, results, err
}

// comparison compares two plans of one cluster.
type comparison struct {
	base, head *planner
	cluster    *Cluster
	matches    []*match
	// lacksSecrets tells that no live object is a Secret.
	lacksSecrets bool
	// kinds are the objects of the kinds that were looked for.
	kinds map[string]objectsOfKind
}

// objectsOfKind are those of one kind on the cluster, and those that the package creates.
type objectsOfKind struct{ live, created []*object.Object }

// match is an object in both packages. One that lacks it has no pair.
type match struct {
	base, head *pair
	// before and after are the plans; nil for none.
	before, after *PlannedObject
	// isTwice tells that the package has an object of the identity before this one.
	isTwice bool
}

// place is the identity of an object, and how many of the same come before it.
type place struct {
	selector.Identity
	number int
}

func placesOf(pairs []pair) []place {
	places, count := make([]place, len(pairs)), map[selector.Identity]int{}
	for i, pair := range pairs {
		identity := pair.identity
		identity.Namespace, identity.Assumed = cmp.Or(identity.Namespace, identity.Assumed), ""
		places[i] = place{identity, count[identity]}
		count[identity]++
	}
	return places
}

// match finds the objects of which the plans may differ, in the order of the package after the
// change.
func (x *comparison) match(basePairs, headPairs []pair) {
	base := map[place]*pair{}
	for i, at := range placesOf(basePairs) {
		base[at] = &basePairs[i]
	}
	haveSameRules := slices.EqualFunc(x.base.Steps, x.head.Steps, func(a, b hostless.Step) bool { return tree.Equal(a.FunctionConfig, b.FunctionConfig) })
	for i, at := range placesOf(headPairs) {
		m := &match{base: base[at], head: &headPairs[i], isTwice: at.number > 0}
		delete(base, at)
		isSame := m.base != nil && m.base.isSent == m.head.isSent && m.base.live == m.head.live && isSameText(m.base.object, m.head.object) &&
			(haveSameRules || slices.Equal(x.base.appliedRules(m.base), x.head.appliedRules(m.head)))
		m.head.isCounted = isSame
		if !isSame || m.head.isSent && (!x.lacksSecrets || !isSecret(at.Identity)) {
			x.matches = append(x.matches, m)
		}
	}
	for i, at := range placesOf(basePairs) {
		if base[at] != nil {
			x.matches = append(x.matches, &match{base: &basePairs[i]})
		}
	}
}

func isSecret(i selector.Identity) bool { return i.Group == "" && i.Kind == "Secret" }

func isSameText(a, b *object.Object) bool {
	textOfA, errOfA := a.Text()
	textOfB, errOfB := b.Text()
	return errOfA == nil && errOfB == nil && bytes.Equal(textOfA, textOfB)
}

// appliedRules are the expressions that were looked for in an object, with where they are.
func (p *planner) appliedRules(pair *pair) (texts []string) {
	for number, at := range pair.stages {
		trace := p.runs[number].trace
		if at < 0 || at >= len(trace.Objects) || trace.Objects[at] == nil {
			continue
		}
		for _, i := range trace.Objects[at].Applied {
			for _, e := range expressionsOf(trace.Rules[i]) {
				texts = append(texts, trace.Rules[i].Condition+" "+e.text)
			}
		}
	}
	return texts
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
		Ref: p.object.Ref(), object: p.object, Outcome: NotCompared, Conflicts: []ConflictField{}, Fields: []Field{},
		Cause: "the live objects have no Secret, so this one was not compared",
	}
}

// change returns what differs between the plans of an object; nil for nothing. It counts what would
// change without the change of the package, too.
func (x *comparison) change(m *match) (*ChangedObject, error) {
	o := &ChangedObject{Rules: []ChangedRule{}}
	switch {
	case m.after == nil && m.before == nil: // of which only the outcome was counted
		return nil, nil
	case m.after == nil:
		o.PlannedObject = PlannedObject{Ref: m.before.Ref, Outcome: Gone, Conflicts: []ConflictField{}, Fields: []Field{}}
		o.Before, o.isLive = m.before.Outcome, m.base.live != nil
		if o.isLive {
			o.Others = x.base.plan.othersIn(m.base.live)
		}
		return o, nil
	}
	o.PlannedObject = *m.after
	o.File = m.head.object.File().Path
	o.Remarks = x.remarks(m)
	if m.before == nil {
		o.brings = o.Outcome == Conflict || o.Outcome == Refused
		if !o.isNew {
			o.Rules = changedRules(nil, m.after.judged)
		}
		return o, nil
	}
	o.Before, o.isNew = m.before.Outcome, m.after.isNew && !m.before.isNew
	before := *m.before
	var common int
	o.Fields, common = changedFields(before.Fields, m.after.Fields)
	if err := x.addStored(o, m); err != nil {
		return nil, err
	}
	for i := range o.Fields {
		if o.Fields[i].Why == merge.Left {
			o.Fields[i].others = slices.DeleteFunc(slices.Clone(o.Fields[i].OwnersAfter), x.head.plan.isOwn)
		}
	}
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
	if isSame && len(o.Fields)+len(added)+len(o.Leftover)+len(o.Rules) == 0 && len(m.after.Conflicts) == len(before.Conflicts) {
		return nil, nil
	}
	return o, nil
}

// addStored adds what differs in the objects that come out, and that no apply touches by itself:
// the defaults of a new object, and the order of elements.
func (x *comparison) addStored(o *ChangedObject, m *match) error {
	before, after := m.before.state, m.after.state
	applies := func(s *state) bool {
		return s != nil && slices.Contains([]string{Create, Change, Unchanged}, s.out.Outcome)
	}
	if !applies(before) || !applies(after) {
		return nil
	}
	differing, err := after.prediction.Differing(before.prediction)
	if err != nil {
		return err
	}
	if after.live == nil { // what one side sets to its default, or in vain, is stored by both
		differs := map[string]bool{}
		for _, d := range differing {
			differs[d.After.Path.String()] = true
		}
		o.Fields = slices.DeleteFunc(o.Fields, func(f Field) bool { return !differs[f.at.String()] })
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
		for _, f := range []*Field{&base, &head} {
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
	slices.SortStableFunc(o.Fields, func(a, b Field) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// changedFields returns the fields of the plan after the change that the one before it does not
// have so, and those that only it has: they stay as they are. Common counts the others.
func changedFields(before, after []Field) (changed []Field, common int) {
	changed = []Field{}
	byPath := map[string]*Field{}
	for i := range before {
		byPath[before[i].Path] = &before[i]
	}
	for _, f := range after {
		base := byPath[f.Path]
		if delete(byPath, f.Path); base != nil && f.isSame(base) {
			common++
			continue
		}
		f.Base = base
		changed = append(changed, f)
	}
	for i, f := range before {
		if byPath[f.Path] == nil {
			continue
		}
		changed = append(changed, Field{
			Path: f.Path, Old: f.Old, New: f.Old, OwnersBefore: f.OwnersBefore, OwnersAfter: f.OwnersBefore, Why: merge.Left, Base: &before[i],
		})
	}
	slices.SortStableFunc(changed, func(a, b Field) int { return strings.Compare(a.Path, b.Path) })
	return changed, common
}

// isSame tells whether a field becomes the same in another plan of the same live object.
func (f Field) isSame(other *Field) bool {
	return f.Why == other.Why && (f.New == nil) == (other.New == nil) && slices.Equal(f.OwnersBefore, other.OwnersBefore) &&
		slices.Equal(f.OwnersAfter, other.OwnersAfter) && f.isReordered == other.isReordered && reflect.DeepEqual(f.value, other.value)
}

// judged is a rule that has to do with an object, of a functionConfig.
type judged struct {
	config *tree.Node
	*Rule
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
