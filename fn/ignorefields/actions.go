package ignorefields

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// actions is the table of actions, the default first. A new one is an entry here and a file of its
// own.
var actions = []Action{strip, annotate, takeLive}

// Action is an entry of the table of actions: what is done at the locations that the rules find.
type Action struct {
	Name ActionName
	// Does describes the action, as the rest of a sentence that begins with its name.
	Does string
	// Effect is what the output has of the fields.
	Effect Effect
	// onCreate is true if the action also changes an object that the cluster does not have; other
	// actions leave that whole.
	onCreate bool
	// ownsRecord is true if the action keeps the annotation fn.kpt.dev/ignored-fields, also on
	// objects without rules. Other actions remove it once a rule has read it.
	ownsRecord bool
	// prepare edits the view of the object, from which the found fields are removed, until it is
	// what is hashed; nil if it is already.
	prepare func(*job) error
	// act edits the object and reports what was done.
	act func(*job) error
	// adds edits the object to have what the action applies beside the fields; nil for nothing.
	adds func(*job, *object.Object) error
}

// Effect is what the output has of the fields.
type Effect int

// The effects. The default keeps the fields; what takes them from live objects needs these.
const (
	Kept Effect = iota
	LeftOut
	TakenFromLive
)

// ActionName is the name of an action.
type ActionName string

// Strip is the name of the default action.
const Strip ActionName = "Strip"

// Enum returns the names of all actions, the default first.
func (ActionName) Enum() []string {
	return lists.Map(actions, func(a Action) string { return string(a.Name) })
}

// Doc says what each action does.
func (ActionName) Doc() string {
	return strings.Join(lists.Map(actions, func(a Action) string { return string(a.Name) + " " + a.Does }), "; ") + "."
}

// ActionOf returns the action of a name; the zero Action, which keeps the fields, if there is none.
func ActionOf(name ActionName) Action {
	if i := slices.IndexFunc(actions, func(a Action) bool { return a.Name == name }); i >= 0 {
		return actions[i]
	}
	return Action{}
}

// ActionThatKeeps returns the name of an action that keeps the fields and needs nothing but the
// objects, for a caller that only asks which fields are found.
func ActionThatKeeps() ActionName {
	i := slices.IndexFunc(actions, func(a Action) bool { return a.Effect == Kept })
	return actions[i].Name
}
