package explain

import (
	"slices"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Of returns the explanation of a run. The error is that of writing an object.
func Of(r Run) (*Explanation, error) {
	b := builder{explanation: &Explanation{limit: config.LimitOf(r.FunctionConfig)}, run: r, expressions: map[string]*Expression{}}
	e := b.explanation
	e.FunctionConfig = Config{Ref: report.RefOf(r.FunctionConfig), File: r.ConfigFile}
	for _, compiled := range r.Trace.Rules {
		b.byRule = append(b.byRule, b.newRule(compiled, b.expressions))
	}
	e.Rules, e.Unmatched = slices.Clone(b.byRule), r.Trace.Unmatched
	for _, o := range r.Trace.Objects {
		switch {
		case o == nil || o.IsLive:
		case o.NotChosen != nil:
			refused := refusedBy(o, *o.NotChosen)
			if o.UnreadRules {
				refused.addition = "; the rules of the object itself are not read"
				refused.Why += refused.addition
			}
			e.NotChosen = append(e.NotChosen, refused)
		default:
			e.Summary.Chosen++
			b.chosen(o)
		}
	}
	e.Results = keep(r.Results, func(result report.Result) bool { return !result.IsSummary })
	changes, err := changesOf(r, map[string]int{})
	e.Changes = changes
	for _, rule := range b.byRule {
		rule.MoreNotInRule = e.Summary.Chosen - rule.Chosen - len(rule.NotInRule)
	}
	b.count()
	return e, err
}

func refusedBy(o *ignorefields.TracedObject, r selector.Refusal) Refused {
	return Refused{Object: o.Ref, File: o.File.Path, Entry: r.Path, Wants: r.Wants, Why: r.Reason, has: r.Has}
}

// builder makes an explanation of a run.
type builder struct {
	explanation *Explanation
	run         Run
	// expressions are those of the functionConfig by their paths, and rules with fromAnnotation.
	expressions map[string]*Expression
	byRule      []*ExplainedRule
}

// newRule returns a rule, and adds its expressions to others by their paths.
func (b *builder) newRule(compiled rules.Rule, byPath map[string]*Expression) *ExplainedRule {
	rule := &ExplainedRule{Path: compiled.Path, Condition: compiled.Condition}
	if compiled.FromAnnotation != nil {
		rule.Condition = "as recorded"
	}
	if takes := compiled.Takes(); takes != "" {
		rule.Expressions = []*Expression{{Path: compiled.Path, key: takes}}
	}
	for _, level := range compiled.Within {
		rule.Within = append(rule.Within, b.expressionsOf(level.Expressions)...)
	}
	rule.Expressions = append(rule.Expressions, b.expressionsOf(slices.Concat(compiled.Lists...))...)
	for _, e := range slices.Concat(rule.Within, rule.Expressions) {
		byPath[e.Path] = e
	}
	return rule
}

func (b *builder) expressionsOf(list []rules.Expression) []*Expression {
	return lists.Map(list, func(e rules.Expression) *Expression {
		return &Expression{Path: e.Path, Dialect: e.Dialect().Name, Text: b.run.Mask.Expression(e.String())}
	})
}

// chosen adds what the rules made of an object.
func (b *builder) chosen(o *ignorefields.TracedObject) {
	for _, i := range o.Applied {
		b.byRule[i].Chosen++
	}
	for i, refusal := range o.NotInRule {
		b.byRule[i].NotInRule = append(b.byRule[i].NotInRule, refusedBy(o, refusal))
	}
	own := map[string]*Expression{}
	for _, compiled := range o.OwnRules {
		rule, of := b.newRule(compiled, own), o.Ref
		rule.Of, rule.Chosen = &of, 1
		b.explanation.Rules = append(b.explanation.Rules, rule)
	}
	expression := func(path string) *Expression {
		if e, ok := own[path]; ok {
			return e
		}
		return b.expressions[path]
	}
	b.outcome(o, expression)
}

// outcome adds what the expressions found in an object, or why they did not.
func (b *builder) outcome(o *ignorefields.TracedObject, expression func(path string) *Expression) {
	object := o.Ref
	for _, f := range o.Found {
		e := expression(f.By)
		last := len(e.Found) - 1
		if last < 0 || e.Found[last].Object != object {
			e.Found = append(e.Found, Fields{Object: object})
			last++
		}
		e.Found[last].Fields = append(e.Found[last].Fields, fieldOf(f, o.File.Path))
	}
	add := func(to *[]Missed, why string) { *to = append(*to, Missed{Object: object, File: o.File.Path, Why: why}) }
	for _, m := range o.Missing {
		add(&expression(m.By).Nothing, m.Why)
	}
	for _, m := range o.Failed {
		add(&expression(m.By).Failed, m.Why)
	}
	for _, m := range o.Dotted {
		if e := expression(m.By); len(e.Notes) == 0 {
			e.Notes = append(e.Notes, m.Why)
		}
	}
}

func fieldOf(f ignorefields.TracedField, file string) FoundField {
	value, err := tree.MarshalJSON(tree.FromValue(f.Value))
	if err != nil {
		value = []byte("null") // a number that JSON has no form for
	}
	return FoundField{
		Path: f.Place, Pointer: f.Pointer, Condition: f.Condition, Value: value,
		File: file, Line: f.Line, Owner: f.Owner, at: embedded.Pointer(f.Location, f.Inside),
	}
}

// count fills the summary.
func (b *builder) count() {
	e := b.explanation
	for i := range b.run.Items {
		if !isLive(b.run, i) {
			e.Summary.Objects++
		}
	}
	places, nothing := map[string]bool{}, map[string]bool{}
	for _, rule := range e.Rules {
		for _, expression := range rule.Expressions {
			expression.MatchedNothing = rule.Of == nil && len(expression.Found) == 0 && len(expression.Failed) == 0
			if expression.MatchedNothing {
				nothing[expression.Path] = true
			}
			for _, found := range expression.Found {
				for _, field := range found.Fields {
					places[found.Object.APIVersion+" "+found.Object.String()+" "+field.File+" "+field.at] = true
				}
			}
		}
	}
	for _, u := range e.Unmatched {
		nothing[u.Path] = true
	}
	for _, r := range e.Results { // which tell of what the trace does not know
		if path := r.Field.Path; r.Tags["reason"] == report.ReasonNoMatch && path != "" {
			if about := r.Ref.String(); about != e.FunctionConfig.String() {
				path = about + " " + path
			}
			nothing[path] = true
		}
	}
	e.Summary.Fields, e.Summary.MatchedNothing = len(places), len(nothing)
	for _, change := range e.Changes {
		if change.Change != LeftAlone {
			e.Summary.Changed++
		}
		if change.Change == Created {
			e.Summary.Created++
		}
	}
}
