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
func runAdd(e *editor, places []patchpath.Target) error {
	if err := e.checkReachable(places); err != nil {
		return err
	}
	for _, place := range slices.Backward(places) {
		if err := e.addAt(place); err != nil {
			return err
		}
	}
	return nil
}

func (e *editor) addAt(place patchpath.Target) error {
	if place.Exists && place.Location[len(place.Location)-1].IsIndex {
		value, err := e.valueFor(nil)
		if err != nil {
			return err
		}
		return e.insert(place.Location, value)
	}
	return e.createOver(place, e.at(place.Location))
}
