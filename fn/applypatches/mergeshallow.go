package applypatches

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// mergeShallow sets each member of the value in the map at the place, which is
// made with its parents where it is missing. It does not look into the members:
// a map among them takes the place of the one that is there, and a null is set.
func mergeShallow(e *editor, places []locate.Target, a argument) error {
	if !tree.IsMap(a.value) {
		return e.fail("the value must be a map, found %s", typed(a.value))
	}
	if err := e.checkReachable(places); err != nil {
		return err
	}
	if err := e.checkMaps(places); err != nil {
		return err
	}
	for _, place := range places {
		if err := e.mergeAt(place, a.value); err != nil {
			return err
		}
	}
	return nil
}

func (e *editor) mergeAt(place locate.Target, value *yaml.Node) error {
	if tree.IsMap(e.at(place.Location)) {
		return e.mergeOver(place.Location, value)
	}
	return e.create(place, value)
}
