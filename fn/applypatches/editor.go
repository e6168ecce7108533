package applypatches

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/cel"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// editor makes the edits of one operation on one object, and records the changes. A value that is
// equal to the current one changes nothing.
type editor struct {
	job    *job
	object *object.Object
	// isInside is true if the object is a document in a string.
	isInside bool
	// operation is the operation, path its path with its expressions evaluated, and in has the
	// variables of its value.
	operation operation
	path      *patchpath.Path
	in        cel.Input
	// value is the operation's value, nil if it depends on the current one.
	value   *tree.Node
	changes []change
}

// change is a place that was changed.
type change struct {
	location location.Location
	// inside are the places in documents of the string at the location, from the outside in.
	inside []embedded.Place
	// isNew is true if nothing was there before, isGone if nothing is there now.
	isNew, isGone bool
}

// act runs the operation at the places, and checks the result.
func (e *editor) act(places []patchpath.Target) error {
	if err := e.evalValue(); err != nil {
		return err
	}
	if e.operation.op.Value != NoValue {
		if err := e.checkReachable(places); err != nil {
			return err
		}
	}
	wasNamed := isNamed(e.object.Root())
	if err := e.operation.op.run(e, places); err != nil {
		return err
	}
	if e.isInside {
		return nil
	}
	if err := e.checkIdentity(wasNamed); err != nil {
		return err
	}
	return e.checkMetadata()
}

func (e *editor) fail(format string, args ...any) error {
	return &patchpath.ResolveError{Path: e.path.String(), Reason: fmt.Sprintf(format, args...)}
}

func (e *editor) at(l location.Location) *tree.Node { return location.At(e.object.Root(), l) }

// set replaces the current value with a copy of value, or appends it to the parent, which must
// exist.
func (e *editor) set(l location.Location, value *tree.Node) error {
	before := e.at(l)
	if before != nil && tree.Equal(before, value) {
		return nil
	}
	if err := e.checkDepth(l, value); err != nil {
		return err
	}
	e.changes = append(e.changes, change{location: l, isNew: before == nil})
	return e.object.Set(l, tree.Copy(value))
}

// insert inserts a copy of value into a list, before the element at a place.
func (e *editor) insert(place patchpath.Target, value *tree.Node) error {
	l := place.Location
	if err := e.checkDepth(l, value); err != nil {
		return err
	}
	e.changes = append(e.changes, change{location: l, isNew: true})
	return e.object.Insert(l, tree.Copy(value))
}

// checkDepth returns an error if a value would be too deep at the location.
func (e *editor) checkDepth(l location.Location, value *tree.Node) error {
	if most := e.object.MaxDepth(); !object.Fits(value, most-len(l)) {
		return e.fail("maps and lists must be nested at most %d levels deep in an object", most)
	}
	return nil
}

// create puts a copy of value at a place that is missing or null, and creates missing parents.
func (e *editor) create(place patchpath.Target, value *tree.Node) error {
	if place.Exists {
		return e.set(place.Location, value)
	}
	for i := len(place.Missing) - 1; i > 0; i-- {
		if step := place.Missing[i]; step.IsIndex {
			value = &tree.Node{Kind: tree.SequenceNode, Content: []*tree.Node{value}}
		} else {
			value = &tree.Node{Kind: tree.MappingNode, Content: []*tree.Node{tree.NewString(step.Key), value}}
		}
	}
	l := place.Parent.With(place.Missing[0])
	if err := e.checkDepth(l, value); err != nil {
		return err
	}
	e.changes = append(e.changes, change{location: place.Location, isNew: true})
	return e.object.Set(l, tree.Copy(value))
}

// mergeOver sets each member of value in the map at l, whose other members stay.
func (e *editor) mergeOver(l location.Location, value *tree.Node) error {
	for key, member := range tree.Entries(value) {
		if err := e.set(l.With(location.Key(key)), member); err != nil {
			return err
		}
	}
	return nil
}

// checkReachable returns an error if no value can be put at one of the places.
func (e *editor) checkReachable(places []patchpath.Target) error {
	for _, place := range places {
		if place.Obstacle != nil {
			return place.Obstacle
		}
	}
	return nil
}
