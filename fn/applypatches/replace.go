package applypatches

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var replace = Op{
	Name: "replace", Doc: "replaces an existing value",
	Value: AnyValue, run: runReplace, isMissing: isNothingToReplace,
}

func isNothingToReplace(place patchpath.Match) bool {
	return isOutOfReach(place) || place.Obstacle == nil && isAbsent(place)
}

// runReplace is the op replace of RFC 6902, section 4.3: the place must exist.
func runReplace(e *editor, places []patchpath.Match) error {
	for _, place := range places {
		switch {
		case place.Append:
			return e.fail(`"-" is the position after the last element, which holds nothing to replace; "op: add" appends`)
		case !place.Exists:
			return e.fail(`%s must exist to be replaced; %s`, place.Location, e.absentFix(place))
		}
	}
	for _, place := range places {
		value, err := e.valueFor(e.object.At(place.Location))
		if err == nil {
			err = e.create(place, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// absentFix says what to write for a missing place. It names no key inside a Secret's value, of
// which the keys are a part.
func (e *editor) absentFix(place patchpath.Match) string {
	names := lists.Map(place.Missing, func(step location.Step) string { return step.Key })
	parent := e.object.At(place.Parent)
	outer := e.job.object.Root()
	isSecret := e.isInside && redact.IsSecret(tree.GetString(outer, "apiVersion"), tree.GetString(outer, "kind"))
	if key, _ := hint.JoinedKey(parent, names, "/"); key != "" && !isSecret {
		return fmt.Sprintf("a slash in a key is written ~1: %s", location.EscapePointer(key))
	}
	if near, ok := hint.Nearest(parent, names[0]); ok && near != names[0] && !isSecret {
		return fmt.Sprintf("did you mean %q?", e.job.shown().Text(near))
	}
	return `"op: add" creates what is missing, "onMissing: Ignore" skips the operation`
}
