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
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
)

// verdicts are in the order of their weight: of several fields in one object the first counts.
var verdicts = []string{NoEffectAtomic, Required, Removed, HandedOver, NotNeeded}

// judge judges one expression of a rule.
type judge struct {
	*planner
	run        int
	rule       rules.Rule
	expression expression
	// isOwn is true for a rule that objects carry themselves.
	isOwn bool
	found map[string]*Rule // by the verdict
}

// judge judges the rules for one object: those of the functionConfigs, and its own.
func (p *planner) judge(s *state) {
	p.makeJudges()
	for number, traced := range s.traced {
		if traced == nil || !traced.Resolved {
			continue
		}
		for _, j := range p.judges[number] {
			if !j.isOwn {
				j.add(s, traced)
			}
		}
		for _, rule := range traced.OwnRules {
			for _, e := range expressionsOf(rule) {
				i := slices.IndexFunc(p.judges[number], func(j *judge) bool { return j.isOwn && j.expression.isLike(e) })
				if i < 0 {
					i = len(p.judges[number])
					p.judges[number] = append(p.judges[number], p.newJudge(number, rule, e, true))
				}
				p.judges[number][i].add(s, traced)
			}
		}
	}
}

func (p *planner) makeJudges() {
	for number := len(p.judges); number < len(p.runs); number++ {
		var judges []*judge
		for _, rule := range p.runs[number].trace.Rules {
			for _, e := range expressionsOf(rule) {
				judges = append(judges, p.newJudge(number, rule, e, false))
			}
		}
		p.judges = append(p.judges, judges)
	}
}

func (p *planner) newJudge(number int, rule rules.Rule, e expression, isOwn bool) *judge {
	return &judge{planner: p, run: number, rule: rule, expression: e, isOwn: isOwn, found: map[string]*Rule{}}
}

// rules adds the verdicts to the plan, each with the objects of which it holds. As in a run, an
// object's own rule that matches nothing is not told of.
func (p *planner) rules() {
	p.makeJudges()
	for _, j := range slices.Concat(p.judges...) {
		if len(j.found) == 0 && !j.isOwn {
			p.plan.Rules = append(p.plan.Rules, newRule(j.rule, j.expression, MatchedNothing))
		}
		for _, verdict := range verdicts {
			if r := j.found[verdict]; r != nil {
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

func (e expression) isLike(other expression) bool {
	return e.path == other.path && e.text == other.text
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
func (j *judge) add(s *state, traced *ignorefields.TracedObject) {
	verdict, to := j.object(s, traced)
	if verdict == "" {
		return
	}
	r := j.found[verdict]
	if r == nil {
		r = newRule(j.rule, j.expression, verdict)
		r.isRecorded = j.effect() == ignorefields.Kept
		j.found[verdict] = r
	}
	r.Objects++
	for _, name := range to {
		if !slices.Contains(r.To, name) {
			r.To = append(r.To, name)
		}
	}
}

func (j *judge) effect() ignorefields.Effect { return j.runs[j.run].trace.Effect }

// lastIndex is the index at the end of a rule's path.
var lastIndex = regexp.MustCompile(`\[(\d+)\]$`)

func newRule(rule rules.Rule, e expression, verdict string) *Rule {
	r := &Rule{Expression: e.text, Verdict: verdict, To: []string{}, Path: e.path, isInString: len(rule.Within) > 0}
	if match := lastIndex.FindStringSubmatch(rule.Path); match != nil {
		r.Rule, _ = strconv.Atoi(match[1]) // there is none in the form of a ConfigMap, which is one rule
	}
	return r
}

// object returns the verdict for one object, and the managers that it names; "" where the
// expression has nothing to do with the object.
func (j *judge) object(s *state, traced *ignorefields.TracedObject) (string, []string) {
	if _, ok := traced.NotInRule[j.rule.Path]; ok {
		return "", nil
	}
	var w worst
	var found []location.Location
	var stage map[string]any
	effect := j.effect()
	for _, f := range traced.Found {
		if f.By != j.expression.path {
			continue
		}
		if stage == nil {
			stage = j.stage(s)
		}
		isIgnored := f.Condition == rules.OnSpokePresent || !s.pair.isSent
		switch {
		case effect == ignorefields.Kept:
			w.add(NotNeeded, nil) // the field is applied in any case
		case len(f.Inside) > 0 && isIgnored && effect == ignorefields.LeftOut:
			w.add(NoEffectAtomic, nil) // to the API server the string is one field
		case isIgnored:
			w.add(j.field(s, stage, f.Location, effect))
			found = append(found, f.Location)
		default:
			w.add(NotNeeded, nil) // the package has changed, so the field is applied
		}
	}
	if w.verdict == "" && len(j.rule.Within) == 0 {
		found = j.live(s, &w)
	}
	if len(found) > 0 && (w.verdict == HandedOver || w.verdict == NotNeeded) {
		w.verdict = HandedOver
		if s.live == nil || j.isSameWithout(s, stage, found) {
			w.verdict, w.to = NotNeeded, nil
		}
	}
	return w.verdict, w.to
}

// stage is the object as it came to the run.
func (j *judge) stage(s *state) map[string]any {
	at := s.pair.stages[j.run]
	if j.run > 0 {
		return j.runs[j.run].data[at]
	}
	if s.asRead == nil {
		s.asRead = sentData(j.runs[0].objects[at].AsRead())
	}
	return s.asRead
}

// live adds what holds for an expression that finds nothing in the package, and returns what it
// takes from the live object.
func (j *judge) live(s *state, w *worst) (found []location.Location) {
	if j.expression.parsed == nil || s.live == nil {
		return nil
	}
	inLive, err := j.expression.parsed.Locate(&expr.Input{Root: s.live})
	if guard.IsLimit(err) { // one that fails otherwise finds nothing
		s.limit = err
	}
	for _, l := range inLive.Locations {
		effect := j.effect()
		switch atomic := s.kind.At(l).Atomic; {
		case effect == ignorefields.TakenFromLive:
			w.add(j.field(s, s.there, l, effect))
			found = append(found, l)
		case effect == ignorefields.LeftOut && atomic != nil && s.pair.isSent && location.At(s.root, atomic) != nil:
			w.add(NoEffectAtomic, nil) // the package replaces all of it
		case effect == ignorefields.LeftOut && j.rule.Condition != rules.OnSpokeChange:
			if verdict, _ := j.field(s, s.there, l, effect); verdict == Removed {
				w.add(Removed, nil)
				continue
			}
			w.add(NotNeeded, nil)
		default:
			w.add(NotNeeded, nil)
		}
	}
	return found
}

// isSameWithout tells whether the apply without the rule does the same: with the fields of the
// package as they came to the run, or without what the run has taken from the live object.
func (p *planner) isSameWithout(s *state, stage map[string]any, found []location.Location) bool {
	var without any = s.applied
	canOwn := false
	for _, l := range found {
		without = withValue(without, stage, l)
		canOwn = canOwn || l[0].Key != "status" && (l[0].Key != "metadata" || len(l) > 2)
	}
	isEqual := s.pair.isSent && reflect.DeepEqual(without, any(s.applied))
	if isEqual || s.pair.isSent && canOwn {
		return isEqual // otherwise we would set and own the field
	}
	object, _ := without.(map[string]any)
	other, err := p.predictApply(s, object, p.Force || p.As.Forces)
	if err != nil || other.Refused != nil || s.prediction.Refused != nil {
		return false
	}
	isAlike := func(a, b merge.Conflict) bool { return a.Manager.Name == b.Manager.Name && a.Field() == b.Field() }
	return slices.EqualFunc(other.Conflicts, s.prediction.Conflicts, isAlike) && reflect.DeepEqual(other.Object, s.prediction.Object)
}

// withValue returns a copy of a value in which the place at a location is as in another value.
func withValue(into, from any, l location.Location) any {
	if len(l) == 0 {
		return from
	}
	if step := l[0]; !step.IsIndex {
		source, _ := from.(map[string]any)
		own, _ := into.(map[string]any)
		value, ok := source[step.Key]
		own = maps.Clone(own)
		if !ok {
			delete(own, step.Key)
			return own
		}
		if own == nil {
			own = map[string]any{}
		}
		own[step.Key] = withValue(own[step.Key], value, l[1:])
		return own
	}
	source, _ := from.([]any)
	own, _ := into.([]any)
	i := l[0].Index
	switch {
	case i >= len(source):
		return into
	case len(own) < len(source): // the element was taken out
		return slices.Insert(slices.Clone(own), min(i, len(own)), source[i])
	}
	own = slices.Clone(own)
	own[i] = withValue(own[i], source[i], l[1:])
	return own
}

// worst is the verdict of most weight, with the managers that it names.
type worst struct {
	verdict string
	to      []string
}

func (w *worst) add(verdict string, to []string) {
	switch at := slices.Index(verdicts, verdict); {
	case w.verdict == "" || at < slices.Index(verdicts, w.verdict):
		w.verdict, w.to = verdict, slices.Clone(to)
	case verdict == w.verdict:
		w.to = append(w.to, to...)
	}
}

// field returns the verdict on one field that a rule has found at a location of an object, and the
// managers that it names.
func (p *planner) field(s *state, object map[string]any, l location.Location, effect ignorefields.Effect) (string, []string) {
	if s.live == nil {
		return NotNeeded, nil // the object is created whole
	}
	place := s.kind.At(l)
	strips := effect == ignorefields.LeftOut
	if place.Atomic != nil && strips {
		return NoEffectAtomic, nil
	}
	holding := s.ahead.Holding(object, l)
	if strips {
		s.leftOut = append(s.leftOut, holding.Path)
	}
	others := slices.DeleteFunc(slices.Clone(holding.After), func(name string) bool { return p.As.Own(p.manager, name) })
	isOurs := slices.ContainsFunc(holding.Before, func(name string) bool { return p.As.Own(p.manager, name) })
	isSent := s.pair.isSent
	isLost := isOurs && len(holding.After) == 0
	switch {
	case strips && isSent && place.Required != nil && (isLost || len(others) == 0 && !holding.IsThere):
		if s.out.Outcome != Conflict && s.out.Outcome != Refused && holding.HasParent && !holding.IsThere {
			s.refuse(s.prediction.Without(l, place.Required).Error())
		}
		return Required, nil
	case strips && isSent && (holding.Removed || isLost):
		return Removed, nil
	case len(others) > 0 || isSent && (!isOurs || len(holding.After) > 0):
		return HandedOver, others
	}
	return NotNeeded, nil
}
