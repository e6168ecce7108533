package applypatches

import (
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
)

var remove = Op{
	Name: "remove", Doc: "removes what is there, if anything is",
	run: runRemove, isMissing: isAbsent,
}

// runRemove is the op remove of RFC 6902, section 4.2, except that a missing place is no error. All
// places are those of the object before the op.
func runRemove(e *editor, places []patchpath.Target) error {
	var there []location.Location
	for _, place := range places {
		if place.Append {
			return e.fail("the place behind the last element of a list has nothing to remove; name the element by its index or a filter")
		}
		if place.Exists {
			there = append(there, place.Location)
		}
	}
	if len(there) == 0 {
		return nil
	}
	return e.remove(there)
}
