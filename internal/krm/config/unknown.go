package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/words"
)

// unknownField reports the key that the struct type t, decoded at path, does not have, with the
// field that may have been meant: one of t with a similar name, else one of the same name elsewhere
// in the config.
func (d *decoder) unknownField(path, key string, t reflect.Type) {
	known := d.namesOf(t)
	d.fault(child(path, key), "unknown field %s; %sknown fields: %s", Quote(key), d.fieldHint(path, key, t, known.names), known.list)
}

// fieldHint suggests a field for an unknown key: the counterpart of another tool's field, else the
// most similar one.
func (d *decoder) fieldHint(path, key string, t reflect.Type, names []string) string {
	other := foreignFields[key]
	if slices.Contains(names, "target") && slices.Contains(names, "operations") && slices.Contains(objectFields, key) {
		return strategicMerge + "; "
	}
	hint := d.nameHint(path, key, split(other.names), t, names)
	if hint == "" && other.note == "" {
		hint = d.nearHint(path, key, t, names)
	}
	if other.note != "" {
		hint += other.note + "; "
	}
	return hint
}

// nameHint suggests for a key the first of the wanted fields that the map has, else the first that
// is elsewhere in the config.
func (d *decoder) nameHint(path, key string, wanted []string, t reflect.Type, names []string) string {
	for _, name := range wanted {
		if slices.Contains(names, name) {
			return fmt.Sprintf("did you mean %q? ", name)
		}
	}
	for _, name := range wanted {
		if hint := d.placeHint(path, key, name, t); hint != "" && !isOwn(path, name) {
			return hint
		}
	}
	return ""
}

// isOwn tells whether a path leads into the field of a name at the top level.
func isOwn(path, name string) bool { return strings.HasPrefix(path, name+"[") || path == name }

func (d *decoder) nearHint(path, key string, t reflect.Type, names []string) string {
	if near, ok := words.Nearest(key, names); ok {
		return fmt.Sprintf("did you mean %q? ", near)
	}
	return d.placeHint(path, key, key, t)
}

// placeHint suggests for a key the field of a name within the struct type t at path, and how to
// write it there, else the field of that name elsewhere in the config; "" if there is none.
func (d *decoder) placeHint(path, key, name string, t reflect.Type) string {
	if place := d.namesOf(t).places[name]; place != "" {
		return fmt.Sprintf("did you mean the field %s? write %s; ", join(path, place), nested(place))
	}
	place := d.namesOf(d.root).places[name]
	switch {
	case place == "":
		return ""
	case place == key && d.rootPath == "":
		return "it belongs at the top level; "
	case place == name && d.rootPath == "":
		return fmt.Sprintf("did you mean the field %s at the top level? ", place)
	}
	return fmt.Sprintf("did you mean the field %s? ", join(d.rootPath, place))
}

// nested writes the fields of a path inside one another: selectors: [{kind: …}] for
// selectors[].kind.
func nested(path string) string {
	text := "…"
	for i, field := range slices.Backward(strings.Split(path, ".")) {
		name, isList := strings.CutSuffix(field, "[]")
		text = name + ": " + text
		if isList {
			text = name + ": [" + strings.TrimPrefix(text, name+": ") + "]"
		}
		if i > 0 {
			text = "{" + text + "}"
		}
	}
	return text
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
