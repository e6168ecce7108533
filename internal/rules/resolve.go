package rules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/guard"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Found is one location that an expression of a rule resolved to.
type Found struct {
	Location location.Location // in the object as it came in
	// Inside are the places in the documents that are in the string at the location, from the
	// outside in; none where the location itself was found. Value is the value at the innermost.
	Inside    []embedded.Place
	Value     *tree.Node
	Condition string
	By        *Source
}

// Source is what found a location: an expression, or a rule that reads the record of an earlier
// run.
type Source struct {
	Path       string // ignoreFields[0].jsonPointers[1]
	RulePath   string // ignoreFields[0]
	IsOwn      bool   // of a rule of the object itself
	Rule       int
	dialect    dialect.Names
	expression string
	Owner      string // of what a rule with fromOwners or managedFieldsManagers found
	Page       string // that documents what the owner writes; "" if it is not known
	managers   []string
	tags       atomic.Pointer[tagged] // the last ones
}

// tagged are the tags of results with a reason and a condition.
type tagged struct {
	reason, condition string
	tags              map[string]string
}

// Name names the source in a message: its path, and who owns the field.
func (s *Source) Name() string {
	if s.Owner == "" {
		return s.Path
	}
	return s.Path + ", owner: " + s.Owner
}

// LeavesTo tells whether the rule names a field manager as one whose fields it takes.
func (s *Source) LeavesTo(manager string) bool {
	return slices.ContainsFunc(s.managers, func(glob string) bool { return selector.Glob(glob, manager) })
}

// Text is the expression as written; "" for a rule that reads the record.
func (s *Source) Text() string { return s.expression }

// Tags are the tags of a result that is about the source, which share a map: it must not be
// changed. The condition is "" where it is not known: that of a record is known once the record is
// read.
func (s *Source) Tags(reason, condition string) map[string]string {
	if last := s.tags.Load(); last != nil && last.reason == reason && last.condition == condition {
		return last.tags
	}
	tags := map[string]string{"rule": strconv.Itoa(s.Rule)}
	if reason != "" {
		tags["reason"] = reason
	}
	if s.dialect.Name != "" {
		tags["selector"], tags["expression"] = s.dialect.Name, s.expression
	}
	if condition != "" {
		tags["condition"] = condition
	}
	if s.Owner != "" {
		tags["owner"] = s.Owner
	}
	s.tags.Store(&tagged{reason, condition, tags})
	return tags
}

// Failure is an expression that failed on an object, or found nothing in it.
type Failure struct {
	*Source
	Condition string
	Err       error
	// InLive is true if it failed on the live object.
	InLive bool
	// Why says why it found nothing; "" where that is not known. Quotes is what it quotes of the
	// expression.
	Why    string
	Quotes words.Quote
	// Missed is the expression that found nothing; nil in documents of strings.
	Missed *Expression
}

// Resolution is the outcome of the rules in one object.
type Resolution struct {
	Found    []Found
	Failures []Failure
	// Missing are the expressions that found nothing, and Hints say why they may have
	// found nothing; both only where KeepsMissing is true.
	Missing      []Failure
	Hints        []Hint
	KeepsMissing bool
	Emptied      []Emptied // lists of containers of which an expression found every element
	Dotted       []Failure // JSONPaths that joined segments, with the escaped spelling
	Quoted       []Failure // those of which the segments are in one pair of quotes
	PassedOver   []Failure // parts of an annotation that its reader on the cluster passes over
	Matched      []int     // numbers of the expressions that found something
	Failed       []int     // numbers of the expressions that failed
	total        int       // how many locations all expressions found together
	// Strings are those whose documents were opened.
	Strings embedded.Opener
	// Costs are those of the measured expressions, one for each evaluation.
	Costs []Cost
	// hidesKeys is true while expressions are resolved in a document of a Secret, whose keys no
	// hint may name.
	hidesKeys bool
	schema    expr.Schema
	input     expr.Input
	Fatal     error // that of a limit, which ends the run, or that of its stop
	// Reporter makes the results of failures; nil for the usual one.
	Reporter Reporter
	// IsForeign is true for rules that another program resolves, to which the data and the
	// stringData of a Secret are two things.
	IsForeign bool
	// view is the object as rules see it, and secret reads it if it is a Secret; nil where it may
	// have changed since.
	view   *tree.Node
	secret *location.Reader
	// waiting is what is still to be stripped from the object.
	waiting waiting
	object  *object.Object
	// find is the Lookup of the object.
	find func(n *tree.Node, key string) *tree.Node
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
func (r *Resolution) Report(err error) report.Result {
	f := Failure{Source: r.current, Condition: r.condition, Err: err}
	if r.Reporter != nil {
		return r.Reporter.ReportFailure(f)
	}
	tags := f.Tags(report.ReasonSSAIgnoreFieldError, f.Condition)
	return report.Result{Message: f.Path + ": " + err.Error(), Severity: report.SeverityError, Tags: tags}
}

// Spent implements guard.Spender: the documents of an object share the time for it.
func (r *Resolution) Spent() time.Duration { return r.spent[r.current] }

// Hint says why an expression may have found nothing in an object.
type Hint struct {
	Number int // of the expression
	// Expression is nil for one that is resolved in documents of strings.
	Expression *Expression
	Text       string
	Quotes     words.Quote // what the text quotes of the expression
	Depth      int         // how many of its steps led somewhere
	// Missing is the field that the text says the object does not have; nil where it says something
	// else.
	Missing location.Location
}

// Resolve resolves the rules in the object, and strips from it the fields that are left to the
// cluster while the object exists; the next list of expressions does not see them. A caller that
// strips nothing takes the edits back. Missing expressions and hints, which cost more than to
// resolve, are recorded only if keepsMissing is true. The schema is that of the object; nil where
// it is not known.
//
// It overwrites the outcome of an earlier resolution, in the same memory.
func (r *Resolution) Resolve(o *object.Object, rules []Rule, keepsMissing bool, schema expr.Schema) {
	r.Free()
	r.KeepsMissing, r.schema, r.object = keepsMissing, schema, o
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

// Free empties the resolution and keeps its memory for Resolve.
func (r *Resolution) Free() {
	if max(cap(r.Found), cap(r.Matched)) > maxKept {
		*r = Resolution{Reporter: r.Reporter, IsForeign: r.IsForeign}
		return
	}
	clear(r.Found)
	*r = Resolution{Found: r.Found[:0], Matched: r.Matched[:0], Reporter: r.Reporter, IsForeign: r.IsForeign}
}

// list resolves expressions against one state of the object and then strips what they found, which
// may wait for as long as no expression can tell.
func (r *Resolution) list(s embedded.Scope, rule *Rule, list []Expression, in *expr.Input, mayWait bool) {
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
func (r *Resolution) expression(in *expr.Input, rule *Rule, e *Expression) []location.Location {
	in.WithoutHint = r.hidesKeys || !r.KeepsMissing
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

// locate is what Locate of the expression returns, once nothing waits that it could tell. It notes
// how long that takes, where somebody asks.
func (r *Resolution) locate(in *expr.Input, e *Expression) (outcome expr.Match, err error) {
	var start time.Time
	if e.isMeasured || r.spent != nil {
		start = time.Now()
	}
	if outcome, err = e.Locate(in); r.waiting.mayMatter(in, outcome, err) {
		r.strip()
		*in = r.inputOf(embedded.Scope{Object: r.object})
		in.WithoutHint = !r.KeepsMissing
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

// Match records that an expression has found something after all.
func (r *Resolution) Match(rules []Rule, by *Source) {
	for _, rule := range rules {
		for _, e := range slices.Concat(rule.Conditional().Lists...) {
			if e.Source == by && e.Number >= 0 {
				r.Matched = append(r.Matched, e.Number)
			}
		}
	}
	r.Missing = slices.DeleteFunc(r.Missing, func(f Failure) bool { return f.Source == by })
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
func (r *Resolution) miss(f Failure, e *Expression, outcome expr.Match) {
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
func (r *Resolution) fail(f Failure, numbers ...int) {
	r.Failures = append(r.Failures, f)
	r.Failed = append(r.Failed, numbers...)
	if guard.IsLimit(f.Err) {
		r.Fatal = f.Err
	}
}

// allowed returns the locations, or none where one of them is, or holds, a protected field. Fix is
// what to write instead; "" if it is not known.
func (r *Resolution) allowed(locations []location.Location, f Failure, fix string) []location.Location {
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

// Emptied is a list of containers of which an expression found every element.
type Emptied struct {
	List  location.Location
	Count int
	By    *Source
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

// Cost is how long one evaluation of an expression took, and how many fields it found.
type Cost struct {
	Number  int // of the expression
	Time    time.Duration
	Matches int
}

// Owned is a field of which other objects of the list, or the managedFields of the live object, say
// that somebody owns it.
type Owned struct {
	Location location.Location // in the object as it came in
	Owners   []string          // HorizontalPodAutoscaler default/web, or kubelet (Update)
	Page     string            // where the project of the first one documents it; "" if it is not known
}

// ownedFields takes what the rules with fromOwners and managedFieldsManagers have in the object. It
// comes last, so that an expression that names the same field finds it, wherever it is.
func (r *Resolution) ownedFields(o *object.Object, rules []Rule) {
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
