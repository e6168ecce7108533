package rules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Resolver resolves rules in one object after the other, in the same memory.
type Resolver struct {
	Resolution // of the last object
	// Reporter makes the results of failures; nil for the usual one.
	Reporter Reporter
	// IsForeign is true for rules that another program resolves, to which the data and the
	// stringData of a Secret are two things.
	IsForeign bool
	// KeepsMissing is true if missing expressions and hints, which cost more than to resolve, are
	// recorded.
	KeepsMissing bool
	state
}

// state is what a Resolver knows of the object that is under way.
type state struct {
	object *object.Object
	schema expr.Schema
	input  expr.Input
	// view is the object as rules see it, and secret reads it if it is a Secret; nil where it may
	// have changed since.
	view   *tree.Node
	secret *location.Reader
	// find is the Lookup of the object.
	find func(n *tree.Node, key string) *tree.Node
	// waiting is what is still to be stripped from the object.
	waiting waiting
	// hidesKeys is true while expressions are resolved in a document of a Secret, whose keys no
	// hint may name.
	hidesKeys bool
	total     int // how many locations all expressions found together
	// spent is the time that expressions have taken in the documents of an object so far.
	spent map[*Source]time.Duration
	// current is the expression that is under way.
	current   *Source
	condition string
}

// Reporter makes the result of an expression that fails.
type Reporter interface {
	ReportFailure(f Failure) report.Result
}

// Report implements guard.Reporter.
func (r *Resolver) Report(err error) report.Result {
	f := Failure{Source: r.current, Condition: r.condition, Err: err}
	if r.Reporter != nil {
		return r.Reporter.ReportFailure(f)
	}
	tags := f.Tags(report.ReasonSSAIgnoreFieldError, f.Condition)
	return report.Result{Message: f.Path + ": " + err.Error(), Severity: report.SeverityError, Tags: tags}
}

// Spent implements guard.Spender: the documents of an object share the time for it.
func (r *Resolver) Spent() time.Duration { return r.spent[r.current] }

// Resolve resolves the rules in the object, and strips from it the fields that are left to the
// cluster while the object exists; the next list of expressions does not see them. A caller that
// strips nothing takes the edits back. The schema is that of the object; nil where it is not
// known.
//
// It overwrites the outcome of an earlier resolution, in the same memory.
func (r *Resolver) Resolve(o *object.Object, rules []Rule, schema expr.Schema) {
	r.Free()
	r.schema, r.object = schema, o
	for i := range rules {
		rule := &rules[i]
		if rule.FromAnnotation != nil {
			r.strip()
			for _, name := range rule.FromAnnotation.Annotations() {
				r.record(o, rule, name)
			}
		}
		if len(rule.Within) > 0 {
			r.strip()
			r.inside(o, rule)
			r.view, r.secret = nil, nil
			if r.Fatal != nil {
				return
			}
			continue
		}
		for _, list := range rule.Lists {
			if len(list) > 0 {
				r.list(embedded.Scope{Object: o}, rule, list, &r.input, len(rules) >= manyRules && areKeys(list))
			}
			if r.Fatal != nil {
				return
			}
		}
	}
	r.strip()
	r.ownedFields(o, rules)
}

// maxKept bounds the lists whose memory is used again.
const maxKept = 1000

// Free empties the resolver and keeps its memory for Resolve.
func (r *Resolver) Free() {
	r.state = state{}
	if max(cap(r.Found), cap(r.Matched)) > maxKept {
		r.Resolution = Resolution{}
		return
	}
	clear(r.Found)
	r.Resolution = Resolution{Found: r.Found[:0], Matched: r.Matched[:0]}
}

// list resolves expressions against one state of the object and then strips what they found, which
// may wait for as long as no expression can tell.
func (r *Resolver) list(s embedded.Scope, rule *Rule, list []Expression, in *expr.Input, mayWait bool) {
	o := s.Object
	if !mayWait {
		r.strip()
	}
	if len(r.waiting.locations) == 0 {
		*in = r.inputOf(s)
	}
	var strip []location.Location
	for i := range list {
		e := &list[i]
		locations := r.allowedIn(s, rule, e, r.placesIn(s, r.expression(in, rule, e)))
		if r.Fatal != nil {
			return
		}
		outermost := location.Outermost(locations)
		if !s.IsInside {
			for _, emptied := range emptiedContainers(o.Root(), outermost) {
				if was, ok := o.OriginalLocation(emptied.List); ok {
					r.Emptied = append(r.Emptied, Emptied{List: was, Count: emptied.Count, By: e.Source})
				}
			}
		}
		r.add(s, outermost, rule.Condition, e.Source)
		if strip == nil {
			strip = slices.Clip(locations) // most lists have one expression that finds something
			continue
		}
		strip = append(strip, locations...)
	}
	switch {
	case rule.Condition != OnSpokePresent || len(strip) == 0:
	case mayWait && in.Root == o.Root():
		r.waiting.add(in, strip)
	default: // a Secret's view waits for nothing
		o.Remove(strip)
		r.view, r.secret = nil, nil
	}
}

// maxFound bounds the fields that all expressions together find in one object: a thousand
// expressions that find the same many fields would take all memory.
const maxFound = 1 << 18

var tooManyFound = fmt.Sprintf("all expressions together must find at most %d fields in an object", maxFound)

// expression resolves one expression and records its outcome.
func (r *Resolver) expression(in *expr.Input, rule *Rule, e *Expression) []location.Location {
	in.WithoutHint = r.needsNoHint()
	r.current, r.condition = e.Source, rule.Condition
	var outcome expr.Match
	var err error
	if r.total <= maxFound {
		outcome, err = r.locate(in, e)
		r.total += len(outcome.Locations)
	}
	if r.total > maxFound {
		err = &fault.RuntimeError{Failure: e.Dialect().Failure, Expression: e.String(), Cause: tooManyFound}
	}
	if errors.Is(err, context.Canceled) {
		r.Fatal = err
		return nil
	}
	f := Failure{Source: e.Source, Condition: rule.Condition, Err: err}
	if err != nil {
		r.fail(f, e.Number)
		return nil
	}
	if len(outcome.Locations) == 0 {
		r.miss(f, e, outcome)
		return nil
	}
	if e.Number >= 0 {
		r.Matched = append(r.Matched, e.Number)
	}
	if outcome.DottedKey != "" {
		f.Err = &dottedError{e.String(), outcome.DottedKey}
		if outcome.IsQuoted {
			r.Quoted = append(r.Quoted, f)
		} else {
			r.Dotted = append(r.Dotted, f)
		}
	}
	return outcome.Locations
}

// maxHints bounds the missing expressions of one object that get hints, each of which looks at the
// keys of a map.
const maxHints = 2000

func (r *Resolver) needsNoHint() bool {
	return r.hidesKeys || !r.KeepsMissing || len(r.Missing) >= maxHints
}

// locate is what Locate of the expression returns, once nothing waits that it could tell. It notes
// how long that takes, where somebody asks.
func (r *Resolver) locate(in *expr.Input, e *Expression) (outcome expr.Match, err error) {
	var start time.Time
	if e.isMeasured || r.spent != nil {
		start = time.Now()
	}
	if outcome, err = e.Locate(in); r.waiting.mayMatter(in, outcome, err) {
		r.strip()
		*in = r.inputOf(embedded.Scope{Object: r.object})
		in.WithoutHint = r.needsNoHint()
		outcome, err = e.Locate(in)
	}
	if e.isMeasured {
		r.Costs = append(r.Costs, Cost{e.Number, time.Since(start), len(outcome.Locations)})
	}
	if r.spent != nil {
		r.spent[e.Source] += time.Since(start)
	}
	if r.hidesKeys {
		err = withoutKeys(err)
	}
	return outcome, err
}

// dottedError is a JSONPath that found its field only by joining segments.
type dottedError struct{ expression, spelling string }

func (e *dottedError) Error() string { return e.Show(words.Open{}, false) }

// Show implements redact.ComposedError.
func (e *dottedError) Show(mask words.Mask, _ bool) string {
	return fmt.Sprintf("the JSONPath '%s' found its field by joining segments with dots; write it as '%s'",
		mask.Expression(e.expression), mask.Expression(e.spelling))
}

// miss records an expression that found nothing.
func (r *Resolver) miss(f Failure, e *Expression, outcome expr.Match) {
	if !r.KeepsMissing {
		return
	}
	if n := len(outcome.Missing); n > 0 {
		outcome.Quotes = strconv.Quote(outcome.Missing[n-1].Key)
	}
	f.Why, f.Quotes, f.Missed = outcome.Hint, words.Quote{Part: outcome.Quotes, Expression: f.expression}, e
	f.Err = &fault.RuntimeError{
		Failure: e.Dialect().Failure, Expression: f.expression, Cause: strings.TrimSuffix("path not found; "+f.Why, "; "), Quotes: outcome.Quotes,
	}
	r.Missing = append(r.Missing, f)
	if outcome.Hint != "" {
		r.Hints = append(r.Hints, Hint{
			Number: e.Number, Expression: e, Text: outcome.Hint, Quotes: f.Quotes, Depth: outcome.Depth, Missing: outcome.Missing,
		})
	}
}

// fail records an expression that failed.
func (r *Resolver) fail(f Failure, numbers ...int) {
	r.Failures = append(r.Failures, f)
	r.Failed = append(r.Failed, numbers...)
	if guard.IsLimit(f.Err) {
		r.Fatal = f.Err
	}
}

// allowed returns the locations, or none where one of them is, or holds, a protected field. Fix is
// what to write instead; "" if it is not known.
func (r *Resolver) allowed(locations []location.Location, f Failure, fix string) []location.Location {
	for _, l := range locations {
		if cause := Refusal(l); cause != "" {
			if strings.Contains(f.expression, "select(") && fix == "" {
				fix = `to choose objects, use selectors: [{name: …}], or select(.metadata.name == "…") | .spec.replicas`
			}
			if fix != "" {
				cause += "; " + fix
			}
			f.Err = &fault.RuntimeError{Failure: f.dialect.Failure, Expression: f.expression, Cause: cause}
			r.Failures = append(r.Failures, f)
			return nil
		}
	}
	return locations
}

// Refusal says why a field can't be ignored; "" if it can.
func Refusal(l location.Location) string {
	i := slices.IndexFunc(Protected, func(field location.Location) bool { return l.Contains(field) })
	if i < 0 {
		return ""
	}
	cause := "apiVersion, kind, metadata.name and metadata.namespace can't be ignored"
	switch {
	case len(l) == 0:
		cause += ", so the whole object can't be ignored"
	case len(l) < len(Protected[i]):
		cause += ", and " + l.String() + " holds " + Protected[i].String()
	}
	return cause
}

// Protected are the fields that name an object and so can't be ignored; the last one is optional.
var Protected = []location.Location{
	{location.Key("apiVersion")},
	{location.Key("kind")},
	{location.Key("metadata"), location.Key("name")},
	{location.Key("metadata"), location.Key("namespace")},
}

// emptiedContainers returns the lists of containers of which all elements are among the locations,
// which are sorted. Init containers are left out, since an object needs none.
func emptiedContainers(root *tree.Node, sorted []location.Location) []Emptied {
	var all []Emptied
	for _, l := range sorted {
		last := len(l) - 1
		if last < 1 || !l[last].IsIndex || l[last-1].Key != "containers" {
			continue
		}
		if n := len(all) - 1; n >= 0 && location.Compare(all[n].List, l[:last]) == 0 {
			all[n].Count++
			continue
		}
		all = append(all, Emptied{List: l[:last], Count: 1})
	}
	return slices.DeleteFunc(all, func(e Emptied) bool { return e.Count < len(location.At(root, e.List).Content) })
}

// ownedFields takes what the rules with fromOwners and managedFieldsManagers have in the object. It
// comes last, so that an expression that names the same field finds it, wherever it is.
func (r *Resolver) ownedFields(o *object.Object, rules []Rule) {
	var strip []location.Location
	for _, rule := range rules {
		if len(rule.Owned) > 0 && rule.Number >= 0 {
			r.Matched = append(r.Matched, rule.Number)
		}
		for _, owned := range rule.Owned {
			if _, ok := o.EditedLocation(owned.Location); !ok {
				continue // found by another rule
			}
			by := &Source{
				Path: rule.Path, RulePath: rule.Path, IsOwn: rule.IsOwn, Rule: rule.Index,
				Owner: strings.Join(owned.Owners, " and "), Page: owned.Page, managers: rule.Managers,
			}
			r.Found = append(r.Found, Found{Location: owned.Location, Condition: rule.Condition, By: by})
			if rule.Condition == OnSpokePresent {
				strip = append(strip, owned.Location)
			}
		}
	}
	o.RemoveOriginal(strip)
}
