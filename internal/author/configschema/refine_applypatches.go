//go:build !nopatches

package configschema

import (
	"maps"
	"reflect"

	"github.com/krm-fields/krm-fields/fn/applypatches"
)

func init() {
	maps.Copy(refinements, map[reflect.Type]func(s *Schema){
		reflect.TypeFor[applypatches.Target]():    refineTarget,
		reflect.TypeFor[applypatches.Config]():    refineApplyPatches,
		reflect.TypeFor[applypatches.Patch]():     refinePatch,
		reflect.TypeFor[applypatches.Removal]():   refineLoop,
		reflect.TypeFor[applypatches.Operation](): refinePatchOperation,
	})
}

const (
	pathPattern = `^/`
	// expressionPattern finds the beginning of a CEL expression in a string.
	expressionPattern = `\$\{`
)

// refineTarget: only where has an expression.
func refineTarget(s *Schema) {
	refineSelector(s)
	for _, field := range s.Properties {
		if values, ok := field.AdditionalProperties.(*Schema); ok {
			field = values
		}
		field.Not = &Schema{Type: []string{text}, Pattern: expressionPattern}
	}
	s.Properties["where"].Pattern, s.Properties["where"].Not = notBlankPattern, nil
}

// refineApplyPatches: there is something to do.
func refineApplyPatches(s *Schema) {
	s.AnyOf = []*Schema{filled("patches"), filled("removes")}
}

// refinePatch: a patch has operations, or is one.
func refinePatch(s *Schema) {
	refineLoop(s)
	operation := &Schema{Required: []string{"op", "path"}, AllOf: ofOperation(s)}
	operation.Properties = without("operations").Properties
	list := filled("operations")
	for _, name := range []string{"op", "path", "within", "value", "key"} {
		list.Properties[name] = never()
	}
	s.AnyOf = []*Schema{list, operation}
}

// refineLoop: var names the elements of forEach.
func refineLoop(s *Schema) {
	s.Properties["var"].Pattern, s.Properties["forEach"].Pattern = `^[A-Za-z_][A-Za-z0-9_]*$`, expressionPattern
	s.If = with("var", typed(text))
	s.Then = with("forEach", typed(text))
}

// refinePatchOperation: which fields an op takes.
func refinePatchOperation(s *Schema) { s.AllOf = ofOperation(s) }

// ofOperation refines the fields of an operation, and returns what holds between them.
func ofOperation(s *Schema) []*Schema {
	s.Properties["path"].Pattern = pathPattern
	aPath := &Schema{Type: []string{text}, Pattern: pathPattern}
	s.Properties["within"].AnyOf = []*Schema{aPath, {Type: []string{array}, MinItems: 1, Items: aPath}, typed(null)}
	key := &Schema{AnyOf: []*Schema{typed(text), {Type: []string{array}, MinItems: 1, Items: typed(text)}}}
	aMap := &Schema{AnyOf: []*Schema{typed(object), {Type: []string{text}, Pattern: expressionPattern}}}
	return []*Schema{
		{If: opThat(func(o applypatches.Op) bool { return o.Value == applypatches.NoValue }),
			Else: &Schema{Required: []string{"value"}}},
		{If: opThat(func(o applypatches.Op) bool { return o.NeedsKey }), Then: with("key", key),
			Else: &Schema{Properties: map[string]*Schema{"key": never(), "replace": {Enum: []any{false}}}}},
		{If: opThat(func(o applypatches.Op) bool { return o.Value == applypatches.MapValue }),
			Then: &Schema{Properties: map[string]*Schema{"value": aMap}}},
	}
}

// opThat is the condition that the op is one of those that are chosen from the table.
func opThat(isChosen func(applypatches.Op) bool) *Schema {
	var names []any
	for _, o := range applypatches.Ops() {
		if isChosen(o) {
			names = append(names, o.Name)
		}
	}
	return oneOf("op", names...)
}
