package applypatches

import (
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var mergeShallow = Op{
	Name: "mergeShallow", Doc: "merges a map into a map, one level deep",
	Value: MapValue, run: runMergeShallow, isMissing: isElementMissing,
}

// runMergeShallow sets each member of the value in the map at the place, and creates that map and
// its parents if missing. It is shallow: a map among the members replaces the current one, and a
// null is set.
func runMergeShallow(e *editor, places []patchpath.Target) error {
	if e.value != nil && !tree.IsMap(e.value) {
		return e.fail("the value must be a map, found %s", config.TypeOf(e.value))
	}
	if err := e.checkReachable(places); err != nil {
		return err
	}
	if err := e.checkMaps(places); err != nil {
		return err
	}
	for _, place := range places {
		if err := e.mergeAt(place); err != nil {
			return err
		}
	}
	return nil
}

func (e *editor) mergeAt(place patchpath.Target) error {
	current := e.at(place.Location)
	value, err := e.valueFor(current)
	if err != nil {
		return err
	}
	if tree.IsMap(current) {
		return e.mergeOver(place.Location, value)
	}
	return e.create(place, value)
}
