package merge

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// NotSent is the prediction for a live object, with its entries, to which nothing is applied.
func NotSent(schemas *schema.Schemas, live *tree.Node, entries []managedfields.Entry) *Prediction {
	list, object := managersOf(entries).list(), dataOf(live)
	kind := schemas.Kind(kindOf(object))
	return &Prediction{Live: object, Object: object, bare: object, Before: list, After: list, live: live, schemas: schemas, kind: kind}
}

// A Holding says who owns a field, or something in it.
type Holding struct {
	Path fieldpath.Path
	// Before and After are the names of the managers, each once, in the order of the entries.
	Before, After []string
	// Removed tells that the apply removes the field, or something in it, and IsSent that the
	// package has it, or something in it.
	Removed, IsSent bool
	// InLive is where the live object has the field, or would have it, and WasThere tells that it
	// has it.
	InLive   location.Location
	WasThere bool
	// IsThere tells that the field is in the resulting object before defaults are set. In a kind of
	// Kubernetes an empty field counts as missing: its type in Go has no other way to say so.
	IsThere bool
}

// Holding returns who has what is at a location of an object of the same kind, such as the package
// before rules took fields out of it. Inside an atomic list or map it is who has that. What is
// removed is known once Fields has been called.
func (p *Prediction) Holding(object map[string]any, l location.Location) Holding {
	path := pathOf(p.kind, object, l)
	sent := path
	if isSecret(p.kind) && len(path) > 0 && l[0].Key == "stringData" {
		path = append(fieldpath.Path{secretData}, path[1:]...) // where it is kept
	}
	h := Holding{Path: path, Before: holders(p.Before, path), After: holders(p.After, path)}
	h.Removed = p.removed != nil && holds(p.removed, path)
	h.IsSent = p.details != nil && (holds(p.details.config, path) || holds(p.details.config, sent))
	_, h.InLive, h.WasThere = p.values.find(p.kind.Type, path, p.Live)
	if len(path) > 0 {
		value, _, isThere := p.values.find(p.kind.Type, path, p.bare)
		if last := l[len(l)-1]; !isThere && !last.IsIndex {
			// Go writes a struct even if it is empty.
			if field := p.kind.At(l[:len(l)-1]).Type.Field(last.Key); field != nil && p.kind.Origin == schema.Kubernetes {
				_, isThere = field.Default.(map[string]any)
				value = zero(field.Type)
			}
		}
		h.IsThere = isThere && (p.kind.Origin != schema.Kubernetes || !schema.IsEmpty(value))
	}
	return h
}

// holders are the managers that have a field, or something in it.
func holders(managers []Manager, path fieldpath.Path) []string {
	var names []string
	for _, manager := range managers {
		if holds(manager.Fields, path) && !slices.Contains(names, manager.Name) {
			names = append(names, manager.Name)
		}
	}
	return names
}

func holds(set *fieldpath.Set, path fieldpath.Path) bool {
	if set.Has(path) {
		return true
	}
	for _, element := range path {
		set = set.WithPrefix(element)
	}
	return !set.Empty()
}

// pathOf is the path to a location of an object, or to the outermost atomic list or map that it is
// in.
func pathOf(kind *schema.Kind, object any, l location.Location) fieldpath.Path {
	if atomic := kind.At(l).Atomic; atomic != nil {
		l = atomic
	}
	var path fieldpath.Path
	for i, step := range l {
		if !step.IsIndex {
			m, _ := object.(map[string]any)
			path, object = append(path, fieldpath.PathElement{FieldName: &step.Key}), m[step.Key]
			continue
		}
		list, _ := object.([]any)
		object = nil
		if step.Index < len(list) {
			object = list[step.Index]
		}
		path = append(path, elementOf(kind.At(l[:i]).Type, step.Index, schema.Numbers(object)))
	}
	return path
}

// elementOf is the step to an element of a list: by its keys, by its value, or by its index, as in
// a list that the schema does not have.
func elementOf(list *schema.Type, index int, element any) fieldpath.PathElement {
	if list == nil || list.List == nil || list.List.Kind == schema.Atomic {
		return fieldpath.PathElement{Index: &index}
	}
	if list.List.Kind == schema.SetOf {
		v := value.NewValueInterface(element)
		return fieldpath.PathElement{Value: &v}
	}
	m, _ := element.(map[string]any)
	var keys value.FieldList
	for _, name := range list.List.Keys {
		own, ok := m[name]
		if field := list.Element().Field(name); !ok && field != nil && field.Default != nil {
			own, ok = field.Default, true
		}
		if ok {
			keys = append(keys, value.Field{Name: name, Value: value.NewValueInterface(own)})
		}
	}
	keys.Sort()
	return fieldpath.PathElement{Key: &keys}
}
