package applypatches

import (
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
)

var remove = Op{
	Name: "remove", Doc: "removes the value, if it exists",
	run: runRemove, isMissing: isAbsent,
}

// runRemove is the op remove of RFC 6902, section 4.2, except that a missing place is no error. All
// places are those of the object before the op.
func runRemove(e *editor, places []patchpath.Match) error {
	var there []location.Location
	for _, place := range places {
		if place.Append {
			return e.fail("\"-\" is the position after the last element, which holds nothing to remove; select the element by its index or a filter")
		}
		if place.Exists {
			there = append(there, place.Location)
		}
	}
	for _, l := range there {
		e.changes = append(e.changes, change{location: l, isGone: true})
	}
	e.object.Remove(there)
	return nil
}
