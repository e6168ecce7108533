package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/words"
)

// unknownField reports the key that the struct type t, decoded at path, does
// not have, with the field that may have been meant: one of t with a similar
// name, else one of the same name elsewhere in the config.
func (d *decoder) unknownField(path, key string, t reflect.Type) {
	fields := Fields(t)
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = field.Name
	}
	d.fault(child(path, key), "unknown field %s; %sknown fields: %s", Quote(key), d.fieldHint(path, key, t, names),
		strings.Join(names, ", "))
}

// fieldHint names the field that may be meant by a key that is none of the names:
// what another tool's field is here, else the nearest one.
func (d *decoder) fieldHint(path, key string, t reflect.Type, names []string) string {
	other := foreignFields[key]
	hint := d.nameHint(path, other.names, t, names)
	if hint == "" {
		hint = d.nearHint(path, key, t, names)
	}
	if other.note != "" {
		hint += other.note + "; "
	}
	return hint
}

// nameHint offers the first of the wanted fields that the map has, else the first
// that is elsewhere in the config.
func (d *decoder) nameHint(path string, wanted []string, t reflect.Type, names []string) string {
	for _, name := range wanted {
		if slices.Contains(names, name) {
			return fmt.Sprintf("did you mean %q? ", name)
		}
	}
	for _, name := range wanted {
		if place := d.placeOf(path, name, t); place != "" {
			return fmt.Sprintf("did you mean the field %s? ", place)
		}
	}
	return ""
}

func (d *decoder) nearHint(path, key string, t reflect.Type, names []string) string {
	if near, ok := words.Nearest(key, names); ok {
		return fmt.Sprintf("did you mean %q? ", near)
	}
	if place := d.placeOf(path, key, t); place != "" {
		return fmt.Sprintf("did you mean the field %s? ", place)
	}
	return ""
}

// placeOf returns the path of the field key within the struct type t at path,
// else within the whole config, or "".
func (d *decoder) placeOf(path, key string, t reflect.Type) string {
	if place := findPlace(path, key, t, map[reflect.Type]bool{}); place != "" {
		return place
	}
	return findPlace(d.rootPath, key, d.root, map[reflect.Type]bool{})
}

func findPlace(path, key string, t reflect.Type, seen map[reflect.Type]bool) string {
	if seen[t] {
		return ""
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer:
		return findPlace(path, key, t.Elem(), seen)
	case reflect.Slice:
		return findPlace(path+"[]", key, t.Elem(), seen)
	case reflect.Struct:
		fields := Fields(t)
		if _, ok := findField(fields, key); ok {
			return child(path, key)
		}
		for _, field := range fields {
			if place := findPlace(child(path, field.Name), key, field.Type, seen); place != "" {
				return place
			}
		}
	}
	return ""
}
