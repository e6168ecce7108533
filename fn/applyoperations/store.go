package applyoperations

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// store holds the objects while operations run.
type store struct {
	// all has every object that exists or existed, those of the input first.
	all []*storedObject
	// named finds existing objects by keysOf.
	named map[report.Ref][]*storedObject
	// owners is valid while ownersKnown is true.
	owners      owners
	ownersKnown bool
	// clusterScoped are the kinds that the definitions among the items say to be in no namespace.
	clusterScoped map[selector.GroupKind]bool
	// references is the number of owner references of existing objects.
	references int
	// namespace is that of operations that name none; "" for none.
	namespace string
	// plainStatus is true if the status is a field like any other.
	plainStatus bool
	// current is the current operation.
	current atomic.Pointer[underWay]
	// changed are the objects that something happened to, in this order.
	changed []*storedObject
	// compared is how many names were compared for hints.
	compared int
	// absences are about objects that operations have not found and do not need.
	absences []report.Result
}

// newStore returns a store with the items. It releases their data again, which few operations need.
func newStore(items []*object.Object) *store {
	s := &store{all: make([]*storedObject, len(items)), named: map[report.Ref][]*storedObject{}, clusterScoped: map[selector.GroupKind]bool{}}
	for _, item := range items {
		s.namespace = cmp.Or(s.namespace, item.AssumedNamespace)
	}
	defined := make([]selector.GroupKind, len(items))
	_ = parallel.Each(len(items), func(i int) error { // there are no edits that could fail
		return items[i].Use(func() { s.all[i], defined[i] = newEntry(items[i]), selector.DefinesClusterScoped(items[i].Root()) })
	})
	for _, kind := range defined {
		s.clusterScoped[kind] = true
	}
	for _, e := range s.all {
		s.index(e)
	}
	return s
}

func (s *store) index(e *storedObject) {
	e.ref = s.onCluster(e.ref)
	for _, key := range keysOf(e.ref) {
		s.named[key] = append(s.named[key], e)
	}
	s.references += len(e.owners)
}

// onCluster returns the name of an object as the API server has it, which ignores the namespace of
// an object of a cluster-scoped kind.
func (s *store) onCluster(ref report.Ref) report.Ref {
	if kind := selector.KindOf(ref); kind.IsClusterScoped() || s.clusterScoped[kind] {
		ref.Namespace = ""
	}
	return ref
}

// read reads the data of an object again.
func (s *store) read(e *storedObject) {
	s.references -= len(e.owners)
	e.read()
	e.ref = s.onCluster(e.ref)
	s.references += len(e.owners)
}

// keysOf returns the keys by which operations find an object: with its kind, or the plural of that,
// each with the group and without; and in any namespace, for an operation that names none.
func keysOf(ref report.Ref) []report.Ref {
	kinds := []string{strings.ToLower(ref.Kind)}
	if many := words.Plural(ref.Kind); many != kinds[0] {
		kinds = append(kinds, many)
	}
	var keys []report.Ref
	for _, kind := range kinds {
		keys = append(keys, keyOf(ref, kind, true), keyOf(ref, kind, false))
		if ref.Namespace != "" {
			anywhere := ref
			anywhere.Namespace = anyNamespace
			keys = append(keys, keyOf(anywhere, kind, true), keyOf(anywhere, kind, false))
		}
	}
	return keys
}

// anyNamespace is in keys of objects that have a namespace. No namespace has this name.
const anyNamespace = "*"

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
	left := slices.DeleteFunc(slices.Clone(s.all), func(e *storedObject) bool { return e.gone })
	return lists.Map(left, func(e *storedObject) *object.Object { return e.object })
}

// find returns the object that an operation names, nil if it does not exist. The error is an
// ambiguousError, or a *NamespaceError.
func (s *store) find(op operation) (*storedObject, error) {
	if !op.NeedsObject {
		op.Target = s.onCluster(op.Target)
	}
	found := s.namedBy(op, op.Target)
	switch len(found) {
	case 0:
		return s.findInNamespace(op)
	case 1:
		return found[0], nil
	}
	return nil, ambiguousError(op.Target, found)
}

// namedBy returns the objects that an operation would mean by a name.
func (s *store) namedBy(op operation, name report.Ref) []*storedObject {
	hasVersion := name.APIVersion != ""
	found := s.named[keyOf(name, strings.ToLower(name.Kind), hasVersion)]
	if hasVersion && !op.anyVersion {
		found = slices.DeleteFunc(slices.Clone(found), func(e *storedObject) bool { return e.ref.APIVersion != name.APIVersion })
	}
	return found
}

// findInNamespace finds the object of an operation without a namespace in the one that is assumed
// for the whole run. If the kind is namespaced, since an object of that kind and name is in a
// namespace, there must be one.
func (s *store) findInNamespace(op operation) (*storedObject, error) {
	name := op.Target
	if name.Namespace != "" {
		return nil, nil
	}
	name.Namespace = anyNamespace
	found := s.namedBy(op, name)
	if s.namespace == "" && len(found) > 0 {
		return nil, &NamespaceError{Kind: found[0].ref.Kind, Example: found[0].ref.Namespace}
	}
	found = slices.DeleteFunc(slices.Clone(found), func(e *storedObject) bool { return e.ref.Namespace != s.namespace })
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, ambiguousError(op.Target, found)
}

// NamespaceError is an operation on an object of a namespaced kind that names no namespace.
type NamespaceError struct {
	Kind string
	// Example is a namespace that has such an object.
	Example string
}

func (e *NamespaceError) Error() string {
	namespace := cmp.Or(e.Example, "NS")
	return fmt.Sprintf("the kind %s is namespaced, and an operation without namespace is on a resource of the cluster; "+
		"set namespace: %s, or run with --namespace %[2]s", e.Kind, namespace)
}

// ambiguousError reports a name that several objects have. It looks at the first ones alone, since
// thousands of operations may name as many objects.
func ambiguousError(target report.Ref, found []*storedObject) error {
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
	return words.Errorf("%s names %d objects (%s); %s", target, len(found), text, fix)
}

// add adds a new object behind the others.
func (s *store) add(root *tree.Node) error {
	var model *object.Object
	if len(s.all) > 0 {
		model = s.all[0].object
	}
	o := object.NewLike(model, root)
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

// replace makes the edits that turn before, parts of the object's data, into after, except the
// status; or only those of the status. The reason says how.
func (s *store) replace(e *storedObject, before, after *tree.Node, statusOnly bool, reason string) error {
	if err := checkResult(before, after); err != nil {
		return err
	}
	if err := checkDepth(e.object, after); err != nil {
		return err
	}
	wanted := after
	switch {
	case statusOnly:
		wanted = withStatusOf(before, after)
	case !s.plainStatus:
		wanted = withStatusOf(after, before)
	}
	changed, err := edit(e.object, nil, before, wanted)
	switch {
	case err != nil:
		return err
	case !changed && !statusOnly && !s.plainStatus:
		s.noteStatusAlone(e, before, after)
	case changed:
		uid, owners := e.uid, e.owners
		s.read(e)
		s.ownersKnown = s.ownersKnown && uid == e.uid && slices.Equal(owners, e.owners)
		s.note(e, reason, strings.ToLower(reason))
	}
	return nil
}

// edit makes the edits that turn before, parts of what is at the location, into after. It tells
// whether there were any. What takes as long as an edit is in proportion to the parts, not to the
// object, so that many patches of one object take no square of their number.
func edit(o *object.Object, at location.Location, before, after *tree.Node) (changed bool, err error) {
	if !tree.IsMap(before) || !tree.IsMap(after) || tree.HasMerge(tree.Deref(before)) {
		if tree.Equal(before, after) {
			return false, nil
		}
		return true, o.Replace(at, after)
	}
	now, had := maps.Collect(tree.Entries(after)), map[string]bool{}
	var gone []location.Location
	for key, was := range tree.Entries(before) {
		had[key] = true
		is, ok := now[key]
		if !ok {
			gone = append(gone, at.With(location.Key(key)))
			continue
		}
		edited, err := edit(o, at.With(location.Key(key)), was, is)
		if changed = changed || edited; err != nil {
			return changed, err
		}
	}
	for key, is := range tree.Entries(after) {
		if had[key] {
			continue
		}
		changed = true
		if err := o.Set(at.With(location.Key(key)), is); err != nil {
			return changed, err
		}
	}
	o.Remove(gone)
	return changed || len(gone) > 0, nil
}

// checkDepth checks that the object can be read again with root as its data.
func checkDepth(o *object.Object, root *tree.Node) error {
	if most := o.MaxDepth(); !object.Fits(root, most) {
		return &resultError{reason: fmt.Sprintf("maps and lists must be nested at most %d levels deep in an object", most)}
	}
	return nil
}

// remove removes an object.
func (s *store) remove(e *storedObject, what string) {
	e.gone = true
	for _, key := range keysOf(e.ref) {
		s.named[key] = slices.DeleteFunc(s.named[key], func(other *storedObject) bool { return other == e })
	}
	s.references -= len(e.owners)
	s.note(e, report.ReasonDeleted, what)
}

// note records what the operation did to an object. A created object stays reported as such until
// it is deleted.
func (s *store) note(e *storedObject, reason, what string) {
	if e.what == nil {
		s.changed = append(s.changed, e)
	}
	e.last = s.current.Load().operation
	e.what = append(e.what, e.last.Path+": "+what)
	if e.reason != report.ReasonCreated || reason == report.ReasonDeleted {
		e.reason = reason
	}
}

// maxShown bounds how many operations a message lists.
const maxShown = 20

// results returns an info for each object that differs from the input, and a result for each object
// that an operation has not found. An object that is as in the input loses its edits.
func (s *store) results() []report.Result {
	var results []report.Result
	for _, e := range s.changed {
		if e.isUnchanged() {
			e.object.Reset()
			continue
		}
		what := strings.Join(e.what[:min(maxShown, len(e.what))], "; ")
		if more := len(e.what) - maxShown; more > 0 {
			what += fmt.Sprintf("; and %d more", more)
		}
		result := report.New(report.SeverityInfo, e.reason, what).Of(e.ref, e.object.File())
		result.NamedBy = e.last.Path
		results = append(results, result)
	}
	return append(results, s.absences...)
}
