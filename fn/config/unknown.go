package config

import (
	"fmt"
	"reflect"
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
	hint := ""
	if near, ok := words.Nearest(key, names); ok {
		hint = fmt.Sprintf("did you mean %q? ", near)
	} else if place := d.placeOf(path, key, t); place != "" {
		hint = fmt.Sprintf("did you mean the field %s? ", place)
	}
	d.fault(child(path, key), "unknown field %s; %sknown fields: %s", Quote(key), hint, strings.Join(names, ", "))
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
