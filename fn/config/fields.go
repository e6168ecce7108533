package config

import (
	"reflect"
	"strings"
)

// Field is one field of a config struct, as its tags describe it.
type Field struct {
	Name     string
	Doc      string
	Enum     []string
	Default  string
	Required bool
	Type     reflect.Type

	index []int
}

// Fields returns the fields of the struct type t that have a name, in the order
// of declaration; those of embedded structs stand where the struct is embedded.
func Fields(t reflect.Type) []Field {
	var fields []Field
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			for _, inner := range Fields(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				fields = append(fields, inner)
			}
			continue
		}
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		fields = append(fields, Field{
			Name: name, Doc: f.Tag.Get("doc"), Enum: split(f.Tag.Get("enum")), Default: f.Tag.Get("default"),
			Required: f.Tag.Get("required") == "true", Type: f.Type, index: f.Index,
		})
	}
	return fields
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func findField(fields []Field, name string) (Field, bool) {
	for _, field := range fields {
		if field.Name == name {
			return field, true
		}
	}
	return Field{}, false
}
