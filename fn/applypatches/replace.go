package applypatches

import "github.com/krm-fields/krm-fields/fn/locate"

// replace is that of RFC 6902, section 4.3: something must be there.
func replace(e *editor, places []locate.Target, a argument) error {
	if err := e.checkReachable(places); err != nil {
		return err
	}
	for _, place := range places {
		switch {
		case place.Append:
			return e.fail(`the place behind the last element of a list has nothing to replace; "op: add" appends`)
		case !place.Exists:
			return e.fail(`%s must be there to be replaced; "op: add" sets what may be missing`, place.Location)
		}
	}
	for _, place := range places {
		if err := e.set(place.Location, a.value); err != nil {
			return err
		}
	}
	return nil
}
