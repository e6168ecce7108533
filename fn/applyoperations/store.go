package applyoperations

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/parallel"
	"github.com/krm-fields/krm-fields/fn/report"
)

// store holds the objects while operations are carried out.
type store struct {
	// all has every object that is or was there, those that came in first.
	all []*entry
	// named finds objects by kind, namespace and name.
	named map[report.Ref][]*entry
	// owners is who owns whom, as long as ownersKnown is true.
	owners      owners
	ownersKnown bool
	// by is the path of the operation that is being carried out.
	by string
	// changed are the objects that something happened to, in that order.
	changed []*entry
	// absences are the objects that operations have not found and do not need.
	absences []absence
}

// newStore returns a store with the items. It gives up their data again, which
// few operations need.
func newStore(items []*object.Object) *store {
	s := &store{all: make([]*entry, len(items)), named: map[report.Ref][]*entry{}}
	_ = parallel.Each(len(items), func(i int) error { // nothing can fail: there are no edits to settle
		s.all[i] = newEntry(items[i])
		return items[i].Settle()
	})
	for _, e := range s.all {
		s.index(e)
	}
	return s
}

func (s *store) index(e *entry) {
	key := keyOf(e.ref)
	s.named[key] = append(s.named[key], e)
}

// keyOf is a name without the apiVersion.
func keyOf(ref report.Ref) report.Ref {
	ref.APIVersion = ""
	return ref
}

// objects returns the objects that are there.
func (s *store) objects() []*object.Object {
	var objects []*object.Object
	for _, e := range s.all {
		if !e.gone {
			objects = append(objects, e.object)
		}
	}
	return objects
}

// find returns the object that an operation names, nil where it is not there.
// The error is an *ambiguousError.
func (s *store) find(op operation) (*entry, error) {
	var found []*entry
	for _, e := range s.named[keyOf(op.target)] {
		fits := op.target.APIVersion == "" || e.ref.APIVersion == op.target.APIVersion ||
			op.anyVersion && groupOf(e.ref.APIVersion) == groupOf(op.target.APIVersion)
		if fits && !e.gone {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, &ambiguousError{target: op.target, found: found}
}

func groupOf(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}

// ambiguousError is a name that several objects have.
type ambiguousError struct {
	target report.Ref
	found  []*entry
}

func (e *ambiguousError) Error() string {
	var each, versions []string
	for _, found := range e.found {
		version := found.ref.APIVersion
		if !slices.Contains(versions, version) {
			versions = append(versions, version)
		}
		if file := found.object.File().String(); file != "" {
			version += " in " + file
		}
		each = append(each, version)
	}
	fix := "an operation needs an object that is in the list once"
	if len(versions) == len(e.found) && e.target.APIVersion == "" {
		fix = "apiVersion must say which is meant"
	}
	return fmt.Sprintf("%s names %d objects (%s); %s", e.target, len(e.found), strings.Join(each, ", "), fix)
}

// add adds a new object behind the others.
func (s *store) add(root *yaml.Node) {
	var model *object.Object
	if len(s.all) > 0 {
		model = s.all[0].object
	}
	e := newEntry(object.NewLike(model, root))
	s.all = append(s.all, e)
	s.index(e)
	s.ownersKnown = false
	s.note(e, report.Created, "created")
}

// replace makes root the object's data, but for the status; or only for the
// status. The reason says how.
func (s *store) replace(e *entry, root *yaml.Node, statusOnly bool, reason string) error {
	before := e.object.Root()
	if err := checkResult(before, root); err != nil {
		return err
	}
	if statusOnly {
		e.object.Lay(withStatusOf(before, root))
	} else {
		e.object.Lay(withStatusOf(root, before))
	}
	if e.object.Root() != before {
		uid, owners := e.uid, e.owners
		e.read()
		s.ownersKnown = s.ownersKnown && uid == e.uid && slices.Equal(owners, e.owners)
		s.note(e, reason, strings.ToLower(reason))
	}
	return nil
}

// remove removes an object.
func (s *store) remove(e *entry, what string) {
	e.gone = true
	s.note(e, report.Deleted, what)
}

// note notes what the operation did to an object. One that was created stays
// reported as such, until it goes.
func (s *store) note(e *entry, reason, what string) {
	if e.what == nil {
		s.changed = append(s.changed, e)
	}
	e.what = append(e.what, s.by+": "+what)
	if e.reason != report.Created || reason == report.Deleted {
		e.reason = reason
	}
}

// results returns an info for each object that is not as it came in, and a result
// for each one that an operation has not found. An object that is as it came in after all
// loses its edits.
func (s *store) results() []report.Result {
	var results []report.Result
	for _, e := range s.changed {
		if e.isAsBefore() {
			e.object.Reset()
			continue
		}
		results = append(results, report.Result{
			Message: strings.Join(e.what, "; "), Severity: report.Info,
			Ref: e.ref, File: e.object.File(), Tags: map[string]string{"reason": e.reason},
		})
	}
	for _, a := range s.absences {
		results = append(results, a.result())
	}
	return results
}
