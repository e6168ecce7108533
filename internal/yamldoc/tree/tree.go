// Package tree reads YAML text into nodes and answers questions about them: the member of a map,
// the Go value of a scalar, whether two nodes carry the same data.
//
// Scalars mean what kyaml resolves them to: `0644` is 420, `1e3` is 1000 and `yes` is a string.
// Aliases and merge keys (`<<`) are seen through.
//
// The package does not edit nodes and does not write text.
package tree

import (
	"cmp"
	"iter"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Names of the types of data, as messages show them.
const (
	Map     = "map"
	List    = "list"
	String  = "string"
	Number  = "number"
	Boolean = "boolean"
	Null    = "null"
)

// Deref returns the anchored node of an alias, n itself otherwise. Deref of nil is nil.
func Deref(n *Node) *Node {
	for n != nil && n.Kind == AliasNode {
		n = n.Alias()
	}
	return n
}

// Typed names the type of data in n with its article, for messages: `a map`, `null`.
func Typed(n *Node) string { return Article(Type(n)) }

// Article puts the article before the name of a type.
func Article(kind string) string {
	if kind == Null {
		return kind
	}
	return "a " + kind
}

// Type names the type of data in n: Map, List, String, Number, Boolean or Null. The type of a nil
// node is Null.
func Type(n *Node) string {
	n = Deref(n)
	if n == nil {
		return Null
	}
	switch n.Kind {
	case MappingNode:
		return Map
	case SequenceNode:
		return List
	}
	if n.Tag == StringTag || n.Tag == NoTag && n.Style&quoted != 0 { // most are, and need not be resolved
		return String
	}
	switch Scalar(n).(type) {
	case nil:
		return Null
	case bool:
		return Boolean
	case string:
		return String
	}
	return Number
}

// IsMap tells whether n is a map.
func IsMap(n *Node) bool {
	n = Deref(n)
	return n != nil && n.Kind == MappingNode
}

// IsList tells whether n is a list.
func IsList(n *Node) bool {
	n = Deref(n)
	return n != nil && n.Kind == SequenceNode
}

// IsMergeKey tells whether key, a key node of a map, is the merge key `<<`.
func IsMergeKey(key *Node) bool {
	return key.Kind == ScalarNode && key.text == "<<" &&
		(key.Tag <= NonSpecificTag || key.Tag == MergeTag)
}

// Entries yields the members of the map m in order: its own, then merged ones that it does not have
// itself. Values may be alias nodes. It yields nothing if m is no map.
func Entries(m *Node) iter.Seq2[string, *Node] {
	return func(yield func(string, *Node) bool) {
		m = Deref(m)
		if m == nil || m.Kind != MappingNode {
			return
		}
		if !HasMerge(m) {
			for i := 0; i+1 < len(m.Content); i += 2 {
				if !yield(Deref(m.Content[i]).text, m.Content[i+1]) {
					return
				}
			}
			return
		}
		merged(m, map[string]bool{}, yield)
	}
}

// HasMerge tells whether the map m has a merge key.
func HasMerge(m *Node) bool {
	for i := 0; i < len(m.Content); i += 2 {
		if IsMergeKey(m.Content[i]) {
			return true
		}
	}
	return false
}

func merged(m *Node, seen map[string]bool, yield func(string, *Node) bool) bool {
	for i := 0; i+1 < len(m.Content); i += 2 {
		key := Deref(m.Content[i]).text
		if IsMergeKey(m.Content[i]) || seen[key] {
			continue
		}
		seen[key] = true
		if !yield(key, m.Content[i+1]) {
			return false
		}
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if !IsMergeKey(m.Content[i]) {
			continue
		}
		for _, source := range mergeSources(m.Content[i+1]) {
			if !merged(source, seen, yield) {
				return false
			}
		}
	}
	return true
}

// mergeSources returns the maps that the value of a merge key names.
func mergeSources(value *Node) []*Node {
	value = Deref(value)
	if value.Kind == MappingNode {
		return []*Node{value}
	}
	var sources []*Node
	for _, element := range value.Content {
		if IsMap(element) {
			sources = append(sources, Deref(element))
		}
	}
	return sources
}

// Lookup returns the value of key in the map m, aliases followed, or nil if m is no map or has no
// such key.
func Lookup(m *Node, key string) *Node {
	m = Deref(m)
	if m == nil || m.Kind != MappingNode {
		return nil
	}
	merge := false
	for i := 0; i+1 < len(m.Content); i += 2 {
		k := m.Content[i]
		if IsMergeKey(k) {
			merge = true
			continue
		}
		if k = Deref(k); k.text == key && k.Kind == ScalarNode {
			return Deref(m.Content[i+1])
		}
	}
	if !merge {
		return nil
	}
	for k, v := range Entries(m) {
		if k == key {
			return Deref(v)
		}
	}
	return nil
}

// Get follows the keys from n and returns the value, or nil.
func Get(n *Node, keys ...string) *Node {
	for _, key := range keys {
		n = Lookup(n, key)
	}
	return Deref(n)
}

// GetString returns the text of the scalar at keys; "" for none, and for null.
func GetString(n *Node, keys ...string) string {
	n = Get(n, keys...)
	if n == nil || n.Kind != ScalarNode || n.Tag == NullTag {
		return ""
	}
	return n.Text()
}

// Elements returns the elements of the list l; nil if l is no list.
func Elements(l *Node) []*Node {
	l = Deref(l)
	if l == nil || l.Kind != SequenceNode {
		return nil
	}
	return l.Content
}

// NewString returns a node for the string s, quoted only if YAML 1.1 or 1.2 would resolve it to
// another type.
func NewString(s string) *Node {
	n := newString(s)
	return &n
}

func newString(s string) Node {
	var made yaml.Node
	made.SetString(s)
	n := Node{Kind: ScalarNode, Style: Style(made.Style), Tag: tagOf(made.Tag), text: made.Value}
	// the emitter of go.yaml.in/yaml/v3 writes a wrong indentation indicator for a literal block in
	// a list that begins with a blank
	beginsBlank := n.Style == LiteralStyle && strings.ContainsAny(s[:1], " \t\n")
	if beginsBlank || n.Style == 0 && mustQuote(s) {
		n.Style = DoubleQuotedStyle
	}
	return n
}

func mustQuote(s string) bool {
	if s == "" || plainTag(s) != StringTag {
		return true
	}
	if startsLikeNumber(s[0]) && strings.Contains(s, ":") && strings.Trim(s, "+-0123456789_:.") == "" {
		return true // it may be a sexagesimal number of YAML 1.1: `1:30`
	}
	switch s {
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON",
		"n", "N", "no", "No", "NO", "off", "Off", "OFF", "<<", "=":
		return true
	}
	return false
}

// NewMap returns a map of keys and values by turns. A value is a node, a string or a list of
// strings; one that is nil, or an empty list of strings, is left out.
func NewMap(members ...any) *Node {
	m := &Node{Kind: MappingNode, Tag: MapTag}
	for i := 0; i+1 < len(members); i += 2 {
		var value *Node
		switch v := members[i+1].(type) {
		case *Node:
			value = v
		case string:
			value = NewString(v)
		case *string:
			if v != nil {
				value = NewString(*v)
			}
		case []string:
			for _, text := range v {
				value = cmp.Or(value, NewList())
				value.Content = append(value.Content, NewString(text))
			}
		}
		if value != nil {
			m.Content = append(m.Content, NewString(members[i].(string)), value)
		}
	}
	return m
}

// NewList returns a list.
func NewList(elements ...*Node) *Node {
	return &Node{Kind: SequenceNode, Tag: ListTag, Content: elements}
}

// NewInt returns a node for the whole number i.
func NewInt(i int) *Node {
	return NewScalar(IntTag, strconv.Itoa(i))
}
