package applypatches

import (
	"fmt"
	"sync"

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
	inside []embedded.InnerLocation
	// before is the value that a document in a string had there when it was read.
	before *tree.Node
	// isNew is true if nothing was there before, isGone if nothing is there now.
	isNew, isGone bool
}

// act runs the operation at the places, and checks the result.
func (e *editor) act(places []patchpath.Match) error {
	if err := e.evalValue(); err != nil {
		return err
	}
	for _, place := range places {
		if e.operation.op.Value != NoValue && place.Obstacle != nil {
			return place.Obstacle // no value can be put there
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

// put makes an edit at a location that puts value in the place of the current one, if it differs.
func (e *editor) put(l location.Location, value *tree.Node, edit func(location.Location, *tree.Node) error) error {
	before := e.object.At(l)
	if before != nil && tree.Equal(before, value) {
		return nil
	}
	return e.edit(l, value, change{location: l, isNew: before == nil}, edit)
}

// set replaces the current value with a copy of value, or appends it to the parent, which must
// exist.
func (e *editor) set(l location.Location, value *tree.Node) error {
	return e.put(l, value, e.object.Set)
}

// replace is set for a value that replaces another, of which equal parts keep their text.
func (e *editor) replace(l location.Location, value *tree.Node) error {
	return e.put(l, value, e.object.Replace)
}

// insert inserts a copy of value into a list, before the element at a place.
func (e *editor) insert(place patchpath.Match, value *tree.Node) error {
	return e.edit(place.Location, value, change{location: place.Location, isNew: true}, e.object.Insert)
}

// edit makes an edit with a copy of value, and records the change. It returns an error if the value
// would be too deep at the location.
func (e *editor) edit(l location.Location, value *tree.Node, c change, edit func(location.Location, *tree.Node) error) error {
	if most := e.object.MaxDepth(); !object.Fits(value, most-len(l)) {
		return e.fail("maps and lists must be nested at most %d levels deep in an object", most)
	}
	e.changes = append(e.changes, c)
	return edit(l, tree.Copy(value))
}

// create puts a copy of value at a place that is missing or null, and creates missing parents.
func (e *editor) create(place patchpath.Match, value *tree.Node) error {
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
	return e.edit(place.Parent.With(place.Missing[0]), value, change{location: place.Location, isNew: true}, e.object.Set)
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

// evalValue evaluates the value of the operation, unless it depends on the value that it replaces.
func (e *editor) evalValue() error {
	o := e.operation
	switch {
	case o.value == nil:
		return nil
	case !o.readsCurrent:
		var err error
		e.value, err = e.eval(e.in)
		return err
	}
	if resource, ok := e.in.Variables[cel.Resource].(func() any); ok && o.value.Reads(cel.Resource) {
		resource() // keeps the element as it is before the first edit
	}
	return nil
}

// valueFor returns the new value for a current one, nil for nothing.
func (e *editor) valueFor(current *tree.Node) (*tree.Node, error) {
	if !e.operation.readsCurrent {
		return e.value, nil
	}
	return e.eval(e.in.With(cel.Current, sync.OnceValue(func() any { return tree.Value(current) })))
}

func (e *editor) eval(in cel.Input) (*tree.Node, error) {
	value, err := e.operation.value.Eval(in)
	if err == nil && e.operation.op.Value == MapValue && !tree.IsMap(value) {
		err = e.fail("the value must be a map, found %s", tree.Typed(value))
	}
	return value, err
}

// identity returns a map with the keys that identify list elements; they do not depend on the
// element.
func (e *editor) identity() (*tree.Node, error) {
	if !e.operation.readsCurrent {
		return e.value, nil
	}
	identity := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag}
	for _, key := range e.operation.keys {
		value, err := e.operation.value.Member(key).Eval(e.in)
		if err != nil {
			return nil, err
		}
		identity.Content = append(identity.Content, tree.NewString(key), value)
	}
	return identity, nil
}

// checkCurrent reports a value that depends on a list element which its keys do not identify.
func (c *compiler) checkCurrent(o operation, at string) {
	if !o.readsCurrent {
		return
	}
	for _, key := range o.keys {
		if member := o.value.Member(key); member == nil || member.Reads(cel.Current) {
			c.fault(at, "must be a map with the key %q, and its value must not use current: the key selects the element that is current", key)
		}
	}
}
