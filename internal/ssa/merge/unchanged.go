package merge

import (
	"reflect"

	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// isUnchanged tells whether the apply is certain to change neither the object nor its managers: the
// applier has what it applies, and the object has it with the same values. To merge most objects of
// a package for nothing would cost a third of a plan.
func (p *predictor) isUnchanged(s state, live *typed.TypedValue) bool {
	id := p.applier().id()
	last := s.managers.fields[id]
	if last == nil || !last.Set().Equals(s.fields.Difference(systemFields)) {
		return false
	}
	same := sameness{kind: p.kind}
	for other, set := range s.managers.fields {
		if set.APIVersion() != p.version || set.Set().Empty() {
			return false // the merge may drop it
		}
		if other == id {
			continue
		}
		if changed, err := typed.ReconcileFieldSetWithSchema(set.Set(), live); changed != nil || err != nil {
			return false
		}
		isLater := set.Applied() && compareManagers(s.managers.heads[other], s.managers.heads[id]) > 0
		same.isExact = same.isExact || isLater || !set.Set().Intersection(s.fields).Empty()
	}
	return same.hasAll(s.live, s.config, p.kind.Type)
}

// sameness is what makes an applied value the live one.
type sameness struct {
	kind *schema.Kind
	// isExact tells that an atomic value must not lack even defaults: the merge changes it for a
	// moment, which is a conflict where another manager has it, too, and makes the applier's entry
	// the last one of several.
	isExact bool
}

// hasAll tells whether a live value of a type has all of an applied one, with the elements of lists
// in the same order. It may be false where a merge would change nothing.
func (s sameness) hasAll(live, applied any, t *schema.Type) bool {
	switch applied := applied.(type) {
	case map[string]any:
		fields, isMap := live.(map[string]any)
		if !isMap || len(applied) == 0 || t == nil || t.Map == nil || t.Map.Atomic {
			return s.isStoredAs(live, applied, t)
		}
		for key, value := range applied {
			if field, ok := fields[key]; !ok || !s.hasAll(field, value, t.Member(key)) {
				return false
			}
		}
		return true
	case []any:
		elements, isList := live.([]any)
		if !isList || len(applied) == 0 || t == nil || t.List == nil || t.List.Kind == schema.Atomic {
			return s.isStoredAs(live, applied, t)
		}
		return s.hasElements(elements, applied, t)
	}
	return applied != nil && applied == live
}

// isStoredAs tells whether a map or list that is applied as a whole is the live one, but for
// defaults.
func (s sameness) isStoredAs(live, applied any, t *schema.Type) bool {
	if reflect.DeepEqual(live, applied) {
		return true
	}
	if s.isExact {
		return false
	}
	filled := schema.Numbers(applied)
	s.kind.FillIn(filled, t)
	return reflect.DeepEqual(live, filled)
}

func (s sameness) hasElements(live, applied []any, t *schema.Type) bool {
	indices, next := Index(live, t), 0
	if len(indices) < len(live) {
		return false // some twice
	}
	for _, element := range applied {
		i, ok := indices[Name(element, t)]
		if !ok || i < next || !s.hasAll(live[i], element, t.Element()) {
			return false
		}
		next = i + 1
	}
	return true
}
