package ignorefields

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// Trace is what a run looked at and what it found, for a person who asks why. A
// run without one keeps none of it.
type Trace struct {
	// Rules are those of the functionConfig.
	Rules []TracedRule
	// Objects are by the index of the item; nil for items that the run did not
	// come to.
	Objects []*TracedObject
	// Unmatched are the entries of selectors and exclude that match no object.
	Unmatched []match.Unmatched
	// HashAnnotation is the name of the annotation with the object hash.
	HashAnnotation string
}

// TracedRule is a rule.
type TracedRule struct {
	Path           string // ignoreFields[0]
	Condition      string
	FromAnnotation bool
	Expressions    []TracedExpression
}

// TracedExpression is an expression of a rule.
type TracedExpression struct {
	Path    string // ignoreFields[0].jsonPointers[1]
	Dialect string // locate.JSONPath, locate.JSONPointer or locate.JQ
	Text    string
}

// TracedObject is what the rules made of an object.
type TracedObject struct {
	Ref  report.Ref
	File report.File
	// IsLive is true for an object that shows what is on the cluster, or that is there for its schema.
	IsLive bool
	// NotChosen is why no rule applies; nil where the object is chosen.
	NotChosen *match.Refusal
	// NotInRule is by the path of the rule why that one does not apply.
	NotInRule map[string]match.Refusal
	// OwnRules are those of the object's own annotation.
	OwnRules []TracedRule
	// Resolved is true where the rules were resolved in it.
	Resolved bool
	Found    []TracedField
	Missing  []TracedMiss
	Failed   []TracedMiss
	Dotted   []TracedMiss
}

// TracedField is a field that an expression, or a rule with fromAnnotation,
// found.
type TracedField struct {
	By        string // the path of the expression, or of the rule
	Condition string
	Location  locate.Location
	// Value is as tree.Value gives it, with *** for the values of a Secret.
	Value any
	// Line is that of the file; 0 where it is not known.
	Line int
}

// TracedMiss is an expression that found nothing, or failed, and why; Why is ""
// where that is not known.
type TracedMiss struct {
	By  string
	Why string
}

// Run is Run, and keeps the trace of it. A Trace is for one run.
func (t *Trace) Run(functionConfig *yaml.Node, items []*object.Object) ([]*object.Object, []report.Result) {
	return carryOut(functionConfig, items, t)
}

// fill takes what the run knows once it is done.
func (t *Trace) fill(r *run, items []*object.Object, outcomes []outcome) {
	t.Rules, t.HashAnnotation = tracedRules(r.rules), r.config.ObjectHash.Annotation
	for _, o := range outcomes {
		t.Objects = append(t.Objects, o.traced)
	}
	selections := []*match.Selection{r.selection}
	for _, rule := range r.rules {
		selections = append(selections, rule.selection)
	}
	var seen []*match.Object
	for _, s := range selections {
		if s.AllMatched() {
			continue
		}
		if seen == nil {
			seen = objectsOf(items)
		}
		t.Unmatched = append(t.Unmatched, s.Unmatched(seen)...)
	}
}

func tracedRules(rules []rule) []TracedRule {
	traced := make([]TracedRule, len(rules))
	for i, r := range rules {
		traced[i] = TracedRule{Path: r.path, Condition: r.condition, FromAnnotation: r.fromAnnotation}
		for _, list := range r.lists {
			for _, e := range list {
				traced[i].Expressions = append(traced[i].Expressions,
					TracedExpression{Path: e.path, Dialect: e.Dialect(), Text: e.String()})
			}
		}
	}
	return traced
}

// choice returns what the run knows of the item before its rules are resolved.
func (t *Trace) choice(r *run, item *object.Object, identity *match.Object) *TracedObject {
	traced := &TracedObject{Ref: report.RefOf(item.Root()), File: item.File()}
	if refusal, refused := r.selection.Refusal(identity); refused {
		traced.NotChosen = &refusal
		return traced
	}
	for _, rule := range r.rules {
		if refusal, refused := rule.selection.Misfit(identity); refused {
			if traced.NotInRule == nil {
				traced.NotInRule = map[string]match.Refusal{}
			}
			traced.NotInRule[rule.path] = refusal
		}
	}
	return traced
}

// resolved adds what the rules resolved to, own ones among them, while the
// object's data is at hand.
func (t *TracedObject) resolved(j *job, own []rule) {
	t.Resolved = true
	t.OwnRules = tracedRules(own)
	original := j.object.Original()
	for _, f := range j.resolution.found {
		t.Found = append(t.Found, TracedField{
			By: f.by.path, Condition: f.condition, Location: f.location,
			Value: j.mask.Value(f.location, tree.Value(locate.At(original, f.location))),
			Line:  j.object.LineOf(locate.Begin(original, f.location)),
		})
	}
	for _, f := range j.resolution.missing {
		t.Missing = append(t.Missing, TracedMiss{By: f.path, Why: j.mask.Text(j.whyMissing(f))})
	}
	for _, f := range j.resolution.failures {
		t.Failed = append(t.Failed, TracedMiss{By: f.path, Why: j.mask.Error(f.err)})
	}
	for _, f := range j.resolution.dotted {
		t.Dotted = append(t.Dotted, TracedMiss{By: f.path, Why: j.mask.Error(f.err)})
	}
	for _, rule := range j.rules {
		if _, has := annotation(original, recordAnnotation); rule.fromAnnotation && !has {
			t.Missing = append(t.Missing, TracedMiss{By: rule.path, Why: "the object has no annotation " + recordAnnotation})
		}
	}
}

// whyMissing says why an expression found nothing: its fields went to another
// one before it, or the hint of its dialect.
func (j *job) whyMissing(f failure) string {
	if by := j.takenBy(f.path, f.part); by != "" {
		return "what it names was found by " + by + " before"
	}
	missing, ok := errors.AsType[*locate.RuntimeError](f.err)
	if !ok {
		return f.err.Error()
	}
	return strings.TrimPrefix(strings.TrimPrefix(missing.Cause, notFound("", "")), "; ")
}

// takenBy returns the path of the expression that stripped what the expression at
// a path, or a part of it, names in the object as it came in; "" for none.
func (j *job) takenBy(path, part string) string {
	if len(j.resolution.found) == 0 {
		return ""
	}
	for _, rule := range j.rules {
		for _, e := range rule.expressions() {
			if e.path != path {
				continue
			}
			for _, p := range e.parts {
				if p.text == part {
					e = p.expression
				}
			}
			return j.resolution.taker(e, j.object.Original())
		}
	}
	return ""
}

func (r resolution) taker(e expression, original *yaml.Node) string {
	outcome, err := e.Locate(&locate.Input{Root: original})
	if err != nil {
		return ""
	}
	for _, l := range outcome.Locations {
		for _, f := range r.found {
			if f.location.Contains(l) {
				return f.by.path
			}
		}
	}
	return ""
}
