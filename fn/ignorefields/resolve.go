package ignorefields

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// found is one location that an expression of a rule resolved to.
type found struct {
	location  locate.Location // in the object as it came in
	condition string
	by        *source
}

// source names what found a location: an expression, or a rule that reads the
// record of an earlier run.
type source struct {
	path       string // ignoreFields[0].jsonPointers[1]
	rulePath   string // ignoreFields[0]
	isOwn      bool   // of a rule of the object itself
	rule       int
	dialect    string
	expression string
	// ignored are the tags of the result that most objects get: that a field is
	// ignored under the condition of the rule. It is nil where they are not known.
	ignored map[string]string
}

// failure is an expression that failed on an object.
type failure struct {
	*source
	condition string
	err       error
	// inLive is true where it failed on the live object.
	inLive bool
	// part is the part of the expression that found nothing; "" for all of it.
	part string
}

// resolution is what the rules resolve to in one object.
type resolution struct {
	found    []found
	failures []failure
	// missing are the expressions that found nothing, with the hint as err; only
	// where keepsMissing is true.
	missing      []failure
	keepsMissing bool
	hints        []hint    // why they may have found nothing
	emptied      []emptied // lists of containers of which an expression found every element
	dotted       []failure // JSONPaths that joined segments, with the escaped spelling
	matched      []int     // numbers of the expressions that found something
	failed       []int     // numbers of the expressions that failed
	total        int       // how many locations all expressions found together
	fatal        error     // a *jq.TimeoutError or *jq.MemoryError, which ends the run, or that of its stop
}

// hint says why an expression may have found nothing in an object.
type hint struct {
	number int // of the expression
	text   string
	depth  int // how many of its steps led somewhere
	// kinds are those of the objects in which it got that far.
	kinds []schema.GVK
}

// usualFound is how many locations usual rules find in an object; more cost allocations.
const usualFound = 4

// resolve resolves the rules in the object, and strips from it what they leave
// to the cluster as long as the object is there; what the next list of
// expressions sees is without it. The caller takes the stripping back where
// nothing is to be stripped. What is missing is kept account of only where
// keepsMissing is true.
func resolve(o *object.Object, rules []rule, keepsMissing bool) resolution {
	r := resolution{keepsMissing: keepsMissing, found: make([]found, 0, usualFound)}
	in := &locate.Input{}
	for _, rule := range rules {
		if rule.fromAnnotation {
			r.record(o, rule)
		}
		for _, list := range rule.lists {
			if len(list) > 0 {
				r.list(o, rule, list, in)
			}
			if r.fatal != nil {
				return r
			}
		}
	}
	return r
}

// list resolves expressions against one state of the object and then strips
// what they found.
func (r *resolution) list(o *object.Object, rule rule, list []expression, in *locate.Input) {
	*in = locate.Input{Root: o.Root()}
	var strip []locate.Location
	for _, e := range list {
		locations := r.expression(in, rule, e)
		if r.fatal != nil {
			return
		}
		outermost := locate.Outermost(locations)
		r.empties(o, outermost, e.source)
		for _, l := range outermost {
			if was, ok := o.Was(l); ok {
				r.found = append(r.found, found{location: was, condition: rule.condition, by: e.source})
			}
		}
		if strip == nil {
			strip = slices.Clip(locations) // most lists have one expression that finds something
			continue
		}
		strip = append(strip, locations...)
	}
	if rule.condition == onSpokePresent {
		o.Remove(strip)
	}
}

// empties keeps account of the lists of containers of which an expression found
// every element.
func (r *resolution) empties(o *object.Object, outermost []locate.Location, by *source) {
	for _, e := range emptiedContainers(o.Root(), outermost) {
		if was, ok := o.Was(e.list); ok {
			r.emptied = append(r.emptied, emptied{list: was, count: e.count, by: by})
		}
	}
}

// maxFound is how many fields all expressions together may find in one object: a
// thousand of them that find the same many fields would take all memory.
const maxFound = 1 << 18

var tooManyFound = fmt.Sprintf("all expressions together must find no more than %d fields in an object", maxFound)

// expression resolves one expression and keeps account of its outcome.
func (r *resolution) expression(in *locate.Input, rule rule, e expression) []locate.Location {
	in.WithoutHint = !e.needsHint()
	var outcome locate.Found
	var err error
	if r.total <= maxFound {
		outcome, err = e.Locate(in)
		r.total += len(outcome.Locations)
	}
	if r.total > maxFound {
		err = &locate.RuntimeError{Dialect: e.Dialect(), Expression: e.String(), Cause: tooManyFound}
	}
	if errors.Is(err, context.Canceled) {
		r.fatal = err
		return nil
	}
	f := failure{source: e.source, condition: rule.condition, err: err}
	if err != nil {
		r.fail(f, e.numbers()...)
		return nil
	}
	if len(e.parts) > 0 {
		r.parts(in, f, e)
	} else if len(outcome.Locations) == 0 {
		r.miss(f, e, outcome)
	}
	if len(outcome.Locations) == 0 {
		return nil
	}
	e.noteMatch()
	if e.number >= 0 {
		r.matched = append(r.matched, e.number)
	}
	if outcome.DottedKey != "" {
		f.err = &dottedKeyError{expression: e.String(), escaped: outcome.DottedKey}
		r.dotted = append(r.dotted, f)
	}
	return r.allowed(outcome.Locations, f)
}

// parts keeps account of the parts of an expression that find nothing. One that
// fails by itself is none of them: the expression as a whole has not failed.
func (r *resolution) parts(in *locate.Input, f failure, e expression) {
	for _, p := range e.parts {
		if !p.needsHint() {
			continue
		}
		in.WithoutHint = false
		outcome, err := p.Locate(in)
		f.part = p.text
		switch {
		case err == nil && len(outcome.Locations) == 0:
			r.miss(f, p.expression, outcome)
		case p.number >= 0:
			r.matched = append(r.matched, p.number)
			fallthrough
		default:
			p.noteMatch()
		}
	}
}

// miss keeps account of an expression that found nothing.
func (r *resolution) miss(f failure, e expression, outcome locate.Found) {
	if r.keepsMissing {
		f.err = &locate.RuntimeError{Dialect: e.Dialect(), Expression: f.expression, Cause: notFound(f.part, outcome.Hint)}
		r.missing = append(r.missing, f)
	}
	if outcome.Hint != "" {
		r.hints = append(r.hints, hint{number: e.number, text: outcome.Hint, depth: outcome.Depth})
	}
}

// fail keeps account of an expression that failed.
func (r *resolution) fail(f failure, numbers ...int) {
	r.failures = append(r.failures, f)
	r.failed = append(r.failed, numbers...)
	if isFatal(f.err) {
		r.fatal = f.err
	}
}

// allowed returns the locations, or none where one of them is protected.
func (r *resolution) allowed(locations []locate.Location, f failure) []locate.Location {
	for _, l := range locations {
		if name, ok := protects(l); ok {
			f.err = &locate.RuntimeError{Dialect: f.dialect, Expression: f.expression, Cause: protectedCause(l, name)}
			r.failures = append(r.failures, f)
			return nil
		}
	}
	return locations
}

func isFatal(err error) bool {
	if _, ok := errors.AsType[*jq.TimeoutError](err); ok {
		return true
	}
	_, ok := errors.AsType[*jq.MemoryError](err)
	return ok
}

func notFound(part, hint string) string {
	text := "path not found"
	if part != "" {
		text += "; its part '" + part + "' finds nothing"
	}
	if hint != "" {
		text += "; " + hint
	}
	return text
}

// protected are the fields that name an object and so can't be ignored.
var protected = []locate.Location{
	{locate.Key("apiVersion")},
	{locate.Key("kind")},
	{locate.Key("metadata"), locate.Key("name")},
	{locate.Key("metadata"), locate.Key("namespace")},
}

// protects returns the protected field that a location is or contains.
func protects(l locate.Location) (locate.Location, bool) {
	for _, field := range protected {
		if l.Contains(field) {
			return field, true
		}
	}
	return nil, false
}

func protectedCause(l, field locate.Location) string {
	names := "apiVersion, kind, metadata.name and metadata.namespace can't be ignored"
	if len(l) == len(field) {
		return names
	}
	if len(l) == 0 {
		return names + ", and so the object as a whole can't"
	}
	return names + ", and " + l.String() + " holds " + field.String()
}
