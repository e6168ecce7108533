package rules

import (
	"errors"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// scope is what expressions are resolved in: an object, or a document in one of its strings.
type scope struct {
	object   *object.Object
	isInside bool
	// outer is where the outermost string is in the object as it came in, inside the places of
	// the strings in it, and document the number of the document in the innermost.
	outer    location.Location
	inside   []embedded.Place
	document int
}

// found returns what was found at a location of the scope's data as it came in.
func (s scope) found(l location.Location, condition string, by *Source) Found {
	if !s.isInside {
		return Found{Location: l, Condition: condition, By: by}
	}
	place := embedded.Place{Document: s.document, Location: l}
	return Found{
		Location: s.outer, Inside: append(slices.Clip(s.inside), place), Condition: condition, By: by,
		Value: location.At(s.object.Original(), l),
	}
}

// enter returns the scope of a document of the string at a location of the scope's data as it came
// in.
func (s scope) enter(l location.Location, d *embedded.Document, number int) scope {
	inner := scope{object: d.Object, isInside: true, outer: s.outer, inside: s.inside, document: number}
	if s.isInside {
		inner.inside = append(slices.Clip(s.inside), embedded.Place{Document: s.document, Location: l})
	} else {
		inner.outer = l
	}
	return inner
}

// allowed returns the locations that an expression found, or none where one of them can't be
// ignored.
func (s scope) allowed(r *Resolution, rule *Rule, e *Expression, locations []location.Location) []location.Location {
	f := Failure{Source: e.Source, Condition: rule.Condition}
	if !s.isInside {
		return r.allowed(locations, f)
	}
	if slices.ContainsFunc(locations, func(l location.Location) bool { return len(l) == 0 }) {
		f.Err = &expr.RuntimeError{Failure: f.dialect.Failure, Expression: f.expression,
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
func (r *Resolution) inside(o *object.Object, rule *Rule) {
	missing, hints := len(r.Missing), len(r.Hints)
	r.hidesKeys = tree.GetString(o.Original(), "kind") == "Secret"
	tried := map[*Source]int{}
	r.level(scope{object: o}, rule, rule.Within, tried)
	r.hidesKeys = false
	r.Missing = append(r.Missing[:missing], missingInAll(r.Missing[missing:], tried)...)
	for i := range r.Hints[hints:] {
		r.Hints[hints+i].Expression = nil
	}
}

// missingInAll returns the expressions that found nothing in all documents in which they were
// tried, each once.
func missingInAll(missing []Failure, tried map[*Source]int) []Failure {
	type part struct {
		*Source
		part string
	}
	counts := map[part]int{}
	var all []Failure
	for _, f := range missing {
		key := part{f.Source, f.Part}
		if counts[key]++; counts[key] == tried[f.Source] {
			all = append(all, f)
		}
	}
	return all
}

// level opens the strings that a level of the within finds, and resolves what is further in.
func (r *Resolution) level(s scope, rule *Rule, levels []Level, tried map[*Source]int) {
	if len(levels) == 0 {
		in := &expr.Input{}
		for _, list := range rule.Lists {
			for _, e := range list {
				tried[e.Source]++
			}
			if r.list(s, rule, list, in); r.Fatal != nil {
				return
			}
		}
		return
	}
	in := &expr.Input{Root: s.object.Root(), Schema: r.schema, Reporter: r}
	known := map[string]bool{}
	for i := range levels[0].Expressions {
		e := &levels[0].Expressions[i]
		tried[e.Source]++
		for _, l := range location.Distinct(r.expression(in, rule, e)) {
			if pointer := l.Pointer(); known[pointer] || r.Fatal != nil {
				continue
			} else {
				known[pointer] = true
			}
			if err := r.documents(s, l, rule, levels, tried); err != nil {
				failed := &expr.RuntimeError{Failure: e.Dialect().Failure, Expression: e.String(), Cause: err.Error()}
				if inside, ok := errors.AsType[*insideError](err); ok {
					failed.SafeCause = inside.safe(s)
				}
				r.fail(Failure{Source: e.Source, Condition: rule.Condition, Err: failed})
				for _, e := range rule.Expressions() {
					r.Failed = append(r.Failed, e.numbers()...)
				}
			}
		}
	}
}

// documents resolves what is further in, in each document of the string at a location, and puts
// their edits into the string.
func (r *Resolution) documents(s scope, l location.Location, rule *Rule, levels []Level, tried map[*Source]int) error {
	opened, err := r.Strings.Open(s.object, l, levels[0].Format)
	if err != nil {
		return &insideError{at: s.text(l), err: err}
	}
	was, ok := s.object.OriginalLocation(l)
	if !ok {
		return nil
	}
	for i, d := range opened.Documents {
		if r.level(s.enter(was, d, i), rule, levels[1:], tried); r.Fatal != nil {
			return nil
		}
	}
	return r.Strings.Write(s.object, opened, l)
}

// text names a location of the scope in messages.
func (s scope) text(l location.Location) string {
	if !s.isInside {
		return l.String()
	}
	return embedded.Text(s.outer, append(slices.Clip(s.inside), embedded.Place{Document: s.document, Location: l}))
}

// insideError is a string whose documents can't be read.
type insideError struct {
	at  string
	err error
}

func (e *insideError) Error() string { return e.at + ": " + e.err.Error() }

// safe returns the error without keys and texts of the documents, which in a Secret are a part of a
// value.
func (e *insideError) safe(s scope) string {
	at, reason := e.at, e.err
	if s.isInside {
		at = s.outer.String() + "#" + redact.Masked
	}
	if fault, ok := errors.AsType[*embedded.Error](e.err); ok {
		reason = fault.WithoutQuotes()
	}
	return at + ": " + reason.Error()
}

// withoutKeys returns the error of an expression in a document of a Secret without keys of the
// document.
func withoutKeys(err error) error {
	failed, ok := errors.AsType[*expr.RuntimeError](err)
	if !ok || failed.KeylessCause == "" {
		return err
	}
	keyless := *failed
	keyless.SafeCause = failed.KeylessCause
	return &keyless
}
