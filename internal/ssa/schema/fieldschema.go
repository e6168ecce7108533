package schema

import (
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FieldSchema is what the schema says about a location.
type FieldSchema struct {
	// Type is the type of the value there.
	Type *Type
	// Known tells whether the schema declares the field or element.
	Known Knowledge
	// Atomic is the outermost atomic list or map around the location, nil if there is none. Whoever
	// applies it owns all of it.
	Atomic location.Location
	// AtomicType is the type of the value at Atomic.
	AtomicType *Type
	// Required says why the field is required in its parent, nil if it is not.
	Required *Requirement
}

// Knowledge is what a schema says about the existence of a field.
type Knowledge byte

// Unknown are fields about which the schema says nothing. Declared are fields of the schema, and
// keys of maps and elements of lists that have a type; Excluded are those that the API server
// refuses or drops.
const (
	Unknown Knowledge = iota
	Declared
	Excluded
)

// At returns what the kind's schema says about a location in an object of the kind.
func (k *Kind) At(location location.Location) FieldSchema {
	field := FieldSchema{Type: k.Type, Known: Declared}
	for i, step := range location {
		if field.Atomic == nil && field.Type.atomicFor(step) {
			field.Atomic, field.AtomicType = location[:i:i], field.Type
		}
		parent := field.Type
		field.Required = nil
		field.step(step)
		if !step.IsIndex {
			field.Required = k.requirement(location[:i+1], parent)
		}
	}
	return field
}

// Needless says what becomes of a field that the schema knows and the package does not set: mostly,
// that no rule is needed; "" for a field that the schema does not know.
func (k *Kind) Needless(missing location.Location) string {
	if !k.Declares(missing) {
		return ""
	}
	if atomic := k.At(missing).Atomic; atomic != nil {
		return "; the package does not set the field, but a server-side apply takes it away: whoever applies " + atomic.String() +
			" owns all of it; to leave it to another owner, leave out '" + atomic.Pointer() + "'"
	}
	return "; the package does not set the field, so a server-side apply leaves it alone, and no rule is needed"
}

// Declares tells whether the kind's schema has the field by its name; false for a key of a map that
// takes any keys.
func (k *Kind) Declares(field location.Location) bool {
	if k.Origin == Assumed || len(field) == 0 {
		return false
	}
	parent, last := field[:len(field)-1], field[len(field)-1]
	return !last.IsIndex && k.At(parent).Type.Field(last.Key) != nil
}

// atomicFor tells whether the value that a step enters is an atomic list or map.
func (t *Type) atomicFor(step location.Step) bool {
	if step.IsIndex {
		return t.List != nil && t.List.Kind == Atomic
	}
	return t.Map != nil && t.Map.Atomic
}

// IsAtomic tells whether a value of the type is a list or map that has one owner as a whole.
func (t *Type) IsAtomic(value *tree.Node) bool {
	return tree.IsList(value) && t.atomicFor(location.Index(0)) || tree.IsMap(value) && t.atomicFor(location.Key(""))
}

// step goes one step further.
func (p *FieldSchema) step(step location.Step) {
	if p.Known == Excluded {
		return
	}
	var next *Type
	free := p.Type.free()
	switch {
	case step.IsIndex && p.Type.List != nil:
		next = p.Type.List.Element
	case !step.IsIndex && p.Type.Map != nil:
		if field := p.Type.Map.Field(step.Key); field != nil {
			p.Type, p.Known = field.Type, Declared
			return
		}
		next = p.Type.Map.Element
	}
	switch {
	case next == nil:
		p.Type, p.Known = deducedType, Excluded
	case free || next.free():
		p.Type, p.Known = next, Unknown
	default:
		p.Type, p.Known = next, Declared
	}
}

// Keys returns the fields that identify the elements of a list, nil if the schema names none.
func (k *Kind) Keys(list location.Location) []string {
	if t := k.typeAt(list); t.List != nil {
		return t.List.Keys
	}
	return nil
}
