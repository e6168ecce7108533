package configschema

import (
	"maps"
	"reflect"
	"slices"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
)

// refinements add to the schema of a struct what its fields alone don't tell.
var refinements = map[reflect.Type]func(s *Schema){
	reflect.TypeFor[selector.Selector]():         refineSelector,
	reflect.TypeFor[ignorefields.Config]():       refineIgnoreFields,
	reflect.TypeFor[ignorefields.ObjectHash]():   func(s *Schema) { s.Properties["annotation"].Pattern = namePattern },
	reflect.TypeFor[rules.Config]():              refineRule,
	reflect.TypeFor[rules.Within]():              refineLists,
	reflect.TypeFor[applyoperations.Config]():    refineApplyOperations,
	reflect.TypeFor[applyoperations.Operation](): refineOperation,
}

// The types of JSON.
const (
	object  = "object"
	array   = "array"
	text    = "string"
	boolean = "boolean"
	integer = "integer"
	// null is the type of a field that is written and left empty, which counts as left out.
	null = "null"
)

const (
	noSlash         = `^[^/]*$`
	notBlankPattern = `\S`
	namePattern     = `^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
)

// refineSelector: a selector without a field would choose every object.
func refineSelector(s *Schema) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		given := &Schema{Type: []string{text}}
		if s.Properties[name].AdditionalProperties != nil {
			given = &Schema{Type: []string{object}, MinProperties: 1}
		}
		s.AnyOf = append(s.AnyOf, with(name, given))
	}
	for _, name := range []string{"group", "version", "kind"} {
		s.Properties[name].Pattern = noSlash
	}
	s.Properties["labelSelector"].Pattern = notBlankPattern
	s.Properties["annotationSelector"].Pattern = notBlankPattern
}

// refineIgnoreFields: there must be a rule, unless ManifestWorks bring theirs.
func refineIgnoreFields(s *Schema) {
	s.If = with("manifestWorks", &Schema{Enum: []any{"Validate", "Report"}})
	s.Else = filled("ignoreFields")
}

// refineLists: there are expressions.
func refineLists(s *Schema) {
	for _, d := range expr.Dialects {
		s.Properties[d.Field].Items.Pattern = d.Pattern
		s.AnyOf = append(s.AnyOf, filled(d.Field))
	}
}

// refineRule: a rule has expressions, or takes the fields from the annotation, from the owners or
// from managers.
func refineRule(s *Schema) {
	s.If = &Schema{AnyOf: []*Schema{
		with("fromAnnotation", &Schema{Enum: []any{true, "ArgoCD"}}), with("fromOwners", &Schema{Const: true}), filled("managedFieldsManagers"),
	}}
	refineLists(s)
	s.Then, s.Else, s.AnyOf = &Schema{Properties: map[string]*Schema{}}, &Schema{AnyOf: s.AnyOf}, nil
	for _, d := range expr.Dialects {
		s.Then.Properties[d.Field] = &Schema{AnyOf: []*Schema{typed(null), {Type: []string{array}, Items: never()}}}
	}
	for _, name := range []string{"fromAnnotation", "fromOwners"} { // not both
		s.Then.AnyOf = append(s.Then.AnyOf, oneOf(name, false, nil))
	}
}

// typed is the schema of data of one of the types.
func typed(types ...string) *Schema { return &Schema{Type: types} }

// never is the schema that nothing fits.
func never() *Schema { return &Schema{Not: &Schema{}} }

// with is the condition that a field is there and is as the schema says.
func with(name string, is *Schema) *Schema {
	return &Schema{Required: []string{name}, Properties: map[string]*Schema{name: is}}
}

// oneOf is the condition that a field, if it is there, has one of the values.
func oneOf(name string, values ...any) *Schema {
	return &Schema{Properties: map[string]*Schema{name: {Enum: values}}}
}

// filled is the condition that a list is there and has an element.
func filled(name string) *Schema {
	return with(name, &Schema{Type: []string{array}, MinItems: 1})
}

// without is the condition that fields are left out or empty.
func without(names ...string) *Schema {
	s := &Schema{Properties: map[string]*Schema{}}
	for _, name := range names {
		s.Properties[name] = typed(null)
	}
	return s
}
