package applypatches

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
)

var replace = Op{
	Name: "replace", Doc: "replaces an existing value",
	Value: AnyValue, run: runReplace, isMissing: isNothingToReplace,
}

func isNothingToReplace(place patchpath.Target) bool {
	return isOutOfReach(place) || place.Obstacle == nil && isAbsent(place)
}

// runReplace is the op replace of RFC 6902, section 4.3: the place must exist.
func runReplace(e *editor, places []patchpath.Target) error {
	for _, place := range places {
		switch {
		case place.Append:
			return e.fail(`"-" is the position after the last element, which holds nothing to replace; "op: add" appends`)
		case !place.Exists:
			return e.fail(`%s must exist to be replaced; %s`, place.Location, e.absentFix(place))
		}
	}
	for _, place := range places {
		value, err := e.valueFor(e.at(place.Location))
		if err == nil {
			err = e.create(place, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// absentFix says what to write for a missing place.
func (e *editor) absentFix(place patchpath.Target) string {
	if fix := e.path.SlashFix(e.object.Root(), place); fix != "" {
		return fmt.Sprintf("did you mean '%s'?", fix)
	}
	if fix := e.fit(); fix != "" {
		return fmt.Sprintf("did you mean '%s'?", fix)
	}
	return `"op: add" creates what is missing, "onMissing: Ignore" skips the operation`
}
