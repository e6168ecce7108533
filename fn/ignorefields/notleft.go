package ignorefields

import (
	"fmt"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// notLeft returns the stripped fields that leaving out can't leave to anybody, by
// the schema of the object's kind: those inside an atomic list or map, and those
// that the API server requires.
func (j *job) notLeft() []handover {
	var handovers []handover
	kind := j.run.schemas.kind(schema.ParseGVK(j.ref.APIVersion, j.ref.Kind))
	for _, f := range j.present() {
		place := kind.At(f.location)
		if place.Atomic != nil {
			handovers = append(handovers, handover{
				reason: report.AtomicParent, field: f, text: j.mask.Text(atomicText(f.location, place, kind)),
			})
		}
		if place.Required != nil && j.keepsParent(f.location) {
			handovers = append(handovers, handover{
				reason: report.RequiredField, field: f, text: j.mask.Text(requiredText(f.location, place, kind)),
			})
		}
	}
	return handovers
}

// keepsParent tells whether what holds a location is still in the object.
func (j *job) keepsParent(l locate.Location) bool {
	_, ok := j.object.Now(l[:len(l)-1])
	return ok
}

func atomicText(l locate.Location, place schema.Place, kind *schema.Kind) string {
	collection := "map"
	if place.AtomicType.List != nil {
		collection = "list"
	}
	text := fmt.Sprintf("%s is inside the atomic %s %s (%s): whoever applies the %s owns all of it, so the field is left to nobody; "+
		"leave out the %s itself, '%s', or use action: TakeLive",
		l, collection, place.Atomic, sourceText(kind), collection, collection, place.Atomic.Pointer())
	if kind.Origin == schema.Assumed {
		text += "; if its lists are not atomic, give the CustomResourceDefinition among the items or, on the command line, by --crds PATH"
	}
	return text
}

func requiredText(l locate.Location, place schema.Place, kind *schema.Kind) string {
	by := sourceText(kind)
	if place.Required.Source != "" {
		by = "Kubernetes' validation, " + place.Required.Source
	}
	return fmt.Sprintf("%s is required (%s): the API server refuses the object where nobody else owns the field, as at its creation; "+
		"keep the field, or use action: TakeLive", l, by)
}

// sourceText names the schema of a kind.
func sourceText(kind *schema.Kind) string {
	if kind.Origin == schema.Assumed {
		return "no schema of " + kind.Kind + " " + kind.APIVersion() + " is known, and the lists of custom kinds are atomic by default"
	}
	return "schema: " + kind.Source
}
