package merge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// Missing refuses an apply that changes something where an object, such as the package before rules
// took fields out of it, and the object that comes out lack a required field: what the schema
// requires, or Kubernetes' validation is known to. The cluster tests hold that to what an API
// server does.
func (p *Prediction) Missing(object map[string]any) error {
	if !p.Changed {
		return nil
	}
	w := requiredWalker{Prediction: p, object: object}
	w.walk(object, p.kind.Type, nil)
	return w.err
}

// requiredWalker finds the first required field that is missing.
type requiredWalker struct {
	*Prediction
	object map[string]any
	err    error
}

func (w *requiredWalker) walk(value any, t *schema.Type, at location.Location) {
	if t == nil || w.err != nil {
		return
	}
	switch v := value.(type) {
	case []any:
		for i, element := range v {
			w.walk(element, t.Element(), at.With(location.Index(i)))
		}
	case map[string]any:
		w.check(v, t, at)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if len(at) > 0 || key != "status" && key != "metadata" {
				w.walk(v[key], t.Member(key), at.With(location.Key(key)))
			}
		}
	}
}

// check looks for a required field that a map lacks.
func (w *requiredWalker) check(m map[string]any, t *schema.Type, at location.Location) {
	if t.Map == nil {
		return
	}
	for _, field := range t.Map.Fields {
		if _, ok := m[field.Name]; ok || !schema.IsEmpty(field.Default) || w.err != nil {
			continue
		}
		l := at.With(location.Key(field.Name))
		place := w.kind.At(l)
		why := place.Required
		if why == nil || why.Source == "" && !field.Required {
			continue
		}
		holding := w.Holding(w.object, l)
		isSet := place.Atomic != nil && len(place.Atomic) < len(l) // as a whole, as the package has it
		if isSet || holding.HasParent && !holding.IsThere {
			w.err = w.Without(l, why)
		}
	}
}

// Without says that the API server would refuse the object without a field.
func (p *Prediction) Without(l location.Location, why *schema.Requirement) error {
	return &RefusedError{fmt.Errorf("%s: Required value (%s)", l, cmp.Or(why.Source, p.kind.Source))}
}
