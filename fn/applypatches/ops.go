package applypatches

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
)

// ops is the table of ops. A new one is a line here and a file of its own.
var ops = []Op{add, replace, remove, mergeShallow, ensure}

// Op is an entry of the table of ops.
type Op struct {
	Name string
	// Doc says what the op does, as the rest of a sentence that begins with its name.
	Doc string
	// Value is the value that it needs.
	Value ValueNeed
	// NeedsKey is true where it needs the key, or keys, of list elements. Other ops take none.
	NeedsKey bool
	// run does what the op stands for at the places. It checks all of them before it edits the
	// first.
	run func(e *editor, places []patchpath.Target) error
	// isMissing tells whether the op finds nothing at the place that it could change. What stands
	// in its way, such as a string where a map must be, is not missing.
	isMissing func(place patchpath.Target) bool
}

// ValueNeed is which value an op needs.
type ValueNeed int

// The values that ops need.
const (
	NoValue ValueNeed = iota
	AnyValue
	MapValue
)

// Ops returns the entries of the table.
func Ops() []Op { return slices.Clone(ops) }

// opOf returns the op with a name, nil where there is none.
func opOf(name OpName) *Op {
	if i := slices.IndexFunc(ops, func(o Op) bool { return o.Name == string(name) }); i >= 0 {
		return &ops[i]
	}
	return nil
}

// OpName is the name of an op.
type OpName string

// Enum returns the names of all ops.
func (OpName) Enum() []string { return namesOf(func(Op) bool { return true }) }

// Doc says what each op does.
func (OpName) Doc() string {
	var each []string
	for _, o := range ops {
		each = append(each, o.Name+" "+o.Doc)
	}
	return strings.Join(each, "; ") + "."
}

// namesOf returns the names of the ops that are chosen.
func namesOf(isChosen func(Op) bool) []string {
	var names []string
	for _, o := range ops {
		if isChosen(o) {
			names = append(names, o.Name)
		}
	}
	return names
}

// isOutOfReach tells whether the path leads through a list element that is not there.
func isOutOfReach(place patchpath.Target) bool {
	return place.Obstacle != nil &&
		(place.Obstacle.Problem == patchpath.OutOfRange || place.Obstacle.Problem == patchpath.MissingElement)
}

// isAbsent tells whether there is nothing at the place.
func isAbsent(place patchpath.Target) bool { return !place.Exists && !place.Append }

// isBeyondList tells whether the place is that of the next element of a list, named by its index.
func isBeyondList(place patchpath.Target) bool {
	return isAbsent(place) && place.Location[len(place.Location)-1].IsIndex
}

// isElementMissing tells whether the path leads to, or through, a list element that is not there.
func isElementMissing(place patchpath.Target) bool {
	return isOutOfReach(place) || place.Obstacle == nil && isBeyondList(place)
}
