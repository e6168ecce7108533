package schema

const pointerPattern = `^(/([^~/]|~[01])*)+$`

// refineIgnoreFields: there must be a rule, unless ManifestWorks bring theirs.
func refineIgnoreFields(s *Schema) {
	s.If = with("manifestWorks", &Schema{Enum: []any{"Validate", "Report"}})
	s.Else = filled("ignoreFields")
}

// refineRule: a rule has expressions, or takes the fields from the annotation.
func refineRule(s *Schema) {
	s.Properties["jsonPointers"].Items.Pattern = pointerPattern
	lists := []string{"jsonPaths", "jsonPointers", "jqPathExpressions"}
	s.If = with("fromAnnotation", &Schema{Const: true})
	s.Then, s.Else = &Schema{Properties: map[string]*Schema{}}, &Schema{}
	for _, name := range lists {
		s.Then.Properties[name] = &Schema{AnyOf: []*Schema{typed(null), {Type: []string{array}, Items: never()}}}
		s.Else.AnyOf = append(s.Else.AnyOf, filled(name))
	}
}
