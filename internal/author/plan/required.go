package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// missing returns the first required field that a map of the package lacks, and that the object that comes out lacks, too.
// Of a custom kind it is what its schema requires. Kubernetes' own schemas are not what its API server validates by, so
// that of its kinds it is only what its validation is known to require.
func (s *state) missing() (locate.Location, *schema.Requirement) {
	applied, _ := plain(s.pair.Applied).(map[string]any)
	w := requiredWalker{kind: s.kind, applied: applied, prediction: s.prediction}
	w.walk(applied, s.kind.Type, nil)
	return w.found, w.why
}

type requiredWalker struct {
	kind       *schema.Kind
	applied    map[string]any
	prediction *merge.Prediction

	found locate.Location
	why   *schema.Requirement
}

func (w *requiredWalker) walk(value any, t *schema.Type, at locate.Location) {
	if t == nil || w.found != nil {
		return
	}
	switch v := value.(type) {
	case []any:
		for i, element := range v {
			w.walk(element, t.Element(), at.With(locate.Index(i)))
		}
	case map[string]any:
		w.check(v, t, at)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if len(at) > 0 || key != "status" && key != "metadata" {
				w.walk(v[key], t.Member(key), at.With(locate.Key(key)))
			}
		}
	}
}

// check looks for a required field that a map lacks.
func (w *requiredWalker) check(m map[string]any, t *schema.Type, at locate.Location) {
	if t.Map == nil || len(at) == 0 && w.kind.Origin == schema.Kubernetes {
		return
	}
	for _, field := range t.Map.Fields {
		if _, ok := m[field.Name]; ok || field.Default != nil || w.found != nil {
			continue
		}
		l := at.With(locate.Key(field.Name))
		why := w.kind.At(l).Required
		if why == nil || why.Source == "" && (!field.Required || w.kind.Origin == schema.Kubernetes) {
			continue
		}
		if holding := w.prediction.Holding(w.applied, l, nil); holding.HasParent && !holding.IsThere {
			w.found, w.why = l, why
		}
	}
}

// refuseWithout says that the API server would refuse the object without a field.
func (s *state) refuseWithout(l locate.Location, why *schema.Requirement) {
	source := why.Source
	if source == "" {
		source = s.kind.Source
	}
	s.refuse(fmt.Sprintf("%s: Required value (%s)", l, source))
}
