package schema

import "slices"

// anyPointerPattern is that of a JSON Pointer, the empty one included.
const anyPointerPattern = `^(/([^~/]|~[01])*)*$`

// The fields of an operation that carry what it needs beyond the object's name.
var payloads = []string{"object", "jqFilter", "mergePatch", "jsonPatch"}

// refineApplyOperations: there is something to do.
func refineApplyOperations(s *Schema) {
	s.AnyOf = []*Schema{filled("operations"), with("operationsJSON", typed(text))}
}

// refineOperation: an operation says what to do, by either of two names, and has
// the fields for it.
func refineOperation(s *Schema) {
	s.AnyOf = []*Schema{with("operation", typed(text)), with("operationType", typed(text))}
	s.AllOf = []*Schema{
		operation(creates(), "Create", "CreateIfNotExists"),
		operation(withPayload("object", anObject(), typed(text)), "CreateOrUpdate"),
		operation(withoutStatus(), "Create", "CreateIfNotExists", "CreateOrUpdate", "Delete", "DeleteInBackground",
			"DeleteNonCascading", "EnsureDeleted", "EnsureDeleteBackground", "EnsureDeleteOrphan"),
		operation(without(append([]string{"spec"}, payloads...)...), "Delete", "DeleteInBackground", "DeleteNonCascading",
			"EnsureDeleted", "EnsureDeleteBackground", "EnsureDeleteOrphan"),
		operation(named(), "Delete", "DeleteInBackground", "DeleteNonCascading", "EnsureDeleted",
			"EnsureDeleteBackground", "EnsureDeleteOrphan", "JQPatch", "FilterPatch", "FilterPatchOptimistic", "MergePatch",
			"JSONPatch"),
		operation(withPayload("jqFilter", typed(text)), "JQPatch", "FilterPatch", "FilterPatchOptimistic"),
		operation(withPayload("mergePatch", typed(object, text)), "MergePatch"),
		operation(withPayload("jsonPatch", jsonPatch(), typed(text)), "JSONPatch"),
		operation(with("resourceVersion", notEmpty()), "FilterPatchOptimistic"),
		operation(ofStatus(), "JQPatch", "FilterPatch", "FilterPatchOptimistic", "MergePatch", "JSONPatch"),
	}
}

// operation is the condition that an operation of one of the names is as the
// schema says.
func operation(is *Schema, names ...any) *Schema {
	one := &Schema{Enum: names}
	return &Schema{If: &Schema{AnyOf: []*Schema{with("operation", one), with("operationType", one)}}, Then: is}
}

// withPayload is the condition that the field, or spec, is there and is one of
// forms, and the fields of other operations are not.
func withPayload(field string, forms ...*Schema) *Schema {
	s := without(slices.DeleteFunc(slices.Clone(payloads), func(name string) bool { return name == field })...)
	form := &Schema{AnyOf: forms}
	given := &Schema{AnyOf: []*Schema{with("spec", form), with(field, form)}}
	both := &Schema{AllOf: []*Schema{with("spec", &Schema{Not: typed(null)}), with(field, &Schema{Not: typed(null)})}}
	s.AllOf = []*Schema{given, {Not: both}}
	return s
}

// creates: a new object has no resourceVersion.
func creates() *Schema {
	s := withPayload("object", anObject(), typed(text))
	s.Properties["resourceVersion"] = &Schema{Enum: []any{"", nil}}
	return s
}

// named is the condition that the object is named.
func named() *Schema {
	return &Schema{AllOf: []*Schema{with("kind", notEmpty()), with("name", notEmpty())}}
}

func notEmpty() *Schema { return &Schema{Type: []string{text}, Pattern: "."} }

// ofStatus: the only subresource is the status.
func ofStatus() *Schema {
	return &Schema{Properties: map[string]*Schema{"subresource": {Enum: []any{"", "status", "/status", nil}}}}
}

// withoutStatus: only a patch has a subresource.
func withoutStatus() *Schema {
	return &Schema{Properties: map[string]*Schema{
		"subresource": {Enum: []any{"", nil}}, "statusPatch": {Enum: []any{false, nil}},
	}}
}

// anObject is an object that is named.
func anObject() *Schema {
	s := with("metadata", with("name", notEmpty()))
	s.Type, s.Required = []string{object}, []string{"apiVersion", "kind", "metadata"}
	s.Properties["apiVersion"], s.Properties["kind"] = notEmpty(), notEmpty()
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
			{If: op("add", "replace", "test"), Then: &Schema{Required: []string{"value"}}},
			{If: op("move", "copy"), Then: with("from", pointer)},
		},
	}}
}
