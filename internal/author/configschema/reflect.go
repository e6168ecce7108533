package configschema

import (
	"reflect"

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

// ofType returns the schema of a type as config.Decode takes it.
func ofType(t reflect.Type) *Schema {
	switch t {
	case reflect.TypeFor[*tree.Node](), reflect.TypeFor[any]():
		return &Schema{}
	case reflect.TypeFor[config.Duration]():
		return &Schema{
			Type: []string{text}, Pattern: durationPattern, Not: &Schema{Type: []string{text}, Pattern: noDuration},
		}
	case reflect.TypeFor[config.Memory]():
		return &Schema{
			Type: []string{text, integer}, Minimum: 1, Pattern: memoryPattern,
			Not: &Schema{Type: []string{text}, Pattern: noMemory},
		}
	}
	if t == reflect.TypeFor[config.Number]() {
		return &Schema{Type: []string{text, integer}, Minimum: 0, Pattern: `^[0-9]+$`}
	}
	if t == reflect.TypeFor[rules.FromAnnotation]() {
		return &Schema{Type: []string{boolean, text}, Enum: []any{true, false, "ArgoCD"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return ofType(t.Elem())
	case reflect.Struct:
		return ofStruct(t)
	case reflect.Slice:
		return &Schema{Type: []string{array}, Items: ofType(t.Elem())}
	case reflect.Map:
		return &Schema{Type: []string{object}, AdditionalProperties: ofType(t.Elem())}
	case reflect.Bool:
		return &Schema{Type: []string{boolean}}
	}
	return &Schema{Type: []string{text}}
}

func ofStruct(t reflect.Type) *Schema {
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
}

func ofField(field config.Field) *Schema {
	s := ofType(field.Type)
	if field.OrOne {
		s = &Schema{AnyOf: []*Schema{s.Items, s, {Type: []string{null}}}, Description: field.Doc}
		return s
	}
	s.Description = field.Doc
	s.Default = defaultOf(field)
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
	s.Type = append(s.Type, null)
	if len(s.Enum) > 0 {
		s.Enum = append(s.Enum, nil)
	}
	return s
}

// defaultOf returns the default as JSON has it; nil for none.
func defaultOf(field config.Field) any {
	switch {
	case field.Default == "":
		return nil
	case field.Type.Kind() == reflect.Bool:
		return field.Default == "true"
	}
	return field.Default
}
