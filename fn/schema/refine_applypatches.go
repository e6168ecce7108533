package schema

const (
	pathPattern = `^/`
	// expressionPattern finds the beginning of a CEL expression in a string.
	expressionPattern = `\$\{`
)

// refineApplyPatches: there is something to do.
func refineApplyPatches(s *Schema) {
	s.AnyOf = []*Schema{filled("patches"), filled("removes")}
}

// refinePatch: a patch does something.
func refinePatch(s *Schema) {
	refineLoop(s)
	s.AnyOf = []*Schema{filled("operations")}
}

// refineLoop: var names the elements of forEach.
func refineLoop(s *Schema) {
	s.If = with("var", typed(text))
	s.Then = with("forEach", typed(text))
}

// refinePatchOperation: which fields an op takes.
func refinePatchOperation(s *Schema) {
	s.Properties["path"].Pattern = pathPattern
	key := &Schema{AnyOf: []*Schema{typed(text), {Type: []string{array}, MinItems: 1, Items: typed(text)}}}
	aMap := &Schema{AnyOf: []*Schema{typed(object), {Type: []string{text}, Pattern: expressionPattern}}}
	s.AllOf = []*Schema{
		{If: op("remove"), Else: &Schema{Required: []string{"value"}}},
		{If: op("ensure"), Then: with("key", key), Else: &Schema{Properties: map[string]*Schema{"key": never()}}},
		{If: op("ensure", "mergeShallow"), Then: &Schema{Properties: map[string]*Schema{"value": aMap}}},
	}
}

func op(names ...any) *Schema {
	return &Schema{Properties: map[string]*Schema{"op": {Enum: names}}}
}
