package applyoperations

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// store holds the objects while operations run.
type store struct {
	// all has every object that exists or existed, those of the input first.
	all []*entry
	// named finds existing objects by kind, namespace and name, grouped also by the group of their
	// apiVersion.
	named, grouped map[report.Ref][]*entry
	// owners is valid while ownersKnown is true.
	owners      owners
	ownersKnown bool
	// references is the number of owner references of existing objects.
	references int
	// plainStatus is true if the status is a field like any other.
	plainStatus bool
	// by is the path of the current operation, target what it names.
	by     string
	target report.Ref
	// current is the current operation.
	current atomic.Pointer[underWay]
	// changed are the objects that something happened to, in this order.
	changed []*entry
	// compared is how many names were compared for hints.
	compared int
	// absences are the objects that operations have not found and do not need.
	absences []absence
}

// newStore returns a store with the items. It releases their data again, which few operations need.
func newStore(items []*object.Object) *store {
	s := &store{
		all: make([]*entry, len(items)), named: map[report.Ref][]*entry{}, grouped: map[report.Ref][]*entry{},
	}
	_ = parallel.Each(len(items), func(i int) error { // there are no edits that could fail
		return items[i].Use(func() { s.all[i] = newEntry(items[i]) })
	})
	for _, e := range s.all {
		s.index(e)
	}
	return s
}

func (s *store) index(e *entry) {
	for _, ref := range names(e.ref) {
		key, groupKey := keyOf(ref), groupKeyOf(ref)
		s.named[key] = append(s.named[key], e)
		s.grouped[groupKey] = append(s.grouped[groupKey], e)
	}
	s.references += e.refers()
}

// read reads the data of an object again.
func (s *store) read(e *entry) {
	s.references -= e.refers()
	e.read()
	s.references += e.refers()
}

// unindex removes an object from the index.
func (s *store) unindex(e *entry) {
	isIt := func(other *entry) bool { return other == e }
	for _, ref := range names(e.ref) {
		key, groupKey := keyOf(ref), groupKeyOf(ref)
		s.named[key] = slices.DeleteFunc(s.named[key], isIt)
		s.grouped[groupKey] = slices.DeleteFunc(s.grouped[groupKey], isIt)
	}
	s.references -= e.refers()
}

// names returns the names of an object by which operations find it: its kind, or the plural of
// that, in lower case.
func names(ref report.Ref) []report.Ref {
	one, many := ref, ref
	one.Kind, many.Kind = strings.ToLower(ref.Kind), words.Plural(ref.Kind)
	if one == many {
		return []report.Ref{one}
	}
	return []report.Ref{one, many}
}

// keyOf returns the key of a name without the apiVersion.
func keyOf(ref report.Ref) report.Ref {
	ref.APIVersion = ""
	return ref
}

// groupKeyOf returns the key of a name with only the group of the apiVersion.
func groupKeyOf(ref report.Ref) report.Ref {
	ref.APIVersion = groupOf(ref.APIVersion)
	return ref
}

// objects returns the existing objects.
func (s *store) objects() []*object.Object {
	var objects []*object.Object
	for _, e := range s.all {
		if !e.gone {
			objects = append(objects, e.object)
		}
	}
	return objects
}

// find returns the object that an operation names, nil if it does not exist. The error is an
// *ambiguousError.
func (s *store) find(op operation) (*entry, error) {
	target := op.target
	target.Kind = strings.ToLower(target.Kind)
	found := s.named[keyOf(target)]
	if op.target.APIVersion != "" {
		found = s.grouped[groupKeyOf(target)]
	}
	if op.target.APIVersion != "" && !op.anyVersion {
		found = slices.DeleteFunc(slices.Clone(found), func(e *entry) bool { return e.ref.APIVersion != op.target.APIVersion })
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, &ambiguousError{target: op.target, found: slices.Clone(found)}
}

func groupOf(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}

// ambiguousError reports a name that several objects have.
type ambiguousError struct {
	target report.Ref
	found  []*entry
}

func (e *ambiguousError) Error() string {
	const shown = 10
	var each []string
	versions := map[string]bool{}
	listed := e.found[:min(shown, len(e.found))]
	for _, found := range listed {
		version := found.ref.APIVersion
		versions[version] = true
		if file := found.object.File().String(); file != "" {
			version += " in " + file
		}
		each = append(each, version)
	}
	fix := "an operation needs an object that is in the list only once"
	if len(versions) == len(listed) && e.target.APIVersion == "" {
		fix = "set apiVersion to choose one"
	}
	list := strings.Join(each, ", ")
	if more := len(e.found) - shown; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s names %d objects (%s); %s", e.target, len(e.found), list, fix)
}

// add adds a new object behind the others, made by make from root.
func (s *store) add(root *tree.Node, make func(root *tree.Node) *tree.Node) error {
	var model *object.Object
	if len(s.all) > 0 {
		model = s.all[0].object
	}
	o := object.NewLike(model, make(root))
	if err := checkDepth(o, o.Root()); err != nil {
		return err
	}
	e := newEntry(o)
	s.all = append(s.all, e)
	s.index(e)
	s.ownersKnown = false
	s.note(e, report.ReasonCreated, "created")
	return nil
}

// replace replaces the object's data with root except for the status; or only the status. The
// reason says how.
func (s *store) replace(e *entry, root *tree.Node, statusOnly bool, reason string) error {
	before := e.object.Root()
	if err := checkResult(before, root); err != nil {
		return err
	}
	if err := checkDepth(e.object, root); err != nil {
		return err
	}
	switch {
	case s.plainStatus && !statusOnly:
		e.object.ReplaceData(root)
	case statusOnly:
		e.object.ReplaceData(withStatusOf(before, root))
	default:
		e.object.ReplaceData(withStatusOf(root, before))
		s.noteStatusAlone(e, before, root)
	}
	if e.object.Root() != before {
		uid, owners := e.uid, e.owners
		s.read(e)
		s.ownersKnown = s.ownersKnown && uid == e.uid && slices.Equal(owners, e.owners)
		s.note(e, reason, strings.ToLower(reason))
	}
	return nil
}

// checkDepth checks that the object can be read again with root as its data.
func checkDepth(o *object.Object, root *tree.Node) error {
	if most := o.MaxDepth(); !object.Fits(root, most) {
		return &resultError{reason: fmt.Sprintf("maps and lists must be nested at most %d levels deep in an object", most)}
	}
	return nil
}

// remove removes an object.
func (s *store) remove(e *entry, what string) {
	e.gone = true
	s.unindex(e)
	s.note(e, report.ReasonDeleted, what)
}

// note records what the operation did to an object. A created object stays reported as such until
// it is deleted.
func (s *store) note(e *entry, reason, what string) {
	if e.what == nil {
		s.changed = append(s.changed, e)
	}
	e.what = append(e.what, s.by+": "+what)
	if e.reason != report.ReasonCreated || reason == report.ReasonDeleted {
		e.reason = reason
	}
}

// results returns an info for each object that differs from the input, and a result for each object
// that an operation has not found. An object that is as in the input loses its edits.
func (s *store) results() []report.Result {
	var results []report.Result
	for _, e := range s.changed {
		if e.isUnchanged() {
			e.object.Reset()
			continue
		}
		results = append(results, report.Result{
			Message: strings.Join(e.what, "; "), Severity: report.SeverityInfo,
			Ref: e.ref, File: e.object.File(), Tags: map[string]string{"reason": e.reason},
		})
	}
	for _, a := range s.absences {
		results = append(results, a.result())
	}
	return results
}
