// Package managedfields reads metadata.managedFields of live objects: which field manager owns
// which field (https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management).
package managedfields

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Entry is one entry of metadata.managedFields.
type Entry struct {
	Manager     string
	Operation   string // Apply or Update
	Subresource string // status or scale, say; "" for the object itself
	Time        string // of the last change to what the entry owns; "" if not known
	fields      *fieldpath.Set
	// hasLastApplied is true for an entry that kubectl knows as applied on the client's side.
	hasLastApplied bool
	// names are how lists name the elements that the entry has, by the fields of the list.
	names map[*fieldpath.Set]elementNames
}

// Of returns the entries of a live object; none where it has no managedFields, as kubectl get
// leaves them out without --show-managed-fields.
func Of(live *tree.Node) []Entry {
	var all []Entry
	for _, n := range tree.Elements(tree.Get(live, "metadata", "managedFields")) {
		e := headOf(n)
		e.fields, _ = Fields(tree.Get(n, "fieldsV1"))
		e.names = map[*fieldpath.Set]elementNames{}
		all = append(all, e)
	}
	return all
}

// Size is how many fields the entry owns.
func (e Entry) Size() int { return e.fields.Size() }

// Head returns the entry without its fields.
func (e Entry) Head() Entry {
	e.fields, e.names = nil, nil
	return e
}

// headOf reads an entry without its fields.
func headOf(n *tree.Node) Entry {
	e := Entry{
		Manager:     tree.GetString(n, "manager"),
		Operation:   tree.GetString(n, "operation"),
		Subresource: tree.GetString(n, "subresource"),
		Time:        tree.GetString(n, "time"),
	}
	e.hasLastApplied = e.Operation == update && e.Subresource == "" &&
		tree.Get(n, "fieldsV1", "f:metadata", "f:annotations", "f:"+LastApplied) != nil
	return e
}

// Fields reads fieldsV1. The error is that of the first field that no API server writes; the set is
// without such fields, and without fields of a kind that a newer API server may write.
func Fields(fieldsV1 *tree.Node) (set *fieldpath.Set, fault error) {
	type field struct {
		name  fieldpath.PathElement
		inner *tree.Node
	}
	if !isFields(fieldsV1) {
		fault = fmt.Errorf("must be a map, found a %s", tree.Type(fieldsV1))
	}
	var fields []field
	for key, inner := range tree.Entries(fieldsV1) {
		name, err := fieldpath.DeserializePathElement(key)
		switch {
		case err == nil && isFields(inner):
			fields = append(fields, field{name, inner})
		case key != "." && !errors.Is(err, fieldpath.ErrUnknownPathElementType):
			fault = cmp.Or(fault, fmt.Errorf("%q is no field", key))
		}
	}
	// Any other order would move much of a long set.
	sort.SliceStable(fields, func(i, j int) bool { return fields[i].name.Less(fields[j].name) })
	set = fieldpath.NewSet()
	for _, f := range fields {
		count, self := len(tree.Deref(f.inner).Content)/2, tree.Lookup(f.inner, ".") != nil
		if count == 0 || self {
			set.Members.Insert(f.name)
		}
		if count > 1 || count == 1 && !self {
			inner, err := Fields(f.inner)
			*set.Children.Descend(f.name) = *inner
			fault = cmp.Or(fault, err)
		}
	}
	return set, fault
}

// isFields tells whether a node is a map or nothing, which counts as an empty one.
func isFields(n *tree.Node) bool {
	return tree.IsMap(n) || tree.Type(n) == tree.Null
}

// String returns the entry as comments name it: `kube-controller-manager (Update, scale)`.
func (e Entry) String() string {
	if e.Subresource == "" {
		return e.Manager + " (" + e.Operation + ")"
	}
	return e.Manager + " (" + e.Operation + ", " + e.Subresource + ")"
}

// Owners returns the entries that own what is at a location of root, or something in it.
func Owners(entries []Entry, l location.Location, root *tree.Node) []Entry {
	return holdingAt(entries, l, root).owners()
}

// OwnersOfPlace returns the indices of the entries that own the place at a location of root itself,
// not only something in it: a leaf, or a map, list or element that an entry names or owns as a
// whole.
func OwnersOfPlace(entries []Entry, l location.Location, root *tree.Node) []int {
	n := location.At(root, l)
	isLeaf := n == nil || len(n.Content) == 0
	var owners []int
	for i, entry := range entries {
		if has := entry.at(l, root); has.isMember || isLeaf && has.isOwned() {
			owners = append(owners, i)
		}
	}
	return owners
}

// owned is what an entry owns of a value: nothing, the value itself, fields in it, or both.
type owned struct {
	isMember bool
	inner    *fieldpath.Set
}

func (o owned) isOwned() bool { return o.isMember || o.inner != nil }

// at returns what the entry owns at a location of root.
func (e Entry) at(l location.Location, root *tree.Node) owned {
	has, value := owned{inner: e.fields}, root
	for _, step := range l {
		if has = e.below(has, step, value); !has.isOwned() {
			return has
		}
		value = location.At(value, location.Location{step})
	}
	return has
}

// below returns what the entry owns one step further into a value.
func (e Entry) below(has owned, step location.Step, value *tree.Node) owned {
	switch {
	case has.inner == nil:
		return has
	case !step.IsIndex:
		return member(has.inner, fieldpath.FieldNameElement(step.Key))
	}
	element := location.At(value, location.Location{step})
	for _, name := range e.namesIn(has.inner).of(element, step.Index) {
		if found := member(has.inner, name); found.isOwned() {
			return found
		}
	}
	return owned{}
}

func member(fields *fieldpath.Set, name fieldpath.PathElement) owned {
	inner, _ := fields.Children.Get(name)
	return owned{isMember: fields.Members.Has(name), inner: inner}
}

// holding is what each of the entries owns of one value.
type holding struct {
	entries []Entry
	parts   []owned
}

// holdingAt is what the entries own at a location of root.
func holdingAt(entries []Entry, l location.Location, root *tree.Node) holding {
	h := holding{entries, make([]owned, len(entries))}
	for i, entry := range entries {
		h.parts[i] = entry.at(l, root)
	}
	return h
}

// below is what the entries own one step further into a value.
func (h holding) below(step location.Step, value *tree.Node) holding {
	inner := holding{h.entries, make([]owned, len(h.parts))}
	for i, part := range h.parts {
		inner.parts[i] = h.entries[i].below(part, step, value)
	}
	return inner
}

func (h holding) isOwned() bool { return slices.ContainsFunc(h.parts, owned.isOwned) }

// owners are the entries that own the value or something in it.
func (h holding) owners() []Entry {
	var owners []Entry
	for i, part := range h.parts {
		if part.isOwned() {
			owners = append(owners, h.entries[i])
		}
	}
	return owners
}

// identifies tells whether a member of an element of the list names the element.
func (h holding) identifies(member string) bool {
	for i, part := range h.parts {
		keys := h.entries[i].namesIn(part.inner).keys
		if slices.ContainsFunc(slices.Concat(keys...), func(f listkey.Field) bool { return len(f.At) == 1 && f.At[0].Key == member }) {
			return true
		}
	}
	return false
}
