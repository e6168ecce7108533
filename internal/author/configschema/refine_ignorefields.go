package configschema

import "github.com/krm-fields/krm-fields/internal/expr"

// refineIgnoreFields: there must be a rule, unless ManifestWorks bring theirs.
func refineIgnoreFields(s *Schema) {
	s.If = with("manifestWorks", &Schema{Enum: []any{"Validate", "Report"}})
	s.Else = filled("ignoreFields")
}

// refineRule: a rule has expressions, or takes the fields from the annotation, from the owners or
// from managers.
func refineRule(s *Schema) {
	s.If = &Schema{AnyOf: []*Schema{
		with("fromAnnotation", &Schema{Enum: []any{true, "ArgoCD"}}), with("fromOwners", &Schema{Const: true}), filled("managedFieldsManagers"),
	}}
	s.Then, s.Else = &Schema{Properties: map[string]*Schema{}}, &Schema{}
	for _, d := range expr.Dialects {
		s.Properties[d.Field].Items.Pattern = d.Pattern
		s.Then.Properties[d.Field] = &Schema{AnyOf: []*Schema{typed(null), {Type: []string{array}, Items: never()}}}
		s.Else.AnyOf = append(s.Else.AnyOf, filled(d.Field))
	}
	for _, name := range []string{"fromAnnotation", "fromOwners"} { // not both
		s.Then.AnyOf = append(s.Then.AnyOf, &Schema{Properties: map[string]*Schema{name: {Enum: []any{false, nil}}}})
	}
}
