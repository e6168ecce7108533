package docs

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/configschema"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestReference writes the reference pages, and holds each field to have a meaning.
func TestReference(t *testing.T) {
	for _, kind := range fn.Kinds() {
		page := reference(kind.Name, kind.Config)
		golden.ExpectFile(t, "../../docs/reference/"+strings.ToLower(kind.Name)+".md", page)
		for line := range strings.Lines(page) {
			if strings.HasSuffix(line, "|  |\n") {
				t.Errorf("%s: the doc tag must not be empty: %s", kind.Name, line)
			}
		}
	}
}

// reference returns the reference page of a kind as Markdown: a table of the fields of the
// functionConfig, and one of each structure in it, with all places where it is.
func reference(kind string, root reflect.Type) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Fields of %s\n\n", kind)
	fmt.Fprintf(&b, "The fields of a functionConfig with `apiVersion: %s` and `kind: %s`.\n", fn.APIVersion, kind)
	fmt.Fprintf(&b, "Its JSON Schema is [schema/%[1]s](../../schema/%[1]s); `krm-fields schema %[2]s` prints it, too.\n\n", configschema.FileName(kind), kind)
	b.WriteString("This page is generated from the Go types: `UPDATE_GOLDEN=1 go test ./e2e/docs`.\n")
	var types []reflect.Type
	places := map[reflect.Type][]string{}
	var find func(path string, t reflect.Type)
	find = func(path string, t reflect.Type) {
		if places[t] = append(places[t], "`"+path+"`"); len(places[t]) > 1 {
			return
		}
		types = append(types, t)
		for _, field := range config.Fields(t) {
			at, t := strings.TrimPrefix(path+"."+field.Name, "."), field.Type
			if t.Kind() == reflect.Slice {
				at, t = at+"[]", t.Elem()
			}
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			if t != reflect.TypeFor[tree.Node]() && strings.HasPrefix(typeName(t), "map, see") {
				find(at, t)
			}
		}
	}
	find("", root)
	for i, t := range types {
		if i > 0 {
			fmt.Fprintf(&b, "\n## %s\n", strings.Join(places[t], ", "))
		}
		b.WriteString("\n| field | type | default | meaning |\n| --- | --- | --- | --- |\n")
		for _, f := range config.Fields(t) {
			byDefault := f.Default
			if byDefault != "" {
				byDefault = "`" + byDefault + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, escape.Replace(typeOf(f)), byDefault, escape.Replace(f.Doc))
		}
	}
	return b.String()
}

var escape = strings.NewReplacer("|", `\|`)

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

// typeNames are of types that are not decoded by what Go type they are.
var typeNames = map[reflect.Type]string{
	reflect.TypeFor[*tree.Node](): "any data", reflect.TypeFor[any](): "any data", reflect.TypeFor[config.Duration](): "duration: `500ms`, `1m30s`",
	reflect.TypeFor[config.Memory](): "bytes: `256Mi`, `1Gi`", reflect.TypeFor[config.Number](): "number: `20`",
	reflect.TypeFor[rules.FromAnnotation](): "`true`, `false`, `ArgoCD`",
}

func typeName(t reflect.Type) string {
	switch {
	case typeNames[t] != "":
		return typeNames[t]
	case t.Kind() == reflect.Pointer:
		return typeName(t.Elem())
	case t.Kind() == reflect.Struct:
		return "map, see below"
	case t.Kind() == reflect.Slice && typeName(t.Elem()) == "map, see below":
		return "list of maps, see below"
	case t.Kind() == reflect.Slice:
		return "list of " + typeName(t.Elem()) + "s"
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.String:
		return "map of strings"
	case t.Kind() == reflect.Map:
		return "map"
	case t.Kind() == reflect.Bool:
		return "boolean"
	}
	return "string"
}
