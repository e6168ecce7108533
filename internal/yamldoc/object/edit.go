package object

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Set puts value at the location: it replaces the current value, or is added as the last member of
// the map, or, at the index behind the last element, to the list. The parent must exist; the empty
// location replaces the whole object.
func (o *Object) Set(l location.Location, value *tree.Node) error {
	if len(l) == 0 {
		o.load()
		o.root = value
		return nil
	}
	parent, err := o.parent(l)
	if err != nil {
		return err
	}
	last := l[len(l)-1]
	if last.IsIndex {
		if last.Index == len(parent.Content) {
			parent.Content = append(parent.Content, value)
			return nil
		}
		o.noteReplaced(parent.Content[last.Index], value)
		parent.Content[last.Index] = value
		return nil
	}
	if i := o.memberIndex(parent, last.Key); i >= 0 {
		parent.Content[i+1] = value
		return nil
	}
	o.addMember(parent, last.Key, value)
	return nil
}

// addMember adds a member at the end of the map m, or at its old place if it was removed from m
// before.
func (o *Object) addMember(m *tree.Node, key string, value *tree.Node) {
	old := o.origins[m]
	was := -1
	if old != nil && old.Kind == tree.MappingNode {
		was = o.memberIndex(old, key)
	}
	if was < 0 {
		m.Content = append(m.Content, o.NewString(key), value)
		return
	}
	at := 0
	for i := 0; i < was; i += 2 {
		if at < len(m.Content) && m.Content[at] == old.Content[i] {
			at += 2
		}
	}
	m.Content = slices.Insert(m.Content, at, old.Content[was], value)
	delete(o.keys, m)
}

// NewString returns a string for an edit of the object, in the memory of its data.
func (o *Object) NewString(s string) *tree.Node {
	if o.memory == nil {
		return tree.NewString(s)
	}
	return o.memory.NewString(s)
}

// NewMap returns a map with a copy of the content, as NewString a string.
func (o *Object) NewMap(content []*tree.Node) *tree.Node {
	if o.memory == nil {
		return &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag, Content: slices.Clone(content)}
	}
	return o.memory.NewMap(content)
}

// Insert inserts value into a list before the element at the location's index, or appends it if the
// index is the length of the list.
func (o *Object) Insert(l location.Location, value *tree.Node) error {
	if len(l) == 0 || !l[len(l)-1].IsIndex {
		return &PlaceError{Location: l, Reason: "an element can only be inserted at an index of a list"}
	}
	parent, err := o.parent(l)
	if err != nil {
		return err
	}
	parent.Content = slices.Insert(parent.Content, l[len(l)-1].Index, value)
	return nil
}

// PlaceError is an edit at a place that the object does not have.
type PlaceError struct {
	Location location.Location
	Reason   string
}

func (e *PlaceError) Error() string {
	return fmt.Sprintf("no value can be set at %s: %s", e.Location, e.Reason)
}

// parent returns the collection that holds the location, ready to be changed.
func (o *Object) parent(l location.Location) (*tree.Node, error) {
	last := l[len(l)-1]
	at := o.At(l[:len(l)-1])
	switch {
	case at == nil:
		return nil, &PlaceError{Location: l, Reason: "its parent does not exist"}
	case last.IsIndex && at.Kind != tree.SequenceNode:
		return nil, &PlaceError{Location: l, Reason: "its parent must be a list, found a " + tree.Type(at)}
	case last.IsIndex && (last.Index < 0 || last.Index > len(at.Content)):
		return nil, &PlaceError{Location: l, Reason: fmt.Sprintf("the list has %d elements", len(at.Content))}
	case !last.IsIndex && at.Kind != tree.MappingNode:
		return nil, &PlaceError{Location: l, Reason: "its parent must be a map, found a " + tree.Type(at)}
	}
	parent := o.own(l[:len(l)-1])
	if len(parent.Content) == 0 {
		parent.Style &^= tree.FlowStyle // `{}` does not show the style of its new content
	}
	return parent, nil
}

// At is location.At in the edited data, but does not go through a large map each time.
func (o *Object) At(l location.Location) *tree.Node {
	return o.descend(o.Root(), l)
}
