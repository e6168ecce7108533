package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// nested writes the field at a place inside the fields around it, with the value of the key, and
// with those of the other unknown keys that belong beside it: `selectors: [{group: apps, kind:
// Deployment}]` for selectors[].kind.
func (u *unknown) nested(place, name string) string {
	parent := place[:max(strings.LastIndexByte(place, '.'), 0)]
	n := u.members(parent, name)
	for _, field := range slices.Backward(strings.Split(parent, ".")) {
		name, isList := strings.CutSuffix(field, "[]")
		if isList {
			n = tree.NewList(n)
		}
		n = tree.NewMap(name, n)
	}
	text, _ := pasteable(n, maxPasted)
	return text[1 : len(text)-1]
}

// members are the unknown keys whose fields are at the place parent, with their values; the field
// of a name alone where a key may mean something else in another tool, or a value is long.
func (u *unknown) members(parent, name string) *tree.Node {
	alone, members := tree.NewMap(name, tree.NewString("…")), tree.NewMap()
	if name != u.key {
		return alone
	}
	for key, value := range tree.Entries(u.in) {
		if u.names.places[key] != child(parent, key) {
			continue
		}
		_, isForeign := foreignFields[key]
		if _, ok := pasteable(value, maxFound); !ok || isForeign {
			return alone
		}
		members.Content = append(members.Content, tree.NewString(key), value)
	}
	return members
}

// maxPasted is the number of bytes, and of nodes, of a text to paste.
const maxPasted = 2000

// pasteable writes a value in flow style, in one line of at most so many bytes; false where it is
// longer.
func pasteable(n *tree.Node, size int) (string, bool) {
	left := maxPasted
	flow := inFlow(n, &left)
	if left < 0 { // aliases stand for very much
		return "…", false
	}
	text, err := yaml.Marshal(tree.ToLibrary(flow))
	line := strings.TrimSpace(string(text))
	if err != nil || len(line) > size || strings.Contains(line, "\n") {
		return "…", false
	}
	return line, true
}

// inFlow returns the data of a node in flow style, and counts down how many nodes are left.
func inFlow(n *tree.Node, left *int) *tree.Node {
	n = tree.Deref(n)
	if *left--; n.Kind == tree.ScalarNode || *left < 0 {
		return n.Bare()
	}
	flow := &tree.Node{Kind: n.Kind, Tag: n.Tag, Style: tree.FlowStyle}
	for _, c := range n.Content {
		flow.Content = append(flow.Content, inFlow(c, left))
	}
	return flow
}

// maxMembers bounds the elements of a list in a hint.
const maxMembers = 10

// writtenHint says how to write the value of an unknown key in a field that is a list of maps; ""
// where the value needs no change, or is another one.
func (d *decoder) writtenHint(u *unknown, field Field) string {
	value := tree.Lookup(u.in, u.key)
	if u.key == "patch" && field.Name == "operations" && tree.Type(value) == tree.String {
		return "it takes the same list, but not in a string; "
	}
	if field.OrOne || field.Type.Kind() != reflect.Slice || field.Type.Elem().Kind() != reflect.Struct || !tree.IsMap(value) {
		return ""
	}
	fields := d.fieldsOf(field.Type.Elem())
	for key := range tree.Entries(value) {
		if _, known := findField(fields, key); !known {
			return ""
		}
	}
	text, ok := pasteable(tree.NewList(value), maxPasted)
	if !ok {
		return ""
	}
	return fmt.Sprintf("write %s: %s; ", field.Name, text)
}

// listsOf returns the lists of expressions that are fields of a struct type; nil for none.
func listsOf(t reflect.Type) FieldMap {
	for i := range t.NumField() {
		if lists, ok := reflect.Zero(t.Field(i).Type).Interface().(FieldMap); ok {
			return lists
		}
	}
	return nil
}
