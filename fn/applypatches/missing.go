package applypatches

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// tally counts over the whole run whether an operation was tried on an object, and whether it found
// its place in one.
type tally struct {
	tried, found atomic.Bool
}

// places returns the places that the path names in the object, without those that onMissing skips.
// The error is a *patchpath.ResolveError.
func (o operation) places(path *patchpath.Path, in *object.Object) ([]patchpath.Match, error) {
	places, err := path.Resolve(in.Root(), in.Lookup)
	o.tally.tried.Store(true)
	if slices.ContainsFunc(places, func(place patchpath.Match) bool { return !o.op.isMissing(place) }) {
		o.tally.found.Store(true)
	}
	e, ok := errors.AsType[*patchpath.ResolveError](err)
	selectsNothing := ok && e.Problem == patchpath.NothingSelected
	switch {
	case o.ignoresMissing && selectsNothing:
		return nil, nil
	case o.ignoresMissing:
		return slices.DeleteFunc(places, o.op.isMissing), err
	case selectsNothing:
		e.Reason += `; "onMissing: Ignore" skips the operation`
	}
	return places, err
}

// noMatch returns the message if the operation found nothing in the whole run, or "".
func (o operation) noMatch() string {
	if !o.tally.tried.Load() || o.tally.found.Load() {
		return ""
	}
	message := fmt.Sprintf("%s: the path '%s' found nothing in any object that the target matches", o.at, o.path)
	if strings.Contains(o.path.String()+"/", "/*/") {
		message += `; [*] selects every element of a list, "*" is only a key`
	}
	return message
}
