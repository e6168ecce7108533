// Package listkey tells which element of a list is which: by the keys that a schema or
// managedFields give the list, by keys that usually identify elements, by scalars that differ in
// all of them, or by their content.
package listkey

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Key identifies the elements of a list by scalars in them.
type Key []Part

// Part is a scalar in an element; the element itself where At is empty.
type Part struct {
	At location.Location
	// Default is the value of an element that lacks the field; nil for none.
	Default *tree.Node
}

// Value is the key of a set, whose elements are scalars.
var Value = Key{{}}

// tcp is the protocol of a port that has none, as the API server defaults it.
var tcp = tree.NewString("TCP")

// Of returns the key of the members with these names.
func Of(names ...string) Key {
	key := make(Key, len(names))
	for i, name := range names {
		key[i].At = location.Location{location.Key(name)}
		if name == "protocol" {
			key[i].Default = tcp
		}
	}
	return key
}

// usual are the keys that identify the elements of lists and rarely change, the best first: those
// of Kubernetes' associative lists
// (https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy) and common
// names in other kinds.
var usual = []string{
	"name", "key", "id", "uid", "type", "containerPort", "port", weak, "mountPath", "devicePath", "ip", "topologyKey",
	"subset", "hostname", "host", "path", "prefix", "number", "kind", "resource", "secretName",
}

// weak is a usual key that identifies elements only together with another one.
const weak = "protocol"

// IsWeak tells whether the field at a location identifies elements only together with another one.
func IsWeak(l location.Location) bool { return len(l) > 0 && l[len(l)-1].Key == weak }

// Usual returns the usual key that identifies the elements of each of the lists; nil if there is
// none.
func Usual(lists ...[]*tree.Node) Key {
	for _, name := range usual {
		if key := Of(name); name != weak && key.Identifies(lists...) {
			return key
		}
	}
	return nil
}

// Shared returns the key of a scalar at any depth that identifies the elements of two lists and has
// the same values in both, in the same order; nil if there is none.
func Shared(a, b []*tree.Node) Key {
	if len(a) == 0 || len(a) != len(b) {
		return nil
	}
	known, others := Scalars(a[0])
	for _, l := range append(known, others...) {
		if key := (Key{{At: l}}); key.Identifies(a, b) && key.SameOrder(a, b) {
			return key
		}
	}
	return nil
}

// maxDepth is how deep in an element a scalar that identifies it may be.
const maxDepth = 3

// Scalars returns where an element has scalars that may identify it: those of usual keys, the less
// deep first, and then all others but those that may be a Secret's.
func Scalars(element *tree.Node) (known, others []location.Location) {
	var walk func(n *tree.Node, at location.Location)
	walk = func(n *tree.Node, at location.Location) {
		for key, value := range tree.Entries(n) {
			place := at.With(location.Key(key))
			switch {
			case key == "data" || key == "stringData":
			case tree.IsMap(value) && len(place) < maxDepth:
				walk(tree.Deref(value), place)
			case tree.Deref(value).Kind != tree.ScalarNode:
			case slices.Contains(usual, key):
				known = append(known, place)
			default:
				others = append(others, place)
			}
		}
	}
	walk(element, nil)
	rank := func(l location.Location) int { return len(l)*len(usual) + slices.Index(usual, l[len(l)-1].Key) }
	slices.SortStableFunc(known, func(a, b location.Location) int { return rank(a) - rank(b) })
	slices.SortStableFunc(others, func(a, b location.Location) int { return len(a) - len(b) })
	return known, others
}

// Find returns the value of the field in an element, or its default.
func (f Part) Find(element *tree.Node) *tree.Node {
	if value := location.At(element, f.At); value != nil || !tree.IsMap(element) {
		return value
	}
	return f.Default
}

// Of returns a text that is equal for elements with the same scalars; false for an element that
// lacks one of them.
func (k Key) Of(element *tree.Node) (string, bool) {
	values := make([]any, len(k))
	for i, field := range k {
		value := field.Find(element)
		if value == nil || value.Kind != tree.ScalarNode || tree.Type(value) == tree.Null {
			return "", false
		}
		values[i] = tree.Value(value)
	}
	return Text(values), len(k) > 0
}

// In tells whether every element of the lists has the scalars.
func (k Key) In(lists ...[]*tree.Node) bool {
	for _, list := range lists {
		for _, element := range list {
			if _, ok := k.Of(element); !ok {
				return false
			}
		}
	}
	return true
}

// Identifies tells whether every element of the lists has the scalars, and no two of one list have
// the same.
func (k Key) Identifies(lists ...[]*tree.Node) bool {
	for _, list := range lists {
		seen := map[string]bool{}
		for _, element := range list {
			id, ok := k.Of(element)
			if !ok || seen[id] {
				return false
			}
			seen[id] = true
		}
	}
	return len(k) > 0
}

// SameOrder tells whether the key has the same values in two lists in the same order.
func (k Key) SameOrder(a, b []*tree.Node) bool {
	return slices.EqualFunc(a, b, func(x, y *tree.Node) bool {
		ofX, _ := k.Of(x)
		ofY, _ := k.Of(y)
		return ofX == ofY
	})
}

// String names the fields: containerPort, protocol.
func (k Key) String() string {
	return strings.Join(lists.Map(k, func(field Part) string { return field.At.String() }), ", ")
}

// Text returns data as JSON with sorted keys, by which elements that have no key are compared.
func Text(value any) string {
	text, err := tree.MarshalJSON(tree.FromValue(value))
	if err != nil {
		return err.Error() // two different values never have the same text
	}
	return string(text)
}
