package plan

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// judge judges one expression of a rule.
type judge struct {
	*planner
	run        int
	rule       rules.Rule
	expression expression
	// isOwn is true for a rule that objects carry themselves.
	isOwn bool
	found map[*judgement]*RuleVerdict
	// isOpen is true if an object without a prediction may have something of the expression.
	isOpen bool
}

// judge judges the rules for one object: those of the functionConfigs, and its own.
func (p *planner) judge(s *state) {
	p.makeJudges()
	for number, traced := range s.traced {
		if traced == nil || !traced.Resolved {
			continue
		}
		found := byExpression(traced)
		for _, i := range traced.Applied {
			for _, j := range p.judges[number].byRule[i] {
				j.add(s, found)
				j.leave(s, found)
			}
		}
		for _, rule := range traced.OwnRules {
			for _, e := range expressionsOf(rule) {
				j := p.judgeOfOwn(number, rule, e)
				j.add(s, found)
				j.leave(s, found)
			}
		}
	}
}

func (p *planner) makeJudges() {
	for number := len(p.judges); number < len(p.runs); number++ {
		judges := &judges{own: map[string]*judge{}}
		for _, rule := range p.runs[number].trace.Rules {
			judges.byRule = append(judges.byRule, lists.Map(expressionsOf(rule), func(e expression) *judge {
				return judges.add(p.newJudge(number, rule, e, false))
			}))
		}
		p.judges = append(p.judges, judges)
	}
}

// judges are those of a run.
type judges struct {
	all    []*judge
	byRule [][]*judge // of the functionConfig, by the number of the rule
	// own are those of rules that objects carry themselves, by their paths and texts.
	own map[string]*judge
}

func (js *judges) add(j *judge) *judge {
	js.all = append(js.all, j)
	return j
}

// judgeOfOwn returns the judge of an expression that objects carry themselves.
func (p *planner) judgeOfOwn(number int, rule rules.Rule, e expression) *judge {
	js, key := p.judges[number], e.path+" "+e.text
	if js.own[key] == nil {
		js.own[key] = js.add(p.newJudge(number, rule, e, true))
	}
	return js.own[key]
}

// tracedFields are what the expressions found in an object and in the live one, by their paths.
type tracedFields struct {
	here, inLive map[string][]ignorefields.TracedField
}

func byExpression(traced *ignorefields.TracedObject) tracedFields {
	by := func(fields []ignorefields.TracedField) map[string][]ignorefields.TracedField {
		found := map[string][]ignorefields.TracedField{}
		for _, f := range fields {
			found[f.By] = append(found[f.By], f)
		}
		return found
	}
	return tracedFields{by(traced.Found), by(traced.InLive)}
}

func (p *planner) newJudge(number int, rule rules.Rule, e expression, isOwn bool) *judge {
	return &judge{planner: p, run: number, rule: rule, expression: e, isOwn: isOwn, found: map[*judgement]*RuleVerdict{}}
}

// rules adds the verdicts to the plan, each with the objects of which it holds. As in a run, an
// object's own rule that matches nothing is not told of.
func (p *planner) rules() {
	p.makeJudges()
	for _, j := range slices.Concat(lists.Map(p.judges, func(js *judges) []*judge { return js.all })...) {
		if len(j.found) == 0 && !j.isOwn && !j.isOpen {
			p.plan.Rules = append(p.plan.Rules, j.newRule(matchedNothing))
		}
		for _, judgement := range judgements {
			if r := j.found[judgement]; r != nil {
				p.plan.Rules = append(p.plan.Rules, r)
			}
		}
	}
}

// expression is one of a rule; one that takes its fields from elsewhere counts as one.
type expression struct {
	path, text string
	// parsed is nil for a rule that takes its fields from elsewhere.
	parsed expr.Expression
}

func expressionsOf(rule rules.Rule) []expression {
	if takes := rule.Takes(); takes != "" {
		return []expression{{path: rule.Path, text: takes}}
	}
	var all []expression
	for _, e := range slices.Concat(rule.Lists...) {
		all = append(all, expression{e.Path, e.String(), e})
	}
	return all
}

// add adds the verdict for one object.
func (j *judge) add(s *state, traced tracedFields) {
	w := j.object(s, traced)
	if w.judgement == nil {
		return
	}
	one := j.newRule(w.judgement)
	one.managers = w.managers
	s.out.judged = append(s.out.judged, judged{j.Steps[j.run].FunctionConfig, one})
	r := j.found[w.judgement]
	if r == nil {
		r = j.newRule(w.judgement)
		j.found[w.judgement] = r
	}
	r.Objects++
	for _, name := range w.managers {
		if !slices.Contains(r.managers, name) {
			r.managers = append(r.managers, name)
		}
	}
	if w.judgement != takenOver && w.judgement != inConflict {
		r.To = notNil(r.managers)
	}
}

// lastIndex is the index at the end of a rule's path.
var lastIndex = regexp.MustCompile(`\[(\d+)\]$`)

func (j *judge) newRule(of *judgement) *RuleVerdict {
	r := &RuleVerdict{
		Expression: j.Mask.Expression(j.expression.text), Verdict: of.verdict, To: []string{}, Path: j.expression.path, judgement: of, reason: of.reason,
	}
	if of.reason == report.ReasonFieldsTaken && j.effect() == ignorefields.LeftOut {
		r.reason = report.ReasonFieldsKept
	}
	if match := lastIndex.FindStringSubmatch(j.rule.Path); match != nil {
		r.Rule, _ = strconv.Atoi(match[1]) // there is none in the form of a ConfigMap, which is one rule
	}
	return r
}

func (j *judge) effect() ignorefields.Effect { return j.runs[j.run].trace.Effect }

// strips tells whether the run strips what it finds, and keeps none of it.
func (j *judge) strips() bool {
	return j.effect() == ignorefields.LeftOut && !j.runs[j.run].trace.Keeps
}

// object returns what becomes of the fields in one object; nothing where the expression has nothing
// to do with it.
func (j *judge) object(s *state, traced tracedFields) (w worst) {
	if s.prediction == nil {
		j.isOpen = j.isOpen || len(traced.here[j.expression.path]) > 0 || s.out.Outcome == Unknown
		return w
	}
	var found []location.Location
	var stage map[string]any
	for _, f := range traced.here[j.expression.path] {
		if stage == nil {
			stage = j.stage(s)
		}
		isIgnored := f.Condition == rules.OnSpokePresent || !s.pair.isSent
		switch {
		case j.effect() == ignorefields.Kept:
			w.add(recorded, nil)
		case len(f.Inside) > 0 && isIgnored && j.strips():
			w.add(inString, nil)
		case isIgnored:
			w.add(j.field(s, stage, f.Location))
			found = append(found, f.Location)
		default:
			w.add(notNeeded, nil) // the package has changed, so the field is applied
		}
	}
	switch {
	case w.judgement != nil:
	case len(j.rule.Within) == 0:
		found = j.live(s, traced, &w)
	case j.effect() == ignorefields.TakenFromLive: // put into a string that the package has
		stage = j.stage(s)
		for _, f := range traced.inLive[j.expression.path] {
			if f.Condition == rules.OnSpokePresent {
				w.add(j.field(s, s.prediction.Live, f.Location))
				found = append(found, f.Location)
			}
		}
	}
	if len(found) == 0 || w.judgement == nil || w.judgement.verdict != HandedOver && w.judgement.verdict != NotNeeded {
		return w
	}
	switch {
	case s.live == nil || j.isSameWithout(s, stage, found):
		return worst{judgement: notNeeded}
	case w.judgement == notNeeded:
		return worst{judgement: s.alone()}
	}
	return w
}

// leave adds the fields of both sides that the expression leaves to others.
func (j *judge) leave(s *state, traced tracedFields) {
	if j.Look == nil || s.prediction == nil || s.live == nil || j.effect() == ignorefields.Kept {
		return
	}
	add := func(object map[string]any, l location.Location) {
		if s.kind.At(l).Atomic == nil { // else the list or map around it has one owner
			s.left = append(s.left, s.ahead.Holding(object, l).Path)
		}
	}
	for _, f := range traced.here[j.expression.path] {
		if f.Condition == rules.OnSpokePresent && len(f.Inside) == 0 {
			add(j.stage(s), f.Location)
		}
	}
	if j.rule.Condition == rules.OnSpokeChange || len(j.rule.Within) > 0 {
		return
	}
	for _, l := range j.inLive(s, traced) {
		add(s.prediction.Live, l)
	}
}

// stage is the object as it came to the run.
func (j *judge) stage(s *state) map[string]any {
	at := s.pair.stages[j.run]
	if j.run > 0 {
		return j.runs[j.run].data[at]
	}
	if s.asRead == nil {
		s.asRead, _ = tree.KubectlObject(j.runs[0].objects[at].AsRead().Root()) // whose keys are those of the object, except what is stripped
	}
	return s.asRead
}

// live adds what holds for an expression that finds nothing in the package, and returns what it
// takes from the live object.
func (j *judge) live(s *state, traced tracedFields, w *worst) (found []location.Location) {
	for _, l := range j.inLive(s, traced) {
		switch atomic := s.kind.At(l).Atomic; {
		case j.effect() == ignorefields.Kept:
			w.add(notNeeded, nil)
		case !j.strips():
			w.add(j.field(s, s.prediction.Live, l))
			found = append(found, l)
		case atomic != nil && s.pair.isSent && location.At(s.root, atomic) != nil:
			w.add(s.inAtomic(), nil) // the package replaces all of it
		case j.rule.Condition != rules.OnSpokeChange:
			if judgement, _ := j.field(s, s.prediction.Live, l); judgement == removed {
				w.add(removed, nil)
				continue
			}
			w.add(notNeeded, nil)
		default:
			w.add(notNeeded, nil)
		}
	}
	return found
}

// inLive are the places in the live object that the expression finds, or that a rule without one
// has found.
func (j *judge) inLive(s *state, traced tracedFields) []location.Location {
	if j.expression.parsed == nil {
		return lists.Map(traced.inLive[j.expression.path], func(f ignorefields.TracedField) location.Location { return f.Location })
	}
	if s.live == nil {
		return nil
	}
	found, err := j.expression.parsed.Locate(&expr.Input{Root: s.live})
	if guard.IsLimit(err) { // one that fails otherwise finds nothing
		s.limit = err
	}
	return found.Locations
}

// isSameWithout tells whether the apply without the rule does the same: with the fields of the
// package as they came to the run, or without what the run has taken from the live object.
func (p *planner) isSameWithout(s *state, stage map[string]any, found []location.Location) bool {
	without := withValues(s.applied, stage, found)
	canOwn := false
	for _, l := range found {
		canOwn = canOwn || l[0].Key != "status" && (l[0].Key != "metadata" || len(l) > 2)
	}
	isEqual := s.pair.isSent && reflect.DeepEqual(without, any(s.applied))
	if isEqual || s.pair.isSent && canOwn {
		return isEqual // otherwise we would set and own the field
	}
	object, _ := without.(map[string]any)
	other, err := p.predictApply(s, object, s.by.Force)
	if err != nil || other.Refused != nil || s.prediction.Refused != nil {
		return false
	}
	isAlike := func(a, b merge.Conflict) bool { return a.Manager.Name == b.Manager.Name && a.Field() == b.Field() }
	return slices.EqualFunc(other.Conflicts, s.prediction.Conflicts, isAlike) &&
		reflect.DeepEqual(other.Stored(), s.prediction.Stored())
}

// withValues returns a copy of a value in which the places at locations are as in another value.
func withValues(into, from any, all []location.Location) any {
	var steps []location.Step
	below := map[location.Step][]location.Location{}
	for _, l := range all {
		if len(l) == 0 {
			return from
		}
		if below[l[0]] == nil {
			steps = append(steps, l[0])
		}
		below[l[0]] = append(below[l[0]], l[1:])
	}
	if len(steps) == 0 {
		return into
	}
	if steps[0].IsIndex {
		return withElements(into, from, steps, below)
	}
	source, _ := from.(map[string]any)
	own, _ := into.(map[string]any)
	if own = maps.Clone(own); own == nil {
		own = map[string]any{}
	}
	for _, step := range steps {
		value, ok := source[step.Key]
		if !ok {
			delete(own, step.Key)
			continue
		}
		own[step.Key] = withValues(own[step.Key], value, below[step])
	}
	return own
}

func withElements(into, from any, steps []location.Step, below map[location.Step][]location.Location) any {
	source, _ := from.([]any)
	own, _ := into.([]any)
	own = slices.Clone(own)
	for _, step := range steps {
		switch i := step.Index; {
		case i >= len(source):
		case len(own) < len(source): // the element was taken out
			own = slices.Insert(own, min(i, len(own)), source[i])
		default:
			own[i] = withValues(own[i], source[i], below[step])
		}
	}
	return own
}
