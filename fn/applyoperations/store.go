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
	// named finds existing objects by keysOf.
	named map[report.Ref][]*entry
	// owners is valid while ownersKnown is true.
	owners      owners
	ownersKnown bool
	// references is the number of owner references of existing objects.
	references int
	// plainStatus is true if the status is a field like any other.
	plainStatus bool
	// current is the current operation.
	current atomic.Pointer[underWay]
	// changed are the objects that something happened to, in this order.
	changed []*entry
	// compared is how many names were compared for hints.
	compared int
	// absences are about objects that operations have not found and do not need.
	absences []report.Result
}

// newStore returns a store with the items. It releases their data again, which few operations need.
func newStore(items []*object.Object) *store {
	s := &store{all: make([]*entry, len(items)), named: map[report.Ref][]*entry{}}
	_ = parallel.Each(len(items), func(i int) error { // there are no edits that could fail
		return items[i].Use(func() { s.all[i] = newEntry(items[i]) })
	})
	for _, e := range s.all {
		s.index(e)
	}
	return s
}

func (s *store) index(e *entry) {
	for _, key := range keysOf(e.ref) {
		s.named[key] = append(s.named[key], e)
	}
	s.references += len(e.owners)
}

// read reads the data of an object again.
func (s *store) read(e *entry) {
	s.references -= len(e.owners)
	e.read()
	s.references += len(e.owners)
}

// keysOf returns the keys by which operations find an object: with its kind, or the plural of that,
// each with the group and without.
func keysOf(ref report.Ref) []report.Ref {
	one, many := strings.ToLower(ref.Kind), words.Plural(ref.Kind)
	keys := []report.Ref{keyOf(ref, one, true), keyOf(ref, one, false)}
	if many != one {
		keys = append(keys, keyOf(ref, many, true), keyOf(ref, many, false))
	}
	return keys
}

// keyOf is the key with a kind, in lower case, and perhaps the group in place of the apiVersion.
func keyOf(ref report.Ref, kind string, hasGroup bool) report.Ref {
	key := report.Ref{Kind: kind, Namespace: ref.Namespace, Name: ref.Name}
	if hasGroup {
		key.APIVersion = ref.Group() + "/"
	}
	return key
}

// objects returns the existing objects.
func (s *store) objects() []*object.Object {
	left := slices.DeleteFunc(slices.Clone(s.all), func(e *entry) bool { return e.gone })
	return words.Of(left, func(e *entry) *object.Object { return e.object })
}

// find returns the object that an operation names, nil if it does not exist. The error is an
// ambiguousError.
func (s *store) find(op operation) (*entry, error) {
	target := op.Target
	hasVersion := target.APIVersion != ""
	found := s.named[keyOf(target, strings.ToLower(target.Kind), hasVersion)]
	if hasVersion && !op.anyVersion {
		found = slices.DeleteFunc(slices.Clone(found), func(e *entry) bool { return e.ref.APIVersion != target.APIVersion })
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, ambiguousError(target, found)
}

// ambiguousError reports a name that several objects have. It looks at the first ones alone, since
// thousands of operations may name as many objects.
func ambiguousError(target report.Ref, found []*entry) error {
	const shown = 10
	var each []string
	versions := map[string]bool{}
	for _, e := range found[:min(shown, len(found))] {
		version := e.ref.APIVersion
		versions[version] = true
		if file := e.object.File().String(); file != "" {
			version += " in " + file
		}
		each = append(each, version)
	}
	fix := "an operation needs an object that is in the list only once"
	if len(versions) == len(each) && target.APIVersion == "" {
		fix = "set apiVersion to choose one"
	}
	text := strings.Join(each, ", ")
	if more := len(found) - len(each); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf("%s names %d objects (%s); %s", target, len(found), text, fix)
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
	for _, key := range keysOf(e.ref) {
		s.named[key] = slices.DeleteFunc(s.named[key], func(other *entry) bool { return other == e })
	}
	s.references -= len(e.owners)
	s.note(e, report.ReasonDeleted, what)
}

// note records what the operation did to an object. A created object stays reported as such until
// it is deleted.
func (s *store) note(e *entry, reason, what string) {
	if e.what == nil {
		s.changed = append(s.changed, e)
	}
	e.last = s.current.Load().operation
	e.what = append(e.what, e.last.Path+": "+what)
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
		result := report.New(report.SeverityInfo, e.reason, strings.Join(e.what, "; ")).Of(e.ref, e.object.File())
		result.NamedBy = e.last.Path
		results = append(results, result)
	}
	return append(results, s.absences...)
}
