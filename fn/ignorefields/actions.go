package ignorefields

import "slices"

// action is what is done at the locations that the rules find.
type action struct {
	name string
	// needsLive is true where there must be live objects.
	needsLive bool
	// onCreate is true where the action is also for an object that the cluster
	// does not have; other actions leave that whole.
	onCreate bool
	// prepare takes out of the object what else the hash leaves out; what the
	// rules found in it is out already. It is nil where that is all.
	prepare func(*job) error
	// act edits the object and reports what was done.
	act func(*job) error
}

// actions are the values of the field action, the default first.
var actions = []action{strip, annotate, takeLive}

// actionOf returns the action of a name. A name that is none is a fault that has
// been found before, and counts as the default.
func actionOf(name string) action {
	if i := slices.IndexFunc(actions, func(a action) bool { return a.name == name }); i > 0 {
		return actions[i]
	}
	return actions[0]
}

// Actions are the names of the actions, the default first.
func Actions() []string {
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = a.name
	}
	return names
}
