package configschema

import (
	"slices"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
)

// anyPointerPattern is that of a JSON Pointer, the empty one included.
const anyPointerPattern = `^(/([^~/]|~[01])*)*$`

// payloads are the forms of the fields that carry what an operation needs beyond the object's name.
var payloads = []struct {
	field string
	forms []*Schema
}{
	{"object", []*Schema{anObject(), textWith(":")}},
	{"jqFilter", []*Schema{textWith(notBlankPattern)}},
	{"mergePatch", []*Schema{typed(object), textWith("[:{?]")}},
	{"jsonPatch", []*Schema{jsonPatch(), textWith(`\[|-`)}},
}

// refineApplyOperations: there is something to do.
func refineApplyOperations(s *Schema) {
	s.AnyOf = []*Schema{filled("operations"), with("operationsJSON", typed(text))}
}

// refineOperation: an operation says what to do, by either of two names, and has the fields for it.
// Only a patch has a subresource, which is the status, and a deletion may name one; a new object
// has no resourceVersion.
func refineOperation(s *Schema) {
	s.AnyOf = []*Schema{with("operation", typed(text)), with("operationType", typed(text))}
	type spec = applyoperations.Spec
	noStatus := oneOf("subresource", "", nil)
	noStatus.Properties["statusPatch"] = &Schema{Enum: []any{false, nil}}
	isNamed := &Schema{AllOf: []*Schema{with("kind", textWith(".")), with("name", textWith("."))}}
	s.AllOf = []*Schema{
		operation(noStatus, func(o spec) bool { return !o.IsPatch && o.Cascade == "" }),
		operation(oneOf("subresource", "", "status", "/status", nil), func(o spec) bool { return o.IsPatch }),
		operation(isNamed, func(o spec) bool { return !o.NamesItself() }),
		operation(oneOf("resourceVersion", "", nil), func(o spec) bool { return o.Lock == applyoperations.NoLock }),
		operation(with("resourceVersion", textWith(".")), func(o spec) bool { return o.Lock == applyoperations.RequiredLock }),
		operation(without(append(otherPayloads(""), "spec")...), func(o spec) bool { return o.Payload == "" }),
	}
	for _, p := range payloads {
		s.AllOf = append(s.AllOf, operation(withPayload(p.field, p.forms...), func(o spec) bool { return o.Payload == p.field }))
	}
}

// operation is the condition that an operation that is chosen from the table is as the schema says.
func operation(is *Schema, isChosen func(applyoperations.Spec) bool) *Schema {
	var names []any
	for _, o := range applyoperations.Specs() {
		if isChosen(o) {
			names = append(names, o.Written())
		}
	}
	one := &Schema{Enum: names}
	return &Schema{If: &Schema{AnyOf: []*Schema{with("operation", one), with("operationType", one)}}, Then: is}
}

// withPayload is the condition that the field, or spec, is there and is one of forms, and the
// fields of other operations are not.
func withPayload(field string, forms ...*Schema) *Schema {
	s := without(otherPayloads(field)...)
	form := &Schema{AnyOf: forms}
	given := &Schema{AnyOf: []*Schema{with("spec", form), with(field, form)}}
	both := &Schema{AllOf: []*Schema{with("spec", &Schema{Not: typed(null)}), with(field, &Schema{Not: typed(null)})}}
	s.AllOf = []*Schema{given, {Not: both}}
	return s
}

// otherPayloads are the fields of payloads without one.
func otherPayloads(field string) []string {
	var names []string
	for _, p := range payloads {
		names = append(names, p.field)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == field })
}

func textWith(pattern string) *Schema { return &Schema{Type: []string{text}, Pattern: pattern} }

// anObject is an object that has a name or gets one.
func anObject() *Schema {
	s := with("metadata", &Schema{
		Type: []string{object}, AnyOf: []*Schema{with("name", textWith(".")), with("generateName", textWith("."))},
	})
	s.Type, s.Required = []string{object}, []string{"apiVersion", "kind", "metadata"}
	s.Properties["apiVersion"], s.Properties["kind"] = textWith("."), textWith(".")
	return s
}

// jsonPatch is an RFC 6902 JSON Patch.
func jsonPatch() *Schema {
	pointer := &Schema{Type: []string{text}, Pattern: anyPointerPattern}
	return &Schema{Type: []string{array}, Items: &Schema{
		Type: []string{object}, Required: []string{"op", "path"},
		Properties: map[string]*Schema{
			"op": {Enum: []any{"add", "remove", "replace", "move", "copy", "test"}}, "path": pointer,
		},
		AllOf: []*Schema{
			{If: oneOf("op", "add", "replace", "test"), Then: &Schema{Required: []string{"value"}}},
			{If: oneOf("op", "move", "copy"), Then: with("from", pointer)},
		},
	}}
}
