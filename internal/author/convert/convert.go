// Package convert converts the rules of one program that ignores fields to the form of another, for
// example Argo CD's ignoreDifferences to an IgnoreFields.
//
// Every form that can be read, and every one that can be written, is one entry of a table in
// formats.go and one file; rules are the form between them. A rule is never widened: parts that the
// target can't express are left out, and each part that is left out or changes its meaning is named
// in a comment and in a warning.
package convert

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Conversion is the result of a conversion.
type Conversion struct {
	// From names the format of the input, or the formats.
	From string
	// Documents are the objects in the new format, one for each that holds rules; or those of a
	// package, with the rules on each.
	Documents []*object.Object
	// Others are the objects without rules, which are not in the output.
	Others []*object.Object
	// Results are the faults of the input (errors, and then there are no documents), and warnings
	// of what is not converted unchanged.
	Results []report.Result
}

// Options say of a conversion to admission-policy what the rules don't say.
type Options struct {
	// Owners are the field managers that may write the fields of a rule that names no owner, as
	// globs.
	Owners []string
	// Action is what the API server does with another's write, one of Actions.
	Action string
}

// UsageError is an impossible conversion: its message says why.
type UsageError struct {
	message string
}

func (e *UsageError) Error() string { return e.message }

// NoTarget is the error where the format of the output is not given.
var NoTarget = &UsageError{"--to FORMAT must be given: " + words.List(TargetNames)}

// Check tells whether there is a conversion from one format, or from that of the input, which is
// "", to another. The error is a *UsageError.
func Check(from, to string) error {
	for _, flag := range []struct {
		name, format string
		formats      []string
	}{{"--from", from, SourceNames}, {"--to", to, TargetNames}} {
		if slices.Contains(flag.formats, flag.format) || from == "" && flag.name == "--from" {
			continue
		}
		if flag.format == "" {
			return NoTarget
		}
		return &UsageError{fmt.Sprintf("%s must be %s, found %q%s",
			flag.name, words.List(flag.formats), flag.format, words.DidYouMean(flag.format, flag.formats))}
	}
	if from == to {
		return &UsageError{fmt.Sprintf("--from and --to must be different formats, found %q for both", from)}
	}
	return nil
}

// reading is what documents hold in a format.
type reading struct {
	form    Source
	sources []*source
	// has are the documents that hold a place for rules.
	has map[*object.Object]bool
}

// guess reads the formats, other than that of the output, in which the documents hold rules; those
// that hold a place for rules if there is no rule at all. The error is a *UsageError: there is
// none, or an output that keeps the objects needs one of several.
func guess(to string, all []*object.Object) ([]reading, error) {
	var withRules, without []reading
	for _, form := range Sources {
		r := form.readAll(all)
		hasRules := slices.ContainsFunc(r.sources, func(s *source) bool { return len(s.rules)+len(s.faults)+len(s.notes) > 0 })
		switch {
		case form.Name == to || len(r.sources) == 0:
		case hasRules:
			withRules = append(withRules, r)
		default:
			without = append(without, r)
		}
	}
	switch {
	case len(withRules) > 1 && to == toArgoAnnotations.Name: // the objects that come out are those without rules
		return nil, &UsageError{"--from must be given, since the input has several formats: it must be " + words.List(lists.Map(withRules, reading.name))}
	case len(withRules) > 0:
		return withRules, nil
	case len(without) > 0:
		return without, nil
	}
	return nil, &UsageError{fmt.Sprintf("--from must be %s, found none, and the input does not show it: it has %s", words.List(SourceNames), describe(all))}
}

// Convert converts the rules in the documents; other documents are skipped. Without a format, the
// rules of all formats are converted. The error is a *UsageError: one of Check, that no document is
// of the format, or that the documents do not show one.
func Convert(from, to string, all []*object.Object, options Options) (Conversion, error) {
	if err := Check(from, to); err != nil {
		return Conversion{}, err
	}
	var readings []reading
	if from == "" {
		var err error
		if readings, err = guess(to, all); err != nil {
			return Conversion{}, err
		}
	} else {
		readings = []reading{Sources[slices.Index(SourceNames, from)].readAll(all)}
	}
	var sources []*source
	for _, r := range readings {
		sources = append(sources, r.sources...)
	}
	if len(sources) == 0 {
		return Conversion{}, &UsageError{fmt.Sprintf("the input must hold %s, found %s", readings[0].form.Holds, describe(all))}
	}
	others := slices.DeleteFunc(slices.Clone(all), func(o *object.Object) bool {
		return slices.ContainsFunc(readings, func(r reading) bool { return r.has[o] })
	})
	names := lists.Map(readings, reading.name)
	out := Conversion{From: words.All(names)}
	for _, s := range sources {
		out.Results = append(out.Results, report.FaultResults(s.faults, s.ref, s.file)...)
	}
	if len(out.Results) > 0 {
		return out, nil
	}
	target := Targets[slices.Index(TargetNames, to)]
	out.Documents, out.Results = target.write(sources, others, options)
	if to == toArgoAnnotations.Name {
		return out, nil
	}
	if !target.readsOthers {
		out.Others = others
	}
	if slices.Contains(names, fromIgnoreFields.Name) {
		out.Results = append(out.Results, ownRulesLeftOut(others)...)
	}
	return out, nil
}

func (r reading) name() string { return r.form.Name }

// readAll reads the documents that hold rules.
func (f Source) readAll(all []*object.Object) reading {
	r := reading{form: f, has: map[*object.Object]bool{}}
	for _, o := range all {
		found := f.read(o.Root())
		if len(found) == 0 {
			continue
		}
		r.has[o] = true
		y := yttOf(o)
		for _, s := range found {
			if y != nil {
				s.leaveOutTemplates(y, o.Root(), nil)
			}
			s.ref, s.file = report.RefOf(o.Root()), o.File()
			r.sources = append(r.sources, s)
		}
	}
	if f.isOne && len(r.sources) > 1 {
		one := &source{name: r.sources[0].name}
		for _, s := range r.sources {
			s.sign()
			one.rules = append(one.rules, s.rules...)
			one.faults = append(one.faults, s.faults...)
			one.notes = append(one.notes, s.notes...)
		}
		r.sources = []*source{one}
	}
	return r
}

// describe names the objects of an input for a message.
func describe(objects []*object.Object) string {
	const shown = 3
	if len(objects) == 0 {
		return "no object"
	}
	name := func(o *object.Object) string { return cmp.Or(report.RefOf(o.Root()).String(), o.File().String()) }
	return words.Some(lists.Map(objects, name), shown)
}
