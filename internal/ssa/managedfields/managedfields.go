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
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Entry is one entry of metadata.managedFields.
type Entry struct {
	Manager     string
	Operation   string // Apply or Update
	APIVersion  string
	Subresource string // status or scale, say; "" for the object itself
	Time        string // of the last change to what the entry owns; "" if not known
	fields      *fieldpath.Set
	// fieldsV1 are the fields as the object has them.
	fieldsV1 *tree.Node
	// hasLastApplied is true for an entry that kubectl knows as applied on the client's side.
	hasLastApplied bool
	// names are how lists name the elements that the entry has, by the fields of the list.
	names map[*fieldpath.Set]elementNames
}

// Of returns the entries of a live object; none where it has no managedFields, as kubectl get
// leaves them out without --show-managed-fields. An entry that no API server writes is left out,
// and a fault says why.
func Of(live *tree.Node) (entries []Entry, faults []report.Result) { return read(live, true) }

// read reads the entries of a live object, without their fields unless they are asked for.
func read(live *tree.Node, withFields bool) (entries []Entry, faults []report.Result) {
	for i, n := range tree.Elements(tree.Get(live, "metadata", "managedFields")) {
		e, err := entryOf(n, withFields)
		if err == nil {
			entries = append(entries, e)
			continue
		}
		faults = append(faults, report.New(report.SeverityWarning, report.ReasonInvalidManagedFields, fmt.Sprintf(
			"metadata.managedFields[%d] of the live object, by %q: %s; no API server writes that, so the entry counts as missing", i, e.Manager, err,
		)).Of(report.RefOf(live), report.File{}))
	}
	return entries, faults
}

func entryOf(n *tree.Node, withFields bool) (Entry, error) {
	e := Entry{
		Manager:     cmp.Or(tree.GetString(n, "manager"), "unknown"), // as the API server calls it
		Operation:   tree.GetString(n, "operation"),
		APIVersion:  tree.GetString(n, "apiVersion"),
		Subresource: tree.GetString(n, "subresource"),
		Time:        tree.GetString(n, "time"),
		fieldsV1:    tree.Get(n, "fieldsV1"),
	}
	switch fieldsType := tree.GetString(n, "fieldsType"); {
	case e.Operation != apply && e.Operation != update:
		return e, fmt.Errorf("operation must be Apply or Update, found %q", e.Operation)
	case e.APIVersion == "":
		return e, errors.New("apiVersion must be set, found none")
	case fieldsType != "FieldsV1":
		return e, fmt.Errorf("fieldsType must be FieldsV1, found %q", fieldsType)
	}
	e.hasLastApplied = e.Operation == update && e.Subresource == "" &&
		tree.Get(e.fieldsV1, "f:metadata", "f:annotations", "f:"+LastApplied) != nil
	for key := range tree.Entries(e.fieldsV1) {
		if element, err := fieldpath.DeserializePathElement(key); err == nil && element.FieldName == nil {
			return e, fmt.Errorf("fieldsV1 must be fields, found %q", key) // an element of a list, which no object is
		}
	}
	fields, err := fieldsOf(e.fieldsV1, withFields)
	if err != nil {
		return e, fmt.Errorf("fieldsV1 must be fields, found %w", err)
	}
	if withFields {
		e.fields, e.names = fields, map[*fieldpath.Set]elementNames{}
	}
	return e, nil
}

// Size is how many fields the entry owns.
func (e Entry) Size() int { return e.fields.Size() }

// Fields are what the entry owns.
func (e Entry) Fields() *fieldpath.Set { return e.fields }

// Head returns the entry without its fields.
func (e Entry) Head() Entry {
	e.fields, e.fieldsV1, e.names = nil, nil, nil
	return e
}

// fieldsOf reads fields, as a set if that is asked for. Those of a kind that a newer API server may
// write are left out. The error is what no API server writes.
func fieldsOf(fieldsV1 *tree.Node, asSet bool) (*fieldpath.Set, error) {
	type field struct {
		name  fieldpath.PathElement
		inner *tree.Node
	}
	if !isFields(fieldsV1) {
		return nil, fmt.Errorf("a %s", tree.Type(fieldsV1))
	}
	var fields []field
	for key, inner := range tree.Entries(fieldsV1) {
		name, err := fieldpath.DeserializePathElement(key)
		switch {
		case err == nil && isFields(inner):
			fields = append(fields, field{name, inner})
		case key != "." && !errors.Is(err, fieldpath.ErrUnknownPathElementType):
			return nil, fmt.Errorf("%q", key)
		}
	}
	if !asSet {
		for _, f := range fields {
			if _, err := fieldsOf(f.inner, false); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	// Any other order would move much of a long set.
	sort.SliceStable(fields, func(i, j int) bool { return fields[i].name.Less(fields[j].name) })
	set := fieldpath.NewSet()
	for _, f := range fields {
		count, self := len(tree.Deref(f.inner).Content)/2, tree.Lookup(f.inner, ".") != nil
		if count == 0 || self {
			set.Members.Insert(f.name)
		}
		if count > 1 || count == 1 && !self {
			inner, err := fieldsOf(f.inner, true)
			if err != nil {
				return nil, err
			}
			*set.Children.Descend(f.name) = *inner
		}
	}
	return set, nil
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

// Index finds the entries that own places of an object. It is for one goroutine.
type Index struct {
	reader *location.Reader
	// holdings are what the entries own at last, and at the places around it from the root on.
	last     location.Location
	holdings []holding
}

// NewIndex returns the index of the entries for an object.
func NewIndex(entries []Entry, root *tree.Node) *Index {
	return &Index{reader: location.NewReader(root), holdings: []holding{holdingOf(entries)}}
}

// At is location.At in the object.
func (x *Index) At(l location.Location) *tree.Node { return x.reader.At(l) }

// at is what the entries own at a location.
func (x *Index) at(l location.Location) *holding {
	same := 0
	for same < min(len(l), len(x.last)) && l[same] == x.last[same] {
		same++
	}
	x.holdings = x.holdings[:same+1]
	for i, step := range l[same:] {
		var list *tree.Node // which names the element; keys name themselves
		if step.IsIndex {
			list = x.reader.At(l[:same+i])
		}
		x.holdings = append(x.holdings, x.holdings[same+i].below(step, list))
	}
	x.last = append(x.last[:0], l...)
	return &x.holdings[len(l)]
}

// Owners returns the entries that own what is at a location, or something in it.
func (x *Index) Owners(l location.Location) []Entry { return x.at(l).owners() }

// OwnersOfPlace returns the indices of the entries that own the place at a location itself, not
// only something in it: a leaf, or a map, list or element that an entry names or owns as a whole.
func (x *Index) OwnersOfPlace(l location.Location) []int {
	n := x.reader.At(l)
	isLeaf := n == nil || !tree.IsMap(n) && !tree.IsList(n) && tree.Type(n) != tree.Null // which is an empty map, too
	var owners []int
	add := func(l location.Location) {
		for _, part := range x.at(l).parts {
			if (part.isMember || isLeaf) && !slices.Contains(owners, part.entry) {
				owners = append(owners, part.entry)
			}
		}
	}
	add(l)
	if kept := stored(x.reader.At(nil), l); location.Compare(kept, l) != 0 {
		add(kept)
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
	has := owned{inner: e.fields}
	for i, step := range l {
		var list *tree.Node // which names the element; keys name themselves
		if step.IsIndex {
			list = location.At(root, l[:i])
		}
		if has = e.below(has, step, list); !has.isOwned() {
			return has
		}
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

// part is what one of the entries owns of a value.
type part struct {
	owned
	entry int // its index
}

// holding is what the entries own of one value, without those that own nothing of it.
type holding struct {
	entries []Entry
	parts   []part
	// inside are the parts that may own something in the value, once that was asked for, and named
	// those of many that own something of each member of a map.
	inside []part
	named  map[string][]part
}

func holdingOf(entries []Entry) holding {
	h := holding{entries: entries}
	for i, entry := range entries {
		if entry.fields != nil {
			h.parts = append(h.parts, part{owned{inner: entry.fields}, i})
		}
	}
	return h
}

// below is what the entries own one step further into a value.
func (h *holding) below(step location.Step, value *tree.Node) holding {
	inner := holding{entries: h.entries}
	for _, p := range h.partsWith(step) {
		if has := h.entries[p.entry].below(p.owned, step, value); has.isOwned() {
			inner.parts = append(inner.parts, part{has, p.entry})
		}
	}
	return inner
}

// manyParts is from how many parts on they are found by the members that they own.
const manyParts = 16

// isDivided tells whether some own parts of the value: who owns it as a whole then owns nothing in
// it, since it was empty.
func (h *holding) isDivided() bool {
	if h.inside == nil {
		h.inside = slices.DeleteFunc(slices.Clone(h.parts), func(p part) bool { return p.inner == nil })
	}
	return len(h.inside) > 0
}

// partsWith returns the parts that may own something behind a step, in the order of the entries.
func (h *holding) partsWith(step location.Step) []part {
	switch {
	case !h.isDivided():
		return h.parts
	case step.IsIndex || len(h.inside) < manyParts:
		return h.inside
	}
	if h.named == nil {
		h.named = map[string][]part{}
		for _, p := range h.inside {
			add := func(name fieldpath.PathElement) {
				if name.FieldName == nil {
					return
				}
				if known := h.named[*name.FieldName]; len(known) == 0 || known[len(known)-1].entry != p.entry {
					h.named[*name.FieldName] = append(known, p)
				}
			}
			p.inner.Members.Iterate(add)
			p.inner.Children.Iterate(add)
		}
	}
	return h.named[step.Key]
}

func (h *holding) isOwned() bool { return len(h.parts) > 0 }

// owners are the entries that own the value or something in it.
func (h *holding) owners() []Entry {
	var owners []Entry
	for _, part := range h.parts {
		owners = append(owners, h.entries[part.entry])
	}
	return owners
}

// identifies tells whether a member of an element of the list names the element.
func (h *holding) identifies(member string) bool {
	for _, part := range h.parts {
		keys := h.entries[part.entry].namesIn(part.inner).keys
		if slices.ContainsFunc(slices.Concat(keys...), func(f listkey.Part) bool { return len(f.At) == 1 && f.At[0].Key == member }) {
			return true
		}
	}
	return false
}
