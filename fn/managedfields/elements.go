package managedfields

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/tree"
)

// elements are the elements of one list that an entry has.
type elements struct {
	// byKeys are those that keys name, by the names of the keys.
	byKeys []keyed
	// byValue are those of a set, and byIndex those of other lists.
	byValue, byIndex map[string]*yaml.Node
}

// keyed are elements by the values of the same keys.
type keyed struct {
	names    []string
	elements map[string]*yaml.Node
}

func elementsOf(fields *yaml.Node) elements {
	known := elements{byValue: map[string]*yaml.Node{}, byIndex: map[string]*yaml.Node{}}
	for key, inner := range tree.Entries(fields) {
		prefix, text, _ := strings.Cut(key, ":")
		if prefix == "i" {
			known.byIndex[text] = tree.Deref(inner)
			continue
		}
		named, err := tree.ParseJSON([]byte(text))
		if err != nil {
			continue
		}
		switch prefix {
		case "v":
			known.byValue[identityOf(named)] = tree.Deref(inner)
		case "k":
			names := keyNames(named)
			known.at(names)[keyValues(names, named)] = tree.Deref(inner)
		}
	}
	return known
}

// keyNames returns the keys of an element as an entry names them.
func keyNames(named *yaml.Node) []string {
	var names []string
	for name := range tree.Entries(named) {
		names = append(names, name)
	}
	return names
}

func (k *elements) at(names []string) map[string]*yaml.Node {
	for _, keyed := range k.byKeys {
		if slices.Equal(keyed.names, names) {
			return keyed.elements
		}
	}
	k.byKeys = append(k.byKeys, keyed{names: names, elements: map[string]*yaml.Node{}})
	return k.byKeys[len(k.byKeys)-1].elements
}

// find returns the fields of an element that stands at an index; nil where the
// entry does not have it.
func (k elements) find(element *yaml.Node, index int) *yaml.Node {
	for _, keyed := range k.byKeys {
		if fields := keyed.elements[keyValues(keyed.names, element)]; fields != nil {
			return fields
		}
	}
	if fields := k.byIndex[strconv.Itoa(index)]; fields != nil {
		return fields
	}
	if len(k.byValue) == 0 {
		return nil
	}
	return k.byValue[identityOf(element)]
}

// keyValues returns a text that is the same for elements whose keys have the same
// values. A protocol that is left out is TCP, as the API server defaults it.
func keyValues(names []string, element *yaml.Node) string {
	var b strings.Builder
	for _, name := range names {
		value := tree.Lookup(element, name)
		if value == nil && name == "protocol" {
			value = tree.NewString("TCP")
		}
		b.WriteString(identityOf(value))
		b.WriteByte(0)
	}
	return b.String()
}

// identityOf returns a text that is the same for equal values.
func identityOf(n *yaml.Node) string {
	n = tree.Deref(n)
	if n == nil {
		return ""
	}
	text, err := tree.MarshalJSON(n)
	if err != nil {
		return n.Value // a number that JSON has no form for
	}
	return string(text)
}
