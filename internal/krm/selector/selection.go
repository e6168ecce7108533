package selector

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
)

// Selection selects objects: those that match at least one selector, all if there is none, except
// those that match an exclude entry.
type Selection struct {
	selectors, exclude []entry
}

// NewSelection compiles the entries of selectors and exclude, whose paths in the functionConfig are
// given. Faulty fields are left out of the selection.
func NewSelection(selectors, exclude []Selector, selectorsPath, excludePath string) (*Selection, []report.Fault) {
	var s Selection
	var faults, moreFaults []report.Fault
	s.selectors, faults = compileList(selectors, element(selectorsPath))
	s.exclude, moreFaults = compileList(exclude, element(excludePath))
	return &s, append(faults, moreFaults...)
}

// compileList compiles the entries of a list, whose field paths at returns.
func compileList(selectors []Selector, at func(index int) naming) ([]entry, []report.Fault) {
	entries := make([]entry, len(selectors))
	var faults []report.Fault
	for i, selector := range selectors {
		var found []report.Fault
		entries[i], found = compile(selector, at(i))
		faults = append(faults, found...)
		if selector.IsEmpty() {
			faults = append(faults, report.Fault{Path: entries[i].path, Message: "must have at least one field: apiVersion, " +
				"group, version, kind, name, namespace, labels, annotations, labelSelector or annotationSelector", IsMissing: true})
		}
	}
	return entries, faults
}

// NewFlatSelection is NewSelection for lists of at most one entry whose fields are side by side in
// the map at path: `kind` and `excludeKind`, as in the data of a ConfigMap.
func NewFlatSelection(selectors, exclude []Selector, path string) (*Selection, []report.Fault) {
	var s Selection
	var faults, moreFaults []report.Fault
	s.selectors, faults = compileList(selectors, func(int) naming { return named(path) })
	s.exclude, moreFaults = compileList(exclude, func(int) naming { return namedExclude(path) })
	for _, e := range slices.Concat(s.selectors, s.exclude) {
		for i := range e.conditions {
			e.conditions[i].flat = true
		}
	}
	return &s, append(faults, moreFaults...)
}

// NewTarget compiles the selector at path into a selection of its own. A selector without a field
// selects every object.
func NewTarget(selector Selector, path string) (*Selection, []report.Fault) {
	e, faults := compile(selector, named(path))
	return &Selection{selectors: []entry{e}}, faults
}

// Selects tells whether the object is selected. A Kptfile or one of our functionConfigs is selected
// only by a selector that names its kind without a glob.
func (s *Selection) Selects(o *Candidate) bool {
	if o.isPipeline() && !slices.ContainsFunc(s.selectors, func(e entry) bool { return e.selects(o) }) {
		return false
	}
	return s.Fits(o)
}

// Fits is Selects without the exception for Kptfiles and functionConfigs, for a selection that
// narrows one which has decided on them.
func (s *Selection) Fits(o *Candidate) bool {
	holds := func(e entry) bool { return e.holds(o) }
	return (len(s.selectors) == 0 || slices.ContainsFunc(s.selectors, holds)) && !slices.ContainsFunc(s.exclude, holds)
}

// NamedBy returns the path of the selector that selects the object by its name; "" for none.
func (s *Selection) NamedBy(o *Candidate) string {
	for _, e := range s.selectors {
		if e.name != "" && e.holds(o) {
			return e.path
		}
	}
	return ""
}

// selects tells whether the selector matches an object, and names its kind if that is selected only
// by name.
func (e entry) selects(o *Candidate) bool {
	return e.holds(o) && (e.kind == o.Kind || !o.isPipeline())
}

// Unmatched is an entry that matched none of the objects of a run.
type Unmatched struct {
	// Path is where the entry is in the functionConfig: `selectors[0]`.
	Path string
	// Message says that, and which entry may be meant.
	Message string
}

// Unmatched returns the selectors that select none of the objects, and the exclude entries that
// match none, except those that have matched a noted object. Their hints compare the objects.
func (s *Selection) Unmatched(objects []*Candidate) []Unmatched {
	var unmatched []Unmatched
	add := func(entries []entry, what string, matches func(e entry, o *Candidate) bool) {
		for _, e := range entries {
			if !e.matched.Load() && !slices.ContainsFunc(objects, func(o *Candidate) bool { return matches(e, o) }) {
				unmatched = append(unmatched, Unmatched{Path: e.path, Message: e.noMatch(what, objects)})
			}
		}
	}
	add(s.selectors, "selector", entry.selects)
	add(s.exclude, "exclude entry", entry.holds)
	return unmatched
}
