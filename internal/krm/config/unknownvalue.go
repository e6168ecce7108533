package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// nested writes the field at a place inside the fields around it, with the value of the key, and
// with those of the other unknown keys that belong beside it: `selectors: [{group: apps, kind:
// Deployment}]` for selectors[].kind.
func (u *unknown) nested(place, name string) string {
	last := strings.LastIndexByte(place, '.')
	parent := place[:max(last, 0)]
	text := "{" + u.members(parent, name) + "}"
	for i, field := range slices.Backward(strings.Split(parent, ".")) {
		name, isList := strings.CutSuffix(field, "[]")
		if isList {
			text = "[" + text + "]"
		}
		text = name + ": " + text
		if i > 0 {
			text = "{" + text + "}"
		}
	}
	return text
}

// members writes the unknown keys whose fields are at the place parent, with their values; the
// field of a name alone where a key may mean something else in another tool, or a value is long.
func (u *unknown) members(parent, name string) string {
	if name != u.key {
		return name + ": …"
	}
	var members []string
	for key, value := range tree.Entries(u.in) {
		if u.names.places[key] != child(parent, key) {
			continue
		}
		text, ok := pasteable(value)
		if _, isForeign := foreignFields[key]; !ok || isForeign {
			return name + ": …"
		}
		members = append(members, key+": "+text)
	}
	return strings.Join(members, ", ")
}

// isPlain matches texts that need no quotes in YAML, numbers and booleans among them.
var isPlain = words.Pattern(`^[A-Za-z./][A-Za-z0-9./_~-]*$`)

// pasteable writes a value in flow style; false where it is too long.
func pasteable(n *tree.Node) (string, bool) {
	n = tree.Deref(n)
	if text := flow(n); !tree.IsMap(n) || strings.Contains(text, "…") {
		if tree.Type(n) == tree.String && readsAsString(n.Text()) {
			text = n.Text()
		}
		return text, !strings.Contains(text, "…")
	}
	var members []string
	for key, value := range tree.Entries(n) {
		text, ok := pasteable(value)
		if !ok || !readsAsString(key) {
			return "", false
		}
		members = append(members, key+": "+text)
	}
	return "{" + strings.Join(members, ", ") + "}", true
}

// readsAsString tells whether YAML reads a text without quotes as this string.
func readsAsString(text string) bool {
	if len(text) > maxFound || !isPlain().MatchString(text) {
		return false
	}
	n, err := tree.Parse([]byte(text))
	return err == nil && tree.Type(n) == tree.String
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
	text, ok := pasteable(value)
	if !ok {
		return ""
	}
	return fmt.Sprintf("write %s: [%s]; ", field.Name, text)
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
