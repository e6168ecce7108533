package applypatches

import (
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var mergeShallow = Op{
	Name: "mergeShallow", Doc: "merges a map into a map, one level deep",
	Value: MapValue, run: runMergeShallow, isMissing: isElementMissing,
}

// runMergeShallow sets each member of the value in the map at the place, and creates that map and
// its parents if missing. It is shallow: a map among the members replaces the current one, and a
// null is set.
func runMergeShallow(e *editor, places []patchpath.Match) error {
	for _, place := range places {
		switch n := e.object.At(place.Location); {
		case place.Exists && !tree.IsMap(n) && tree.Type(n) != tree.Null:
			return e.fail("%s must be a map, found %s", place.Location, tree.Typed(n))
		case isBeyondList(place):
			return e.fail(`the list element %s must exist; the index "-" appends one`, place.Location)
		}
	}
	for _, place := range places {
		current := e.object.At(place.Location)
		value, err := e.valueFor(current)
		switch {
		case err != nil:
		case tree.IsMap(current):
			err = e.mergeOver(place.Location, value)
		default:
			err = e.create(place, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
