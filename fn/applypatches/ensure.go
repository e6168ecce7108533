package applypatches

import (
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/expr/patchpath"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var ensure = Op{
	Name: "ensure", Doc: "merges a map into the list element with the same key, or appends it",
	Value: MapValue, NeedsKey: true, run: runEnsure, isMissing: isElementMissing,
}

// runEnsure ensures that the list at the place has an element with the members of the value, a map:
// they are set in every element that has the same values of all keys, or else the value is
// appended. With replace: true, the value replaces these elements. A missing list is created with
// its parents.
func runEnsure(e *editor, places []patchpath.Match) error {
	identity, err := e.identity()
	if err != nil {
		return err
	}
	for _, key := range e.operation.keys {
		if tree.Lookup(identity, key) == nil {
			return e.fail("the value must have the key %q, which identifies the elements of the list", key)
		}
	}
	if err := e.checkLists(places); err != nil {
		return err
	}
	for _, place := range places {
		if err := e.ensureAt(place, identity); err != nil {
			return err
		}
	}
	return nil
}

// checkLists returns an error if one of the places is no list, or is an element that a list does
// not have.
func (e *editor) checkLists(places []patchpath.Match) error {
	for _, place := range places {
		switch n := e.object.At(place.Location); {
		case place.Append:
			return e.fail(`the path must name the list itself; leave out the "-" at its end`)
		case place.Exists && !tree.IsList(n) && tree.Type(n) != tree.Null:
			return e.fail("%s must be a list, found %s", place.Location, tree.Typed(n))
		case isBeyondList(place):
			return e.fail("the list element %s must exist, since a path creates no list elements", place.Location)
		}
	}
	return nil
}

// ensureAt does that in one list; identity has the keys of the element.
func (e *editor) ensureAt(place patchpath.Match, identity *tree.Node) error {
	list := e.object.At(place.Location)
	if !tree.IsList(list) {
		value, err := e.valueFor(nil)
		if err != nil {
			return err
		}
		return e.create(place, &tree.Node{Kind: tree.SequenceNode, Content: []*tree.Node{value}})
	}
	elements, wanted := tree.Elements(list), make([]*tree.Node, len(e.operation.keys))
	for i, key := range e.operation.keys {
		wanted[i] = tree.Lookup(identity, key)
	}
	found := false
	for i, element := range elements {
		if !e.hasKeys(element, wanted) {
			continue
		}
		found = true
		value, err := e.valueFor(element)
		if err != nil {
			return err
		}
		put := e.mergeOver
		if e.operation.replaces {
			put = e.replace
		}
		if err := put(place.Location.With(location.Index(i)), value); err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	value, err := e.valueFor(nil)
	if err != nil {
		return err
	}
	return e.set(place.Location.With(location.Index(len(elements))), value)
}

// hasKeys tells whether an element has these values of all keys.
func (e *editor) hasKeys(element *tree.Node, wanted []*tree.Node) bool {
	for i, key := range e.operation.keys {
		if has := tree.Lookup(element, key); has == nil || !tree.Equal(has, wanted[i]) {
			return false
		}
	}
	return true
}
