package applypatches

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
)

var add = Op{
	Name: "add", Doc: "sets a member of a map or inserts an element into a list, and creates missing parents",
	Value: AnyValue, run: runAdd, isMissing: isOutOfReach,
}

// runAdd is the op add of RFC 6902, section 4.1: it sets a member of a map, and inserts a value at
// an index of a list. Beyond the RFC, it creates missing parents. The last place comes first, so
// that indices stay valid.
func runAdd(e *editor, places []patchpath.Match) error {
	for _, place := range slices.Backward(places) {
		put, current := e.create, e.object.At(place.Location)
		if place.Exists && place.Location[len(place.Location)-1].IsIndex {
			put, current = e.insert, nil
		}
		value, err := e.valueFor(current)
		if err == nil {
			err = put(place, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
