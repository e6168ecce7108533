package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// requiredWalker finds the first required field that a map of the package lacks, and that the
// object that comes out lacks, too: what the schema requires, or Kubernetes' validation is known
// to. The cluster tests hold that to what an API server does.
type requiredWalker struct {
	kind       *schema.Kind
	applied    map[string]any
	prediction *merge.Prediction

	found location.Location
	why   *schema.Requirement
}

func (w *requiredWalker) walk(value any, t *schema.Type, at location.Location) {
	if t == nil || w.found != nil {
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
		if _, ok := m[field.Name]; ok || !schema.IsEmpty(field.Default) || w.found != nil {
			continue
		}
		l := at.With(location.Key(field.Name))
		place := w.kind.At(l)
		why := place.Required
		if why == nil || why.Source == "" && !field.Required {
			continue
		}
		holding := w.prediction.Holding(w.applied, l)
		isSet := place.Atomic != nil && len(place.Atomic) < len(l) // as a whole, as the package has it
		if isSet || holding.HasParent && !holding.IsThere {
			w.found, w.why = l, why
		}
	}
}

// refuseWithout says that the API server would refuse the object without a field.
func (s *state) refuseWithout(l location.Location, why *schema.Requirement) {
	source := why.Source
	if source == "" {
		source = s.kind.Source
	}
	s.refuse(fmt.Sprintf("%s: Required value (%s)", l, source))
}
