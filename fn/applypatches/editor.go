package applypatches

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/quota"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// PlaceError is an operation that can't be done at a place.
type PlaceError struct {
	// Path is the path of the operation, with the values of its expressions.
	Path string
	// Reason says what was expected at the place and what was found.
	Reason string
}

func (e *PlaceError) Error() string {
	return fmt.Sprintf("path '%s': %s", e.Path, e.Reason)
}

// editor makes the edits of one operation on one object, and notes what they change. A value that
// is equal to what is there changes nothing.
type editor struct {
	job    *job
	object *object.Object
	// isInside is true where the object is a document in a string.
	isInside bool
	// operation is what is done, path its path with the values of its expressions, variables what
	// its value sees.
	operation operation
	path      *patchpath.Path
	variables map[string]any
	// value is that of the operation, nil where it depends on what it takes the place of.
	value *yaml.Node
	// reach are the steps to a place.
	reach   int64
	changes []change
	// kept are the indexes that the operation has used, and kept true.
	kept []*listIndex
}

// change is a place that was changed.
type change struct {
	location location.Location
	// inside are the places in documents of the string at the location, from the outside in.
	inside []embedded.Place
	// isNew is true where nothing was there before, isGone where nothing is there after.
	isNew, isGone bool
}

// act does what the operation stands for at the places, and checks what comes of it.
func (e *editor) act(places []patchpath.Target) error {
	if err := e.evalValue(); err != nil {
		return err
	}
	if err := e.operation.op.run(e, places); err != nil {
		return err
	}
	if e.isInside {
		return nil
	}
	if err := e.checkIdentity(); err != nil {
		return err
	}
	return e.checkMetadata()
}

func (e *editor) fail(format string, args ...any) error {
	return &PlaceError{Path: e.path.String(), Reason: fmt.Sprintf(format, args...)}
}

func (e *editor) at(l location.Location) *yaml.Node { return location.At(e.object.Root(), l) }

// set puts a copy of value in the place of what is there, or behind the last member or element of
// the parent, which must be there.
func (e *editor) set(l location.Location, value *yaml.Node) error {
	size, err := e.look(value)
	if err != nil {
		return err
	}
	before := e.at(l)
	if before != nil && tree.Equal(before, value) {
		return nil
	}
	if err := e.make(l, value, size); err != nil {
		return err
	}
	e.changes = append(e.changes, change{location: l, isNew: before == nil})
	return e.object.Set(l, tree.Copy(value))
}

// insert puts a copy of value into a list, before the element at l.
func (e *editor) insert(l location.Location, value *yaml.Node) error {
	size, err := e.look(value)
	if err == nil {
		err = e.shift(l[:len(l)-1])
	}
	if err == nil {
		err = e.make(l, value, size)
	}
	if err != nil {
		return err
	}
	e.changes = append(e.changes, change{location: l, isNew: true})
	return e.object.Insert(l, tree.Copy(value))
}

// remove removes what is at the locations.
func (e *editor) remove(locations []location.Location) error {
	for _, l := range locations {
		if err := e.job.account.Make(quota.NodeSize); err != nil { // it is part of the result
			return err
		}
		e.changes = append(e.changes, change{location: l, isGone: true})
	}
	if err := e.shift(locations[0][:max(len(locations[0])-1, 0)]); err != nil {
		return err
	}
	e.object.Remove(locations)
	return nil
}

// look counts the steps to a place and those to copy a value there, and returns the value's size.
func (e *editor) look(value *yaml.Node) (size int64, err error) {
	size = quota.SizeOf(value, e.job.account.Left())
	return size, e.job.account.Step(e.reach + size/quota.NodeSize)
}

// shift counts the elements, or members, of what is at the location, which move when one comes or
// goes.
func (e *editor) shift(l location.Location) error {
	const atOnce = 32
	n := e.at(l)
	if n == nil {
		return nil
	}
	return e.job.account.Step(e.reach + int64(len(n.Content))/atOnce)
}

// make counts a value that is put at the location, and checks that it is not too deep there.
func (e *editor) make(l location.Location, value *yaml.Node, size int64) error {
	if most := e.object.MaxDepth(); !object.Fits(value, most-len(l)) {
		return e.fail("maps and lists must be nested at most %d levels deep in an object", most)
	}
	err := e.job.account.Make(size)
	e.job.weigh()
	return err
}

// createOver puts the value for what is there, nil for nothing, at a place.
func (e *editor) createOver(place patchpath.Target, current *yaml.Node) error {
	value, err := e.valueFor(current)
	if err != nil {
		return err
	}
	return e.create(place, value)
}

// create puts a copy of value at a place where nothing or a null is, and the maps and the list that
// are missing around it.
func (e *editor) create(place patchpath.Target, value *yaml.Node) error {
	if place.Exists {
		return e.set(place.Location, value)
	}
	for i := len(place.Missing) - 1; i > 0; i-- {
		if step := place.Missing[i]; step.IsIndex {
			value = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{value}}
		} else {
			value = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{tree.NewString(step.Key), value}}
		}
	}
	l := place.Parent.With(place.Missing[0])
	size, err := e.look(value)
	if err == nil {
		err = e.make(l, value, size)
	}
	if err != nil {
		return err
	}
	e.changes = append(e.changes, change{location: place.Location, isNew: true})
	return e.object.Set(l, tree.Copy(value))
}

// mergeOver lays a copy of each member of value over the map at l, of whose members those with
// other keys stay.
func (e *editor) mergeOver(l location.Location, value *yaml.Node) error {
	for key, member := range tree.Entries(value) {
		if err := e.job.account.Step(int64(len(e.at(l).Content) / looksPerStep)); err != nil {
			return err
		}
		if err := e.set(l.With(location.Key(key)), member); err != nil {
			return err
		}
	}
	return nil
}

// checkReachable returns an error where no value can be put at one of the places.
func (e *editor) checkReachable(places []patchpath.Target) error {
	for _, place := range places {
		if place.Obstacle != nil {
			return e.withFix(*place.Obstacle)
		}
	}
	return nil
}

// withFix adds to an obstacle the path that may be meant. It is looked for only here, since a path
// may have an obstacle at each of many places.
func (e *editor) withFix(obstacle patchpath.ResolveError) error {
	if fix := e.path.StarFix(); fix != "" {
		obstacle.Reason += fmt.Sprintf("; every element of a list is [*], write '%s'", fix)
	} else if fix := e.path.Fit(e.object.Root()); fix != "" {
		obstacle.Reason += fmt.Sprintf("; did you mean '%s'?", fix)
	}
	return &obstacle
}

// checkMaps returns an error where one of the places has something else than a map, or is an
// element that a list does not have.
func (e *editor) checkMaps(places []patchpath.Target) error {
	for _, place := range places {
		switch n := e.at(place.Location); {
		case place.Exists && !tree.IsMap(n) && tree.Type(n) != tree.Null:
			return e.fail("%s must be a map, found %s", place.Location, config.TypeOf(n))
		case isBeyondList(place):
			return e.fail(`the list element %s must be there; "-" in its place appends one`, place.Location)
		}
	}
	return nil
}
