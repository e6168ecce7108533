package ignorefields

import (
	"encoding/json"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// managers are the entries of an object's metadata.managedFields
// (https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management).
type managers []managerEntry

type managerEntry struct {
	name      string
	operation string // Apply or Update
	fields    *yaml.Node
}

func managersOf(live *yaml.Node) managers {
	var all managers
	for _, entry := range tree.Elements(tree.Get(live, "metadata", "managedFields")) {
		all = append(all, managerEntry{
			name:      tree.GetString(entry, "manager"),
			operation: tree.GetString(entry, "operation"),
			fields:    tree.Get(entry, "fieldsV1"),
		})
	}
	return all
}

// onlyAppliedBy tells whether what is at a location of root, or in it, has the
// manager as its only owner, and by way of apply: what a manager owns by
// update, an apply does not remove.
func (m managers) onlyAppliedBy(manager string, l locate.Location, root *yaml.Node) bool {
	applied := false
	for _, entry := range m {
		if !entry.owns(l, root) {
			continue
		}
		if entry.name != manager {
			return false
		}
		applied = applied || entry.operation != "Update"
	}
	return applied
}

// owns tells whether the entry has the location, something in it, or an
// ancestor that is owned as a whole.
func (e managerEntry) owns(l locate.Location, root *yaml.Node) bool {
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
