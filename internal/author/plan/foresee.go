package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Foresee plans the apply of objects that have come out of the functionConfigs of a world. It
// returns those that the cluster has as they are, for certain, and why others would fail. There are
// none where nothing can be planned.
func Foresee(w *world.World, objects []*object.Object, force bool) (settled map[*object.Object]bool, failing map[*object.Object]error) {
	if len(objects) == 0 {
		return nil, nil
	}
	ahead := *w
	ahead.Steps, ahead.Objects = nil, objects
	settled, failing = map[*object.Object]bool{}, map[*object.Object]error{}
	_, _, _, err := Make(Options{World: &ahead, Force: force, Count: func(o *PlannedObject) {
		switch o.Outcome {
		case Unchanged:
			settled[o.object] = !o.assumes
		case Conflict:
			failing[o.object] = errors.New(words.All(lists.Map(o.Conflicts, func(c ConflictField) string {
				return fmt.Sprintf("conflict with %q: %s", c.Manager, c.Field)
			})))
		case Refused:
			failing[o.object] = errors.New(o.Cause)
		}
	}})
	if err != nil {
		return nil, nil // the apply itself tells of what is wrong
	}
	return settled, failing
}

// assumes tells whether the prediction rests on a schema that is not known, on owners that are not
// known, or on a conversion between versions.
func (s *state) assumes() bool {
	ofOtherVersion := func(m merge.Manager) bool { return m.APIVersion != s.kind.APIVersion() }
	return !s.hasOwners || s.kind.Origin == schema.Assumed || tree.GetString(s.live, "apiVersion") != s.kind.APIVersion() ||
		slices.ContainsFunc(s.prediction.Before, ofOtherVersion)
}
