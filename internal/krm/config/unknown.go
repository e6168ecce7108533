package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

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
	d.fault(child(u.path, u.key), "unknown field %s; %sknown fields: %s", Quote(u.key), d.fieldHint(u), u.names.list)
}

// fieldHint suggests a field for an unknown key: the counterpart of another tool's field, else the
// most similar one.
func (d *decoder) fieldHint(u *unknown) string {
	other := foreignFields[u.key]
	if slices.Contains(u.names.names, "target") && slices.Contains(u.names.names, "operations") && slices.Contains(objectFields, u.key) {
		return strategicMerge + "; "
	}
	hint := d.nameHint(u, split(other.names))
	if hint == "" && other.note == "" {
		hint = d.nearHint(u)
	}
	if other.note != "" {
		hint += other.note + "; "
	}
	return hint
}

// nameHint suggests the first of the wanted fields that the map has, else the first that is
// elsewhere in the config.
func (d *decoder) nameHint(u *unknown, wanted []string) string {
	for _, name := range wanted {
		if field, known := findField(d.fieldsOf(u.t), name); known {
			return fmt.Sprintf("did you mean %q? %s", name, d.writtenHint(u, field))
		}
	}
	for _, name := range wanted {
		if hint := d.placeHint(u, name); hint != "" && !isOwn(u.path, name) {
			return hint
		}
	}
	return ""
}

// isOwn tells whether a path leads into the field of a name at the top level.
func isOwn(path, name string) bool { return strings.HasPrefix(path, name+"[") || path == name }

func (d *decoder) nearHint(u *unknown) string {
	if near, ok := words.Nearest(u.key, u.names.names); ok {
		return fmt.Sprintf("did you mean %q? ", near)
	}
	return d.placeHint(u, u.key)
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
				n.places[field.Name] = child(path, field.Name)
			}
		}
		for _, field := range fields {
			n.find(child(path, field.Name), field.Type, seen)
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
