package applypatches

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
)

// add is that of RFC 6902, section 4.1: a member of a map is set, and a value at
// an index of a list goes in before the element there. Beyond the RFC, missing
// parents are made. The last place comes first, so that indices hold.
func add(e *editor, places []locate.Target, a argument) error {
	if err := e.checkReachable(places); err != nil {
		return err
	}
	for _, place := range slices.Backward(places) {
		if err := e.addAt(place, a.value); err != nil {
			return err
		}
	}
	return nil
}

func (e *editor) addAt(place locate.Target, value *yaml.Node) error {
	if place.Exists && place.Location[len(place.Location)-1].IsIndex {
		return e.insert(place.Location, value)
	}
	return e.create(place, value)
}
