package configschema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
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
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", field.Name, cell(typeOf(field)), defaultText(field), cell(field.Doc))
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
	return t.Kind() == reflect.Struct && !slices.Contains([]reflect.Type{
		reflect.TypeFor[config.Duration](), reflect.TypeFor[config.Memory](),
		reflect.TypeFor[config.Number](), reflect.TypeFor[rules.FromAnnotation](),
	}, t)
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
	switch t {
	case reflect.TypeFor[*tree.Node](), reflect.TypeFor[any]():
		return "any data"
	case reflect.TypeFor[config.Duration]():
		return "duration: `500ms`, `1m30s`"
	case reflect.TypeFor[config.Memory]():
		return "bytes: `256Mi`, `1Gi`"
	case reflect.TypeFor[config.Number]():
		return "number: `20`"
	case reflect.TypeFor[rules.FromAnnotation]():
		return "`true`, `false`, `ArgoCD`"
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

func defaultText(field config.Field) string {
	if field.Default == "" {
		return ""
	}
	return "`" + field.Default + "`"
}

// cell escapes text for a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
