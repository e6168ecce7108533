package configschema

import (
	"reflect"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Patterns of the texts that are no plain strings.
const (
	durationPattern = `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`
	noDuration      = `^\+?((0+(\.0*)?|\.0+)(ns|us|µs|μs|ms|s|m|h))+$`
	memoryPattern   = `^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?$`
	noMemory        = `^\+?(0+(\.0*)?|\.0+)([A-Za-z].*)?$`
)

// notations are the schemas of types that are not decoded by what Go type they are.
var notations = map[reflect.Type]Schema{
	reflect.TypeFor[*tree.Node](): {},
	reflect.TypeFor[any]():        {},
	reflect.TypeFor[config.Duration](): {
		Type: []string{text}, Pattern: durationPattern, Not: &Schema{Type: []string{text}, Pattern: noDuration},
	},
	reflect.TypeFor[config.Memory](): {
		Type: []string{text, integer}, Minimum: 1, Pattern: memoryPattern, Not: &Schema{Type: []string{text}, Pattern: noMemory},
	},
	reflect.TypeFor[config.Number]():        {Type: []string{text, integer}, Minimum: 0, Maximum: 1<<31 - 1, Pattern: `^[0-9]+$`},
	reflect.TypeFor[rules.FromAnnotation](): {Type: []string{boolean, text}, Enum: []any{true, false, "ArgoCD"}},
}

// ofType returns the schema of a type as config.Decode takes it.
func ofType(t reflect.Type) *Schema {
	if known, ok := notations[t]; ok {
		return &known
	}
	switch t.Kind() {
	case reflect.Pointer:
		return ofType(t.Elem())
	case reflect.Struct:
		s := &Schema{Type: []string{object}, Properties: map[string]*Schema{}, AdditionalProperties: false}
		for _, field := range config.Fields(t) {
			s.Properties[field.Name] = ofField(field)
			if field.Required {
				s.Required = append(s.Required, field.Name)
			}
		}
		if refine := refinements[t]; refine != nil {
			refine(s)
		}
		return s
	case reflect.Slice:
		return &Schema{Type: []string{array}, Items: ofType(t.Elem())}
	case reflect.Map:
		return &Schema{Type: []string{object}, AdditionalProperties: ofType(t.Elem())}
	case reflect.Bool:
		return &Schema{Type: []string{boolean}}
	}
	return &Schema{Type: []string{text}}
}

func ofField(field config.Member) *Schema {
	s := ofType(field.Type)
	if field.OrOne {
		s.MinItems = 1
		return &Schema{AnyOf: []*Schema{s.Items, s, {Type: []string{text, null}}}, Description: field.Doc}
	}
	s.Description = field.Doc
	if field.OrBool != "" {
		s.Type = append(s.Type, boolean)
	}
	switch {
	case field.Default == "":
	case field.Type.Kind() == reflect.Bool:
		s.Default = field.Default == "true"
	default:
		s.Default = field.Default
	}
	values := s
	if s.Items != nil {
		values = s.Items
	}
	for _, value := range field.Enum {
		values.Enum = append(values.Enum, value)
	}
	if field.Required || len(s.Type) == 0 {
		return s
	}
	s.Type = append(slices.Clip(s.Type), null)
	if len(s.Enum) > 0 {
		s.Enum = append(slices.Clip(s.Enum), nil)
	}
	return s
}
