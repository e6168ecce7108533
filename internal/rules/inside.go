package rules

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/fault"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// add adds what was found at locations of the scope's data.
func (r *Resolver) add(s embedded.Scope, locations []location.Location, condition string, by *Source) {
	for _, l := range locations {
		was, ok := s.OriginalLocation(l)
		if !ok {
			continue
		}
		f := Found{Condition: condition, By: by}
		if f.Location, f.Inside = s.Place(was); s.IsInside {
			f.Value = s.OriginalAt(was)
		}
		r.Found = append(r.Found, f)
	}
}

// allowedIn returns the locations that an expression found, or none where one of them can't be
// ignored.
func (r *Resolver) allowedIn(s embedded.Scope, rule *Rule, e *Expression, locations []location.Location) []location.Location {
	f := Failure{Source: e.Source, Condition: rule.Condition}
	if !s.IsInside {
		return r.allowed(locations, f, e.Mistake.Fix)
	}
	if slices.ContainsFunc(locations, func(l location.Location) bool { return len(l) == 0 }) {
		f.Err = &fault.RuntimeError{Failure: f.dialect.Failure, Expression: f.expression,
			Cause: "it finds the whole document; to ignore that, name the string that holds it"}
		r.Failures = append(r.Failures, f)
		return nil
	}
	return locations
}

// String returns where the field is: spec.replicas, or data["a.yaml"]#/spring/url.
func (f Found) String() string { return embedded.Text(f.Location, f.Inside) }

// Full returns the location with the places inside as further steps, so that fields in strings are
// compared as others are.
func (f Found) Full() location.Location {
	if len(f.Inside) == 0 {
		return f.Location
	}
	full := slices.Clone(f.Location)
	for _, p := range f.Inside {
		full = append(full, location.Key(fmt.Sprintf("\x00%08d", p.Document)))
		full = append(full, p.Location...)
	}
	return full
}

// inside resolves a rule in the documents of the strings that its within finds.
func (r *Resolver) inside(o *object.Object, rule *Rule) {
	missing, hints := len(r.Missing), len(r.Hints)
	r.hidesKeys = redact.IsSecretObject(o.Original())
	tried := map[*Source]int{}
	r.spent = map[*Source]time.Duration{}
	r.level(embedded.Scope{Object: o}, rule, rule.Within, tried)
	r.hidesKeys, r.spent = false, nil
	r.Missing = append(r.Missing[:missing], missingInAll(r.Missing[missing:], tried)...)
	for i := range r.Hints[hints:] {
		r.Hints[hints+i].Expression = nil
	}
}

// missingInAll returns the expressions that found nothing in all documents in which they were
// tried, each once.
func missingInAll(missing []Failure, tried map[*Source]int) []Failure {
	counts := map[*Source]int{}
	var all []Failure
	for _, f := range missing {
		if counts[f.Source]++; counts[f.Source] == tried[f.Source] {
			f.Missed = nil
			all = append(all, f)
		}
	}
	return all
}

// level opens the strings that a level of the within finds, and resolves what is further in.
func (r *Resolver) level(s embedded.Scope, rule *Rule, levels []Level, tried map[*Source]int) {
	if len(levels) == 0 {
		in := &expr.Input{}
		for _, list := range rule.Lists {
			for _, e := range list {
				tried[e.Source]++
			}
			if r.list(s, rule, list, in, false); r.Fatal != nil {
				return
			}
		}
		return
	}
	in := r.inputOf(s)
	known := map[string]bool{}
	for i := range levels[0].Expressions {
		e := &levels[0].Expressions[i]
		tried[e.Source]++
		for _, l := range location.Distinct(r.placesIn(s, r.expression(&in, rule, e))) {
			if pointer := l.Pointer(); known[pointer] || r.Fatal != nil {
				continue
			} else {
				known[pointer] = true
			}
			err := r.documents(s, l, levels[0].Format, func(in embedded.Scope, _ int) error {
				r.level(in, rule, levels[1:], tried)
				return nil
			})
			if err != nil {
				failed := &fault.RuntimeError{Failure: "document error", Expression: e.String(), Cause: err.Error()}
				if inside, ok := errors.AsType[*insideError](err); ok {
					failed.SafeCause = inside.safe(s)
				}
				r.fail(Failure{Source: e.Source, Condition: rule.Condition, Err: failed})
				for _, e := range rule.Expressions() {
					r.Failed = append(r.Failed, e.Number)
				}
			}
		}
	}
}

// documents calls do for each document of the string at a location, and puts their edits into the
// string.
func (r *Resolver) documents(s embedded.Scope, l location.Location, format string, do func(in embedded.Scope, number int) error) error {
	opened, err := r.Strings.Open(s.Object, l, format)
	if err != nil {
		return &insideError{at: embedded.Text(s.Place(l)), err: err}
	}
	was, ok := s.OriginalLocation(l)
	if !ok {
		return nil
	}
	for i, d := range opened.Documents {
		if err := do(s.Enter(was, d, i), i); err != nil || r.Fatal != nil {
			return err
		}
	}
	return r.Strings.Write(s.Object, opened, l)
}

// insideError is a string whose documents can't be read.
type insideError struct {
	at  string
	err error
}

func (e *insideError) Error() string { return e.at + ": " + e.err.Error() }

// safe returns the error without keys and texts of the documents, which in a Secret are a part of a
// value.
func (e *insideError) safe(s embedded.Scope) string {
	at, reason := e.at, e.err
	if s.IsInside {
		outer, _ := s.Place(nil)
		at = outer.String() + "#" + redact.Masked
	}
	if fault, ok := errors.AsType[*embedded.Error](e.err); ok {
		reason = fault.WithoutQuotes()
	}
	return at + ": " + reason.Error()
}

// withoutKeys returns the error of an expression in a document of a Secret without keys of the
// document.
func withoutKeys(err error) error {
	failed, ok := errors.AsType[*fault.RuntimeError](err)
	if !ok || failed.KeylessCause == "" {
		return err
	}
	keyless := *failed
	keyless.SafeCause = failed.KeylessCause
	return &keyless
}
