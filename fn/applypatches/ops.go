package applypatches

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/lists"
)

// ops is the table of ops. A new one is a line here and a file of its own.
var ops = []Op{add, replace, remove, mergeShallow, ensure}

// Op is an entry of the table of ops.
type Op struct {
	Name string
	// Doc describes the op, as the rest of a sentence that begins with its name.
	Doc string
	// Value is the kind of value that the op needs.
	Value ValueNeed
	// NeedsKey is true if the op needs the key, or keys, of list elements. Other ops take none.
	NeedsKey bool
	// run runs the op at the places. It checks all of them before it edits the first.
	run func(e *editor, places []patchpath.Match) error
	// isMissing tells whether the op finds nothing to change at the place. An obstacle, such as a
	// string instead of a map, is not missing.
	isMissing func(place patchpath.Match) bool
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

// opOf returns the op with a name, nil for none.
func opOf(name OpName) *Op {
	if i := slices.IndexFunc(ops, func(o Op) bool { return o.Name == string(name) }); i >= 0 {
		return &ops[i]
	}
	return nil
}

func nameOf(o Op) string { return o.Name }

// OpName is the name of an op.
type OpName string

// instead says how to do what ops of JSON Patch and other names stand for.
var instead = map[string]string{
	"move":   "use add with ${resource…} as the value, and remove",
	"copy":   "use add with ${resource…} as the value",
	"test":   "a condition is the where of the target",
	"delete": "use remove",
}

// Instead implements config.Instead.
func (OpName) Instead(name string) string { return instead[name] }

// Enum returns the names of all ops.
func (OpName) Enum() []string { return lists.Map(ops, nameOf) }

// Doc says what each op does.
func (OpName) Doc() string {
	return strings.Join(lists.Map(ops, func(o Op) string { return o.Name + " " + o.Doc }), "; ") + "."
}

// isOutOfReach tells whether the path leads through a missing list element.
func isOutOfReach(place patchpath.Match) bool {
	return place.Obstacle != nil &&
		(place.Obstacle.Problem == patchpath.OutOfRange || place.Obstacle.Problem == patchpath.MissingElement)
}

// isAbsent tells whether there is nothing at the place.
func isAbsent(place patchpath.Match) bool { return !place.Exists && !place.Append }

// isBeyondList tells whether the place is the index behind the last element of a list.
func isBeyondList(place patchpath.Match) bool {
	return isAbsent(place) && place.Location[len(place.Location)-1].IsIndex
}

// isElementMissing tells whether the path leads to, or through, a missing list element.
func isElementMissing(place patchpath.Match) bool {
	return isOutOfReach(place) || place.Obstacle == nil && isBeyondList(place)
}
