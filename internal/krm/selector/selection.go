package selector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
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
	s.selectors, faults = compileList(selectors, selectorsPath)
	s.exclude, moreFaults = compileList(exclude, excludePath)
	return &s, append(faults, moreFaults...)
}

// compileList compiles the entries of the list at path.
func compileList(selectors []Selector, path string) ([]entry, []report.Fault) {
	entries := make([]entry, len(selectors))
	var faults []report.Fault
	for i, selector := range selectors {
		c := compiler{entry: entry{path: path + "[" + strconv.Itoa(i) + "]"}}
		entries[i] = c.compile(selector)
		faults = append(faults, c.faults...)
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
	selects := compiler{entry: entry{path: path}}
	excludes := compiler{entry: entry{path: path}, prefix: "exclude"}
	s := &Selection{selectors: words.Of(selectors, selects.compile), exclude: words.Of(exclude, excludes.compile)}
	return s, append(selects.faults, excludes.faults...)
}

// NewTarget compiles the selector at path into a selection of its own. A selector without a field
// selects every object.
func NewTarget(selector Selector, path string) (*Selection, []report.Fault) {
	c := compiler{entry: entry{path: path}}
	return &Selection{selectors: []entry{c.compile(selector)}}, c.faults
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
	Path string `json:"path"`
	// Message says that, and which entry may be meant.
	Message string `json:"why"`
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

// Note records which entries match the object, for AllMatched. It may be called from several
// goroutines at once.
func (s *Selection) Note(o *Candidate) {
	note := func(entries []entry, matches func(e entry, o *Candidate) bool) {
		for _, e := range entries {
			if !e.matched.Load() && matches(e, o) {
				e.matched.Store(true)
			}
		}
	}
	note(s.selectors, entry.selects)
	note(s.exclude, entry.holds)
}

// SelectsNone tells whether there are selectors and none has matched a noted object.
func (s *Selection) SelectsNone() bool {
	return len(s.selectors) > 0 && !slices.ContainsFunc(s.selectors, func(e entry) bool { return e.matched.Load() })
}

// AllMatched tells whether each entry has matched a noted object. If so, Unmatched need not be
// called.
func (s *Selection) AllMatched() bool {
	isUnmet := func(e entry) bool { return !e.matched.Load() }
	return !slices.ContainsFunc(s.selectors, isUnmet) && !slices.ContainsFunc(s.exclude, isUnmet)
}

// Refusal says why an object is not selected.
type Refusal struct {
	// Path is the path of the deciding entry: `selectors[0]`, `exclude[1]`; of several selectors
	// that of the nearest one.
	Path string
	// Wants is the condition that the object fails, or, for an exclude entry, the one that it
	// meets.
	Wants string
	// Has is the object's value; "" for an exclude entry.
	Has string
	// Reason says that in a sentence.
	Reason string
}

// Refusal says why Selects is false for the object; false if it is true.
func (s *Selection) Refusal(o *Candidate) (Refusal, bool) {
	if s.Selects(o) {
		return Refusal{}, false
	}
	if r, ok := s.Misfit(o); ok {
		return r, true
	}
	return Refusal{
		Wants:  "a selector with kind: " + o.Kind,
		Reason: fmt.Sprintf("an object of kind %s is skipped unless a selector has kind: %s", o.Kind, o.Kind),
	}, true
}

// Misfit says why Fits is false for the object; false if it is true.
func (s *Selection) Misfit(o *Candidate) (Refusal, bool) {
	for _, e := range s.exclude {
		if e.holds(o) {
			return Refusal{Path: e.path, Wants: e.String(), Reason: e.path + " excludes " + e.String()}, true
		}
	}
	var nearest *entry
	for i, e := range s.selectors {
		if e.holds(o) {
			return Refusal{}, false
		}
		if nearest == nil || e.distance(o) < nearest.distance(o) {
			nearest = &s.selectors[i]
		}
	}
	if nearest == nil {
		return Refusal{}, false
	}
	wants, has := nearest.differs(o)
	r := Refusal{Path: nearest.path, Wants: strings.Join(wants, ", "), Has: words.All(has)}
	r.Reason = fmt.Sprintf("%s requires %s, but the object has %s", r.Path, r.Wants, r.Has)
	return r, true
}
