// Package managedfields reads metadata.managedFields of live objects: which field
// manager owns which field
// (https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management).
package managedfields

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// Entry is one entry of metadata.managedFields.
type Entry struct {
	Manager     string
	Operation   string // Apply or Update
	Subresource string // status or scale, say; "" for the object itself
	fields      *yaml.Node
	// elements are those that the entry has in lists, by the fields of the list.
	elements map[*yaml.Node]elements
}

// Of returns the entries of a live object; none where it has no managedFields,
// as kubectl get leaves them out without --show-managed-fields.
func Of(live *yaml.Node) []Entry {
	var all []Entry
	for _, entry := range tree.Elements(tree.Get(live, "metadata", "managedFields")) {
		all = append(all, Entry{
			Manager:     tree.GetString(entry, "manager"),
			Operation:   tree.GetString(entry, "operation"),
			Subresource: tree.GetString(entry, "subresource"),
			fields:      tree.Get(entry, "fieldsV1"),
			elements:    map[*yaml.Node]elements{},
		})
	}
	return all
}

// String returns the entry as comments name it:
// `kube-controller-manager (Update, scale)`.
func (e Entry) String() string {
	if e.Subresource == "" {
		return e.Manager + " (" + e.Operation + ")"
	}
	return e.Manager + " (" + e.Operation + ", " + e.Subresource + ")"
}

// Owners returns the entries that own what is at a location of root, or
// something in it.
func Owners(entries []Entry, l locate.Location, root *yaml.Node) []Entry {
	var owners []Entry
	for _, entry := range entries {
		if entry.Owns(l, root) {
			owners = append(owners, entry)
		}
	}
	return owners
}

// ElementKeys returns the names of the fields that tell the elements of the list
// at a location apart, as the entries name them: name, or containerPort and
// protocol. They are nil where the entries have none for it.
func ElementKeys(entries []Entry, list locate.Location, root *yaml.Node) []string {
	for _, entry := range entries {
		for key := range tree.Entries(entry.at(list, root)) {
			prefix, text, _ := strings.Cut(key, ":")
			named, err := tree.ParseJSON([]byte(text))
			if prefix != "k" || err != nil {
				continue
			}
			var names []string
			for name := range tree.Entries(named) {
				names = append(names, name)
			}
			return names
		}
	}
	return nil
}

// IsSet tells whether the entries know the list at a location as a set, whose
// elements several managers can own one by one.
func IsSet(entries []Entry, list locate.Location, root *yaml.Node) bool {
	for _, entry := range entries {
		for key := range tree.Entries(entry.at(list, root)) {
			if strings.HasPrefix(key, "v:") {
				return true
			}
		}
	}
	return false
}

// at returns the fields of the entry below a location of root, or nil.
func (e Entry) at(l locate.Location, root *yaml.Node) *yaml.Node {
	fields, value := e.fields, root
	for _, step := range l {
		if fields = e.member(fields, step, value); fields == nil {
			return nil
		}
		value = locate.At(value, locate.Location{step})
	}
	return fields
}

// Owns tells whether the entry has the location, something in it, or an
// ancestor that is owned as a whole.
func (e Entry) Owns(l locate.Location, root *yaml.Node) bool {
	fields, value := e.fields, root
	for i, step := range l {
		if i > 0 && isLeaf(fields) {
			return true
		}
		fields = e.member(fields, step, value)
		if fields == nil {
			return false
		}
		value = locate.At(value, locate.Location{step})
	}
	return true
}

// isLeaf tells whether a set of fields is the field itself, with nothing in it.
func isLeaf(fields *yaml.Node) bool {
	return tree.IsMap(fields) && len(tree.Deref(fields).Content) == 0
}

// member returns the fields below a step from value: `f:replicas` for a key, and
// for an element of a list the entry that its keys (`k:`), its value (`v:`) or its
// index (`i:`) name.
func (e Entry) member(fields *yaml.Node, step locate.Step, value *yaml.Node) *yaml.Node {
	if !step.IsIndex {
		return tree.Lookup(fields, "f:"+step.Key)
	}
	known, ok := e.elements[fields]
	if !ok {
		known = elementsOf(fields)
		e.elements[fields] = known
	}
	return known.find(locate.At(value, locate.Location{step}), step.Index)
}
