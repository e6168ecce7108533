package plan

import (
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// verdicts are in the order of their weight: of several fields in one object the first counts.
var verdicts = []string{NoEffectAtomic, Required, Removed, HandedOver, NotNeeded}

// rules judges each expression of each run.
func (p *planner) rules() {
	for run := range p.Runs {
		for _, rule := range p.Runs[run].Rules {
			for _, e := range expressionsOf(rule) {
				p.plan.Rules = append(p.plan.Rules, p.expression(run, rule, e)...)
			}
		}
		p.ownRules(run)
	}
}

// ownRules judges the rules that objects carry themselves. As in a run, one that matches nothing is
// not told of.
func (p *planner) ownRules(run int) {
	done := map[ignorefields.TracedExpression]bool{}
	for i := range p.states {
		traced := p.states[i].tracedBy(run)
		if traced == nil {
			continue
		}
		for _, rule := range traced.OwnRules {
			for _, e := range expressionsOf(rule) {
				if all := p.expression(run, rule, e); !done[e] && all[0].Verdict != MatchedNothing {
					p.plan.Rules = append(p.plan.Rules, all...)
				}
				done[e] = true
			}
		}
	}
}

// expressionsOf are the expressions of a rule. One with fromAnnotation or fromOwners counts as one.
func expressionsOf(rule ignorefields.TracedRule) []ignorefields.TracedExpression {
	if rule.FromAnnotation != nil {
		return []ignorefields.TracedExpression{{Path: rule.Path, Text: "fromAnnotation"}}
	}
	if rule.FromOwners {
		return []ignorefields.TracedExpression{{Path: rule.Path, Text: "fromOwners"}}
	}
	if rule.FromManagers {
		return []ignorefields.TracedExpression{{Path: rule.Path, Text: "managedFieldsManagers"}}
	}
	return rule.Expressions
}

// expression returns the verdicts on an expression, each with the objects of which it holds.
func (p *planner) expression(run int, rule ignorefields.TracedRule, e ignorefields.TracedExpression) []*Rule {
	found := map[string]*Rule{}
	j := judge{planner: p, run: run, rule: rule, expression: e, parsed: parse(e)}
	for i := range p.states {
		verdict, to := j.object(&p.states[i])
		if verdict == "" {
			continue
		}
		r := found[verdict]
		if r == nil {
			r = newRule(rule, e, verdict)
			r.isRecorded = p.Runs[run].Effect == ignorefields.Kept
			found[verdict] = r
		}
		r.Objects++
		for _, name := range to {
			r.To = with(r.To, name)
		}
	}
	if len(found) == 0 {
		return []*Rule{newRule(rule, e, MatchedNothing)}
	}
	var all []*Rule
	for _, verdict := range verdicts {
		if r := found[verdict]; r != nil {
			all = append(all, r)
		}
	}
	return all
}

func with(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// lastIndex is the index at the end of a rule's path.
var lastIndex = regexp.MustCompile(`\[(\d+)\]$`)

func newRule(rule ignorefields.TracedRule, e ignorefields.TracedExpression, verdict string) *Rule {
	r := &Rule{Expression: e.Text, Verdict: verdict, To: []string{}, Path: e.Path, isInString: len(rule.Within) > 0}
	if match := lastIndex.FindStringSubmatch(rule.Path); match != nil {
		r.Rule, _ = strconv.Atoi(match[1]) // there is none in the form of a ConfigMap, which is one rule
	}
	return r
}

// judge judges one expression.
type judge struct {
	*planner
	run        int
	rule       ignorefields.TracedRule
	expression ignorefields.TracedExpression
	// parsed is nil for a rule with fromAnnotation or fromOwners.
	parsed expr.Expression
}

// object returns the verdict for one object, and the managers that it names; "" where the
// expression has nothing to do with the object.
func (j judge) object(s *state) (string, []string) {
	traced := s.tracedBy(j.run)
	if traced == nil || !traced.Resolved {
		return "", nil
	}
	if _, ok := traced.NotInRule[j.rule.Path]; ok {
		return "", nil
	}
	var w worst
	stage, _ := plain(s.pair.Stages[j.run]).(map[string]any)
	for _, f := range traced.Found {
		switch {
		case f.By != j.expression.Path:
		case len(f.Inside) > 0 && f.Condition == rules.OnSpokePresent && j.Runs[j.run].Effect == ignorefields.LeftOut:
			w.add(NoEffectAtomic, nil) // to the API server the string is one field
		case f.Condition == rules.OnSpokePresent && j.Runs[j.run].Effect != ignorefields.Kept:
			w.add(j.field(s, stage, f.Location, j.Runs[j.run].Effect))
		default:
			w.add(NotNeeded, nil) // the field is applied, where the package has changed or in any case
		}
	}
	if w.verdict == "" && len(j.rule.Within) == 0 {
		j.live(s, &w)
	}
	return w.verdict, w.to
}

// live adds what holds for an expression that finds nothing in the package.
func (j judge) live(s *state, w *worst) {
	live, _ := plain(s.pair.Live).(map[string]any)
	for _, l := range locations(j.parsed, s.pair.Live) {
		effect := j.Runs[j.run].Effect
		switch atomic := s.kind.At(l).Atomic; {
		case effect == ignorefields.TakenFromLive:
			w.add(j.field(s, live, l, effect))
		case effect == ignorefields.LeftOut && atomic != nil && location.At(tree.FromValue(s.pair.Applied), atomic) != nil:
			w.add(NoEffectAtomic, nil) // the package replaces all of it
		default:
			w.add(NotNeeded, nil)
		}
	}
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

func (s *state) tracedBy(run int) *ignorefields.TracedObject {
	if run >= len(s.pair.Traced) {
		return nil
	}
	return s.pair.Traced[run]
}

// field returns the verdict on one field that a rule has found at a location of an object, and the
// managers that it names. The object is plain.
func (p *planner) field(s *state, object map[string]any, l location.Location, effect ignorefields.Effect) (string, []string) {
	if s.pair.Live == nil {
		return NotNeeded, nil // the object is created whole
	}
	place := s.kind.At(l)
	strips := effect == ignorefields.LeftOut
	if place.Atomic != nil && strips {
		return NoEffectAtomic, nil
	}
	holding := s.prediction.Holding(object, l)
	others := slices.DeleteFunc(slices.Clone(holding.After), func(name string) bool { return p.As.Own(p.Manager, name) })
	isOurs := slices.ContainsFunc(holding.Before, func(name string) bool { return p.As.Own(p.Manager, name) })
	isSent := s.pair.Applied != nil
	isLost := isOurs && len(holding.After) == 0
	switch {
	case strips && isSent && place.Required != nil && (isLost || len(others) == 0 && !holding.IsThere):
		if s.out.Outcome != Conflict && s.out.Outcome != Refused && holding.HasParent && !holding.IsThere {
			s.refuseWithout(l, place.Required)
		}
		return Required, nil
	case strips && isSent && (holding.Removed || isLost):
		return Removed, nil
	case len(others) > 0 || isSent && (!isOurs || len(holding.After) > 0):
		return HandedOver, others
	}
	return NotNeeded, nil
}

// locations are those that an expression finds in an object.
func locations(e expr.Expression, object map[string]any) []location.Location {
	if e == nil || object == nil {
		return nil
	}
	found, err := e.Locate(&expr.Input{Root: tree.FromValue(object)})
	if err != nil {
		return nil
	}
	return found.Locations
}

// limits are what an expression may take on one live object: as much as a run gives it by default.
var limits = jq.Limits{Timeout: time.Second, Memory: 256 << 20}

// parse parses an expression, which the run has done before. It returns nil for a rule with
// fromAnnotation or fromOwners.
func parse(e ignorefields.TracedExpression) expr.Expression {
	d, ok := expr.ByName(e.Dialect)
	if !ok {
		return nil
	}
	parsed, err := d.Parse(e.Text, limits)
	if err != nil {
		return nil
	}
	return parsed
}
