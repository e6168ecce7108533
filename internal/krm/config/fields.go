package config

import (
	"iter"
	"reflect"
	"strings"

	"github.com/krm-fields/krm-fields/internal/lists"
)

// Member is one field of a config struct, as its tags describe it.
type Member struct {
	Name     string
	Doc      string
	Enum     []string
	Default  string
	Required bool
	// OrOne is true for a list of maps that may be written as its one element.
	OrOne bool
	// OrBool is the field for which a boolean may stand in place of the map; "" for none.
	OrBool string
	Type   reflect.Type

	index []int
	// key is that of a FieldMap, in which the field is an entry.
	key string
}

// FieldMap is a map of fields whose names come from a table. Embedded in a config struct, its
// entries are fields of the struct.
type FieldMap interface {
	// ConfigFields yields the name of each field and what it means.
	ConfigFields() iter.Seq2[string, string]
	// FieldFor returns the name of the list of strings that a text belongs into, by a misspelt name
	// ("" for none) and by what the text looks like; "" if that is not known.
	FieldFor(misspelt, text string) string
}

// in calls do with the field of the struct v, and stores what do sets.
func (f Member) in(v reflect.Value, do func(v reflect.Value)) {
	target := v.FieldByIndex(f.index)
	if f.key == "" {
		do(target)
		return
	}
	entry := reflect.New(f.Type).Elem()
	do(entry)
	if entry.IsZero() {
		return
	}
	if target.IsNil() {
		target.Set(reflect.MakeMap(target.Type()))
	}
	target.SetMapIndex(reflect.ValueOf(f.key), entry)
}

// Names is a string whose values are the names in a table. A field of such a type has no enum tag:
// the table alone says what the values are and mean.
type Names interface {
	// Enum returns the names in the order of the table.
	Enum() []string
	// Doc says what each of them means. It goes behind the doc tag of a field.
	Doc() string
}

// Instead is a Names that knows what to write for some names that are not in its table.
type Instead interface {
	// Instead says that, without a full stop; "" where it is not known.
	Instead(name string) string
}

// Fields returns the fields of the struct type t that have a name, in the order of declaration;
// those of embedded structs come where the struct is embedded.
func Fields(t reflect.Type) []Member {
	var fields []Member
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
		if table, ok := reflect.Zero(f.Type).Interface().(FieldMap); ok && f.Anonymous && f.Type.Kind() == reflect.Map {
			for key, doc := range table.ConfigFields() {
				fields = append(fields, Member{Name: key, Doc: doc, Type: f.Type.Elem(), index: f.Index, key: key})
			}
			continue
		}
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		field := Member{
			Name: name, Doc: f.Tag.Get("doc"), Default: f.Tag.Get("default"),
			Required: f.Tag.Get("required") == "true", OrOne: f.Tag.Get("orOne") == "true",
			OrBool: f.Tag.Get("orBool"), Type: f.Type, index: f.Index,
		}
		if enum, ok := f.Tag.Lookup("enum"); ok {
			field.Enum = strings.Split(enum, ",")
		}
		if names, ok := namesOf(f.Type); ok {
			field.Enum, field.Doc = names.Enum(), strings.TrimSpace(field.Doc+" "+names.Doc())
		}
		fields = append(fields, field)
	}
	return fields
}

// namesOf returns the table of a field that holds one of its names, or a list of them.
func namesOf(t reflect.Type) (Names, bool) {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.String {
		return nil, false
	}
	names, ok := reflect.Zero(t).Interface().(Names)
	return names, ok
}

func findField(fields []Member, name string) (Member, bool) {
	return lists.Find(fields, func(f Member) bool { return f.Name == name })
}
