package applypatches

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// ensure makes sure that the list at the place has an element with the members
// of the value, a map: they are set in every element in which all the keys have
// the same values, or else the value is appended. The list is made with its
// parents where it is missing.
func ensure(e *editor, places []locate.Target, a argument) error {
	if err := e.checkElement(a); err != nil {
		return err
	}
	if err := e.checkReachable(places); err != nil {
		return err
	}
	if err := e.checkLists(places); err != nil {
		return err
	}
	for _, place := range places {
		if err := e.ensureAt(place, a); err != nil {
			return err
		}
	}
	return nil
}

// checkElement returns an error where the value is no map with all the keys.
func (e *editor) checkElement(a argument) error {
	if !tree.IsMap(a.value) {
		return e.fail("the value must be a map, found %s", typed(a.value))
	}
	for _, key := range a.keys {
		if tree.Lookup(a.value, key) == nil {
			return e.fail("the value must have the key %q, which tells the elements of the list apart", key)
		}
	}
	return nil
}

// checkLists returns an error where one of the places has something else than a
// list, or is that of an element that a list does not have.
func (e *editor) checkLists(places []locate.Target) error {
	for _, place := range places {
		switch n := e.at(place.Location); {
		case place.Append:
			return e.fail(`the path must name the list itself; leave out the "-" at its end`)
		case place.Exists && !tree.IsList(n) && tree.Type(n) != tree.Null:
			return e.fail("%s must be a list, found %s", place.Location, typed(n))
		case isBeyondList(place):
			return e.fail("the list element %s must be there, as a path makes none", place.Location)
		}
	}
	return nil
}

func (e *editor) ensureAt(place locate.Target, a argument) error {
	list := e.at(place.Location)
	if !tree.IsList(list) {
		return e.create(place, &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{a.value}})
	}
	elements := tree.Elements(list)
	index, err := e.job.indexOf(place.Location, elements, a.keys)
	if err != nil {
		return err
	}
	e.kept = append(e.kept, index)
	found := false
	for _, i := range index.candidates(a.value) {
		if !equalKeys(elements[i], a) {
			continue
		}
		found = true
		if err := e.mergeOver(place.Location.With(locate.Index(i)), a.value); err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	index.add(a.value)
	return e.set(place.Location.With(locate.Index(len(elements))), a.value)
}

// equalKeys tells whether an element has the value's values of all keys.
func equalKeys(element *yaml.Node, a argument) bool {
	for _, key := range a.keys {
		has := tree.Lookup(element, key)
		if has == nil || !tree.Equal(has, tree.Lookup(a.value, key)) {
			return false
		}
	}
	return true
}
