package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// unknown is a key of a map that the struct type t, into which the map at path is decoded, does not
// have.
type unknown struct {
	path, key string
	in        *tree.Node // the map
	t         reflect.Type
	names     names // of t
}

// unknownField reports an unknown key, with the field that may have been meant: one of its map with
// a similar name, else one of the same name elsewhere in the config.
func (d *decoder) unknownField(u *unknown) {
	d.fault(Child(u.path, u.key), "unknown field %s; %sknown fields: %s", Quote(u.key), d.fieldHint(u), u.names.list)
}

// fieldHint suggests a field for an unknown key: the counterpart of another tool's field, the first
// that the map has before the first that is elsewhere in the config, else the most similar one.
func (d *decoder) fieldHint(u *unknown) string {
	if slices.Contains(u.names.names, "target") && slices.Contains(u.names.names, "operations") && slices.Contains(objectFields, u.key) {
		return strategicMerge + "; "
	}
	other := foreignFields[u.key]
	wanted := split(other.names)
	hint := ""
	if i := slices.IndexFunc(wanted, func(name string) bool { return slices.Contains(u.names.names, name) }); i >= 0 {
		field, _ := findField(d.fieldsOf(u.t), wanted[i])
		hint = fmt.Sprintf("did you mean %q? %s", wanted[i], d.writtenHint(u, field))
	}
	for _, name := range wanted {
		isOwn := strings.HasPrefix(u.path, name+"[") || u.path == name // the path leads into that field
		if hint == "" && !isOwn {
			hint = d.placeHint(u, name)
		}
	}
	if near, ok := words.Nearest(u.key, u.names.names); hint == "" && other.note == "" && ok {
		hint = fmt.Sprintf("did you mean %q? ", near)
	} else if hint == "" && other.note == "" {
		hint = d.placeHint(u, u.key)
	}
	if other.note != "" {
		hint += other.note + "; "
	}
	return hint
}

// placeHint suggests the field of a name within the map, and how to write it there, else the field
// of that name elsewhere in the config; "" if there is none.
func (d *decoder) placeHint(u *unknown, name string) string {
	if place := u.names.places[name]; place != "" {
		return fmt.Sprintf("did you mean the field %s? write %s; ", join(u.path, place), u.nested(place, name))
	}
	place := d.namesOf(d.root).places[name]
	switch {
	case place == "":
		return ""
	case place == u.key && d.rootPath == "":
		return "it belongs at the top level; "
	case place == name && d.rootPath == "":
		return fmt.Sprintf("did you mean the field %s at the top level? ", place)
	}
	return fmt.Sprintf("did you mean the field %s? ", join(d.rootPath, place))
}

// names are what messages say of a struct type.
type names struct {
	names []string
	list  string // the names in a row
	// places are the paths of all fields in the type, at any depth, by their last key. Of several
	// paths, the outermost counts.
	places map[string]string
}

// namesOf returns the names of a type, which are found out once.
func (d *Decoder) namesOf(t reflect.Type) names {
	if known, ok := d.known[t]; ok {
		return known
	}
	n := names{places: map[string]string{}}
	if t.Kind() == reflect.Struct {
		for _, field := range Fields(t) {
			n.names = append(n.names, field.Name)
		}
	}
	n.list = strings.Join(n.names, ", ")
	n.find("", t, map[reflect.Type]bool{})
	if d.known == nil {
		d.known = map[reflect.Type]names{}
	}
	d.known[t] = n
	return n
}

// find finds the places of the fields in the type t, which is at path.
func (n names) find(path string, t reflect.Type, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer:
		n.find(path, t.Elem(), seen)
	case reflect.Slice:
		n.find(path+"[]", t.Elem(), seen)
	case reflect.Struct:
		fields := Fields(t)
		for _, field := range fields {
			if n.places[field.Name] == "" {
				n.places[field.Name] = Child(path, field.Name)
			}
		}
		for _, field := range fields {
			n.find(Child(path, field.Name), field.Type, seen)
		}
	}
}

// join returns the path of a place within what is at path.
func join(path, place string) string {
	if path == "" || strings.HasPrefix(place, "[") {
		return path + place
	}
	return path + "." + place
}

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
		if u.names.places[key] != Child(parent, key) {
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
	flow := n.Bare()
	flow.Style = tree.FlowStyle
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
