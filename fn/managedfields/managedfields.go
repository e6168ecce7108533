// Package managedfields reads metadata.managedFields of live objects: which field
// manager owns which field
// (https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management).
package managedfields

import (
	"encoding/json"
	"strconv"
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

// OnlyAppliedBy tells whether what is at a location of root, or in it, has the
// manager as its only owner, and by way of apply: what a manager owns by
// update, an apply does not remove.
func OnlyAppliedBy(entries []Entry, manager string, l locate.Location, root *yaml.Node) bool {
	applied := false
	for _, owner := range Owners(entries, l, root) {
		if owner.Manager != manager {
			return false
		}
		applied = applied || owner.Operation != "Update"
	}
	return applied
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
		if fields = memberFields(fields, step, value); fields == nil {
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
		fields = memberFields(fields, step, value)
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

// memberFields returns the fields below a step from value: `f:replicas` for a
// key, and for an element of a list the entry that its keys (`k:`), its value
// (`v:`) or its index (`i:`) name.
func memberFields(fields *yaml.Node, step locate.Step, value *yaml.Node) *yaml.Node {
	if !step.IsIndex {
		return tree.Lookup(fields, "f:"+step.Key)
	}
	element := locate.At(value, locate.Location{step})
	for key, inner := range tree.Entries(fields) {
		if namesElement(key, element, step.Index) {
			return tree.Deref(inner)
		}
	}
	return nil
}

func namesElement(key string, element *yaml.Node, index int) bool {
	prefix, text, _ := strings.Cut(key, ":")
	if prefix == "i" {
		return text == strconv.Itoa(index)
	}
	if prefix != "k" && prefix != "v" || !json.Valid([]byte(text)) {
		return false
	}
	named, err := tree.ParseJSON([]byte(text))
	if err != nil {
		return false
	}
	if prefix == "v" {
		return tree.Equal(named, element)
	}
	for name, value := range tree.Entries(named) {
		if !sameKey(value, tree.Lookup(element, name), name) {
			return false
		}
	}
	return tree.IsMap(named)
}

// sameKey tells whether an element has the key field that an entry names. A
// protocol that is left out is TCP, as the API server defaults it.
func sameKey(named, value *yaml.Node, name string) bool {
	if value == nil {
		return name == "protocol" && named.Value == "TCP"
	}
	return tree.Equal(named, value)
}
