package selector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
)

// Selection selects objects: those that match at least one selector, all if there is none, except
// those that match an exclude entry.
type Selection struct {
	selectors, exclude entryList
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
func compileList(selectors []Selector, path string) (entryList, []report.Fault) {
	all := make([]compiledSelector, len(selectors))
	var faults []report.Fault
	for i, selector := range selectors {
		c := compiler{entry: compiledSelector{path: path + "[" + strconv.Itoa(i) + "]"}}
		all[i] = c.compile(selector)
		faults = append(faults, c.faults...)
		if selector.IsEmpty() {
			faults = append(faults, report.Fault{Path: all[i].path, Message: "must have at least one field: apiVersion, " +
				"group, version, kind, name, namespace, labels, annotations, labelSelector or annotationSelector", IsMissing: true})
		}
	}
	return newEntryList(all), faults
}

// NewFlatSelection is NewSelection for lists of at most one entry whose fields are side by side in
// the map at path: `kind` and `excludeKind`, as in the data of a ConfigMap.
func NewFlatSelection(selectors, exclude []Selector, path string) (*Selection, []report.Fault) {
	selects := compiler{entry: compiledSelector{path: path}}
	excludes := compiler{entry: compiledSelector{path: path}, prefix: "exclude"}
	s := &Selection{selectors: newEntryList(lists.Map(selectors, selects.compile)), exclude: newEntryList(lists.Map(exclude, excludes.compile))}
	return s, append(selects.faults, excludes.faults...)
}

// NewTarget compiles the selector at path into a selection of its own. A selector without a field
// selects every object.
func NewTarget(selector Selector, path string) (*Selection, []report.Fault) {
	c := compiler{entry: compiledSelector{path: path}}
	return &Selection{selectors: newEntryList([]compiledSelector{c.compile(selector)})}, c.faults
}

// Selects tells whether the object is selected. A Kptfile or one of our functionConfigs is selected
// only by a selector that names its kind without a glob.
func (s *Selection) Selects(o *Candidate) bool {
	if o.isPipeline() && s.selectors.first(o, (*compiledSelector).selects) == nil {
		return false
	}
	return s.Fits(o)
}

// Fits is Selects without the exception for Kptfiles and functionConfigs, for a selection that
// narrows one which has decided on them.
func (s *Selection) Fits(o *Candidate) bool {
	return (len(s.selectors.all) == 0 || s.selectors.first(o, (*compiledSelector).holds) != nil) && s.exclude.first(o, (*compiledSelector).holds) == nil
}

// NamedBy returns the path of the selector that selects the object by its name; "" for none.
func (s *Selection) NamedBy(o *Candidate) string {
	namesIt := func(e *compiledSelector, o *Candidate) bool { return e.name != "" && e.holds(o) }
	if e := s.selectors.first(o, namesIt); e != nil {
		return e.path
	}
	return ""
}

// selects tells whether the selector matches an object, and names its kind if that is selected only
// by name.
func (e *compiledSelector) selects(o *Candidate) bool {
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
// match none, except those that have matched a noted object. Their hints compare the objects, which
// are asked for only if there are such entries.
func (s *Selection) Unmatched(objects func() []*Candidate) []Unmatched {
	var unmatched []Unmatched
	add := func(entries entryList, what string, matches func(e *compiledSelector, o *Candidate) bool) {
		for i := range entries.all {
			e := &entries.all[i]
			if !e.matched.Load() && !slices.ContainsFunc(objects(), func(o *Candidate) bool { return matches(e, o) }) {
				unmatched = append(unmatched, Unmatched{Path: e.path, Message: e.noMatch(what, objects())})
			}
		}
	}
	add(s.selectors, "selector", (*compiledSelector).selects)
	add(s.exclude, "exclude entry", (*compiledSelector).holds)
	return unmatched
}

// Note records which entries match the object, for AllMatched. It may be called from several
// goroutines at once.
func (s *Selection) Note(o *Candidate) {
	note := func(entries entryList, matches func(e *compiledSelector, o *Candidate) bool) {
		for e := range entries.about(o) {
			if !e.matched.Load() && matches(e, o) {
				e.matched.Store(true)
			}
		}
	}
	note(s.selectors, (*compiledSelector).selects)
	note(s.exclude, (*compiledSelector).holds)
}

// SelectsNone tells whether there are selectors and none has matched a noted object.
func (s *Selection) SelectsNone() bool {
	return len(s.selectors.all) > 0 && !slices.ContainsFunc(s.selectors.all, func(e compiledSelector) bool { return e.matched.Load() })
}

// AllMatched tells whether each entry has matched a noted object.
func (s *Selection) AllMatched() bool {
	isUnmet := func(e compiledSelector) bool { return !e.matched.Load() }
	return !slices.ContainsFunc(s.selectors.all, isUnmet) && !slices.ContainsFunc(s.exclude.all, isUnmet)
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

// maxNear is how many selectors are compared to find the nearest one.
const maxNear = 1000

// Misfit says why Fits is false for the object; false if it is true.
func (s *Selection) Misfit(o *Candidate) (Refusal, bool) {
	if e := s.exclude.first(o, (*compiledSelector).holds); e != nil {
		return Refusal{Path: e.path, Wants: e.String(), Reason: e.path + " excludes " + e.String()}, true
	}
	if len(s.selectors.all) == 0 || s.selectors.first(o, (*compiledSelector).holds) != nil {
		return Refusal{}, false
	}
	near := s.selectors.all[:min(len(s.selectors.all), maxNear)]
	nearest := slices.MinFunc(near, func(a, b compiledSelector) int { return a.distance(o) - b.distance(o) })
	wants, has := nearest.differs(o)
	r := Refusal{Path: nearest.path, Wants: strings.Join(wants, ", "), Has: words.All(has)}
	r.Reason = fmt.Sprintf("%s requires %s, but the object has %s", r.Path, r.Wants, r.Has)
	return r, true
}
