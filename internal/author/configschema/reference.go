package configschema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/config"
)

// Reference returns the reference page of a kind, which must be one of Kinds, as Markdown: a table
// of the fields of the functionConfig, and one of each structure in it.
func Reference(kind string) string {
	r := reference{}
	r.structure("", configOf(kind))
	var b strings.Builder
	fmt.Fprintf(&b, "# Fields of %s\n\n", kind)
	fmt.Fprintf(&b, "The fields of a functionConfig with `apiVersion: %s` and `kind: %s`.\n", fn.APIVersion, kind)
	fmt.Fprintf(&b, "Its JSON Schema is [schema/%[1]s](../../schema/%[1]s); `krm-fields schema %[2]s` prints it, too.\n\n", FileName(kind), kind)
	b.WriteString("This page is generated from the Go types: `UPDATE_GOLDEN=1 go test ./internal/author/configschema`.\n")
	for _, s := range r.structures {
		if len(s.at) > 0 {
			fmt.Fprintf(&b, "\n## %s\n", strings.Join(s.at, ", "))
		}
		b.WriteString("\n| field | type | default | meaning |\n| --- | --- | --- | --- |\n")
		for _, field := range s.fields {
			byDefault := field.Default
			if byDefault != "" {
				byDefault = "`" + byDefault + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", field.Name, cell(typeOf(field)), byDefault, cell(field.Doc))
		}
	}
	return b.String()
}

// ReferenceName is the name of the file in docs/reference that holds the page of a kind.
func ReferenceName(kind string) string { return strings.ToLower(kind) + ".md" }

// reference collects the structures of a config, each with all places where it is.
type reference struct {
	structures []*structure
}

type structure struct {
	goType reflect.Type
	at     []string // in code quotes
	fields []config.Field
}

// structure adds the struct type t, found at path.
func (r *reference) structure(path string, t reflect.Type) {
	if i := slices.IndexFunc(r.structures, func(s *structure) bool { return s.goType == t }); i >= 0 {
		r.structures[i].at = append(r.structures[i].at, "`"+path+"`")
		return
	}
	s := &structure{goType: t, fields: config.Fields(t)}
	if path != "" {
		s.at = []string{"`" + path + "`"}
	}
	r.structures = append(r.structures, s)
	for _, field := range s.fields {
		at := strings.TrimPrefix(path+"."+field.Name, ".")
		t := field.Type
		if t.Kind() == reflect.Slice {
			at, t = at+"[]", t.Elem()
		}
		if isStructure(t) {
			r.structure(at, t)
		}
	}
}

// isStructure tells whether a type is decoded field by field.
func isStructure(t reflect.Type) bool {
	_, hasNotation := notations[t]
	return t.Kind() == reflect.Struct && !hasNotation
}

// typeOf names the type of a field for a reader.
func typeOf(field config.Field) string {
	text := typeName(field.Type)
	if field.OrOne {
		text = "map, or " + text
	}
	if len(field.Enum) > 0 {
		text = "`" + strings.Join(field.Enum, "`, `") + "`"
	}
	if field.Required {
		text += ", required"
	}
	return text
}

func typeName(t reflect.Type) string {
	if known, ok := notations[t]; ok {
		return known.name
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Struct:
		return "map, see below"
	case reflect.Slice:
		if isStructure(t.Elem()) {
			return "list of maps, see below"
		}
		return "list of " + typeName(t.Elem()) + "s"
	case reflect.Map:
		if t.Elem().Kind() == reflect.String {
			return "map of strings"
		}
		return "map"
	case reflect.Bool:
		return "boolean"
	}
	return "string"
}

// cell escapes text for a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
