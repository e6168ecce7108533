//go:build !nopatches

package suggest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
)

// add handles the findings of one message: in the object that has the fields of all, as far as any
// object of the package has them. Of several such objects the options name one, or each that is
// meant.
func (e *fromError) add(message []Finding) {
	var all, nowhere []finding
	having := map[int]int{} // how many of the fields an object has
	for _, found := range message {
		f := finding{Finding: found, path: found.Path.outline(), object: -1}
		if f.Ref.APIVersion == "" && !strings.HasPrefix(f.APIVersion, "autoscaling/") {
			f.Ref.APIVersion = f.APIVersion
		}
		fitting := e.fitting(f)
		for _, i := range fitting {
			having[i]++
		}
		if len(fitting) == 0 {
			nowhere = append(nowhere, f)
		} else {
			all = append(all, f)
		}
	}
	e.handle(nowhere, nil)
	objects := slices.DeleteFunc(slices.Sorted(maps.Keys(having)), func(i int) bool { return having[i] < len(all) })
	chosen := objects
	if len(objects) > 1 {
		chosen = slices.DeleteFunc(slices.Clone(objects), func(i int) bool { return !e.isNamed(i) })
	}
	if len(chosen) == 0 {
		e.handle(all, objects)
	}
	for _, i := range chosen {
		e.handle(lists.Map(all, func(f finding) finding { return e.placed(f, i) }), nil)
	}
}

// handle handles findings, and reports those that need an object of the package and have none of
// the objects that fit.
func (e *fromError) handle(all []finding, fitting []int) {
	lost := slices.DeleteFunc(all, e.turn)
	switch {
	case len(lost) == 0:
	case len(fitting) == 0:
		e.report(lost[0], report.SeverityError, "no object of the manifests sets "+countOf(lost)+": give the object as it was applied, or no PATH")
	default:
		e.report(lost[0], report.SeverityError, fmt.Sprintf("%d objects of the manifests set %s, and exactly 1 must: type %s, or give only its file",
			len(fitting), countOf(lost), e.flagsFor(fitting)))
	}
}

// countOf counts the fields of findings that have a message in common.
func countOf(all []finding) string {
	if len(all) == 1 {
		return "it"
	}
	return fmt.Sprintf("all %d fields of the message", len(all))
}

// isNamed tells whether the options name an object of the package.
func (e *fromError) isNamed(i int) bool {
	return slices.ContainsFunc(e.options.Objects, func(names func(report.Ref) bool) bool { return names(e.refs[i]) })
}

// flagsFor are the flags that choose one of the objects.
func (e *fromError) flagsFor(objects []int) string {
	const most = 10
	flags := lists.Map(objects, func(i int) string { return fmt.Sprintf("--object %s (%s)", e.refs[i].Slashed(), e.objects[i].File()) })
	return words.Some(flags, most)
}

// placed returns a finding in an object of the package.
func (e *fromError) placed(f finding, object int) finding {
	f.object, f.Ref = object, e.refs[object]
	if places, path := e.finder.find(f.Path, e.objects[object].Root(), 0, nil, nil); len(places) > 0 {
		f.places, f.path = places, path
	}
	return f
}

// fitting are the objects of the package that a finding may be about.
func (e *fromError) fitting(f finding) []int {
	candidates := e.byName[f.Ref.Name]
	if f.Ref.Name != "" {
		candidates = slices.Concat(candidates, e.nameless)
	}
	needsField := slices.Contains([]Problem{Conflict, Duplicate, Undeclared, KeyMissing}, f.Problem)
	var all []int
	for _, i := range candidates {
		if !mayBe(f.Ref, e.refs[i]) {
			continue
		}
		if places, _ := e.finder.find(f.Path, e.objects[i].Root(), 0, nil, nil); len(places) > 0 || !needsField {
			all = append(all, i)
		}
	}
	return all
}
