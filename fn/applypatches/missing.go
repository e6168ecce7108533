package applypatches

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
)

// tally keeps account of an operation in the whole run: whether it was tried on
// an object, and whether it has found what it needs in one.
type tally struct {
	tried, found atomic.Bool
}

// places returns the places that the path names in the object, without those
// that onMissing says to pass over, and how much the path has looked at. The error is a *locate.ResolveError.
func (o operation) places(path *locate.Path, root *yaml.Node) (places []locate.Target, looked int, err error) {
	places, looked, err = path.ResolveCounting(root)
	o.tally.tried.Store(true)
	if slices.ContainsFunc(places, func(place locate.Target) bool { return !o.isMissing(place) }) {
		o.tally.found.Store(true)
	}
	e, ok := errors.AsType[*locate.ResolveError](err)
	selectsNothing := ok && e.Problem == locate.NothingSelected
	switch {
	case o.ignoresMissing && selectsNothing:
		return nil, looked, nil
	case o.ignoresMissing:
		return slices.DeleteFunc(places, o.isMissing), looked, err
	case selectsNothing:
		e.Reason += `; "onMissing: Ignore" passes over it`
	}
	return places, looked, err
}

// isMissing tells whether the operation finds nothing at the place that it could
// change. What stands in its way, such as a string where a map must be, is not
// missing.
func (o operation) isMissing(place locate.Target) bool {
	switch {
	case o.name == opRemove || o.name == opReplace && place.Obstacle == nil:
		return !place.Exists && !place.Append
	case place.Obstacle != nil:
		return place.Obstacle.Problem == locate.OutOfRange || place.Obstacle.Problem == locate.MissingElement
	case o.name == opMergeShallow || o.name == opEnsure:
		return isBeyondList(place)
	}
	return false
}

// noMatch returns the message where the operation has found nothing in the whole
// run and that is worth saying, or "". A remove has nothing to find the second
// time, so that one without onMissing says so only where its path can't be meant.
func (o operation) noMatch() string {
	if !o.tally.tried.Load() || o.tally.found.Load() {
		return ""
	}
	message := fmt.Sprintf("%s: the path '%s' found nothing in any object that the target matches", o.at, o.path)
	if fix := o.path.starFix(); fix != "" {
		return message + fmt.Sprintf("; every element of a list is [*], write '%s'", fix)
	}
	if !o.ignoresMissing {
		return ""
	}
	return message
}
