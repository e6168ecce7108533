// Package livevalue works out how to put the live values of some fields into an object of the
// package, so that an apply changes nothing there.
//
// It knows no dialect: its input is locations, resolved in both objects. It edits through package
// object, which keeps the text of everything else.
package livevalue

import (
	"fmt"
	"slices"
	"sort"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Named is a location and the number of the expression that found it.
type Named struct {
	At location.Location
	By int
}

// Input is the input of Compare, which changes nothing in it.
type Input struct {
	// Ours is the object of the package, Live the one on the cluster.
	Ours, Live *tree.Node
	// InOurs and InLive are the locations, resolved in each.
	InOurs, InLive []Named
	// Keys returns the key in the schema of the list at a location of Ours; none if it has none or
	// is not known.
	Keys func(list location.Location) listkey.Key
	// IsKept tells whether a location of Ours keeps its value, such as an annotation that a host
	// sets.
	IsKept func(location.Location) bool
	// IsLenient pairs elements that nothing tells apart by their order, and counts a value of
	// another type as none, where Compare otherwise fails.
	IsLenient bool
	// Choose returns the value for a place that the live object has: its live value, a part of it,
	// or nil for none. A place that only ours has then stays as it is, unless the live object has
	// the value under another name: then it gets what Choose returns for it. If Choose is nil,
	// every place gets the live value, also none.
	Choose func(PairedField) *tree.Node
}

// PairedField is a place that an expression named. Value is the live one; Old is nil if ours has
// none.
type PairedField struct {
	// At and InLive are where it is in the two objects.
	At, InLive location.Location
	Old, Value *tree.Node
	By         int
	// IsMoved is true if the live object has the value under another name.
	IsMoved bool
}

// spot is a place in both objects.
type spot struct{ ours, live location.Location }

func (s spot) with(ours, live location.Step) spot { return spot{s.ours.With(ours), s.live.With(live)} }

// Change is one field of our object that gets another value. Old is nil for a new field, New for
// one that is removed.
type Change struct {
	At       location.Location
	Old, New *tree.Node
	By       int
}

// ChangeSet is the changes to make, and what they are about.
type ChangeSet struct {
	// Changes are in the order of their locations.
	Changes []Change
	// Places are the places of our object that the locations name, whether something is there or
	// not, and Parents the maps and lists that hold them or will.
	Places, Parents []location.Location
	edits           []edit
}

// edit is one edit of our object.
type edit struct {
	at location.Location
	// value is the new value; nil removes the field.
	value *tree.Node
	// insert puts the value before the element at the location.
	insert bool
}

// Error is a place that is a map in one object and a list or a scalar in the other, or an element
// of one list that corresponds to several of the other.
type Error struct {
	reason string
	By     int
}

func (e *Error) Error() string { return e.reason }

// Compare returns the changes to make at the locations. The error is an *Error.
func Compare(in Input) (ChangeSet, error) {
	c := comparison{Input: in, live: location.NewReader(in.Live), ours: location.NewReader(in.Ours)}
	err := c.at(in.Ours, in.Live, wantOf(in.InOurs), wantOf(in.InLive), spot{})
	if err != nil {
		return ChangeSet{}, err
	}
	changes := c.out.Changes
	slices.SortStableFunc(changes, func(a, b Change) int { return location.Compare(a.At, b.At) })
	return c.out, nil
}

type comparison struct {
	Input
	ours, live *location.Reader
	out        ChangeSet
	kept       int // how many places have got their live values by choice
}

// at compares the values at one place of both objects; nil stands for nothing.
func (c *comparison) at(ours, live *tree.Node, inOurs, inLive *want, s spot) error {
	ours, live = tree.Deref(ours), tree.Deref(live)
	switch {
	case c.IsKept(s.ours):
		return nil
	case inOurs.isEnd():
		c.copyLive(ours, live, s, inOurs.by)
		return nil
	case inLive.isEnd():
		c.copyLive(ours, live, s, inLive.by)
		return nil
	case isNothing(live):
		live = nil
	case isNothing(ours):
		c.makeParents(live, inLive, s)
		return nil
	case ours.Kind != live.Kind:
		if inLive == nil || c.IsLenient {
			live, inLive = nil, nil // the live object has nothing there
			break
		}
		return &Error{By: inLive.first(), reason: fmt.Sprintf(
			"%s must have the same type in the package and on the cluster, found a %s in the package and a %s on the cluster",
			s.ours, tree.Type(ours), tree.Type(live))}
	}
	if tree.IsList(ours) {
		return c.list(ours, live, inOurs, inLive, s)
	}
	for _, step := range steps(inOurs, inLive) {
		err := c.at(c.ours.Lookup(ours, step.Key), c.live.Lookup(live, step.Key), inOurs.child(step), inLive.child(step), s.with(step, step))
		if err != nil {
			return err
		}
	}
	return nil
}

func isNothing(n *tree.Node) bool { return n == nil || tree.Type(n) == tree.Null }

// copyLive copies the live value at a place to our object.
func (c *comparison) copyLive(ours, live *tree.Node, s spot, by int) {
	switch moved := MovedTo(c.live, s.live); {
	case c.IsKept(s.ours):
		return
	case live == nil && ours != nil && moved != nil && c.Choose != nil:
		value := c.Choose(PairedField{At: s.ours, InLive: moved, Old: ours, Value: location.At(c.Live, moved), By: by, IsMoved: true})
		c.set(ours, value, s.ours, by)
		return
	case live == nil && c.Choose != nil:
		return
	}
	keeps := func(key string) bool { return c.IsKept(s.ours.With(location.Key(key))) }
	if slices.ContainsFunc(keysOf(ours, live), keeps) {
		c.copyMembers(ours, live, s, by)
		return
	}
	c.set(ours, c.chosen(ours, live, s, by), s.ours, by)
}

// set gives a place of our object another value; nil removes it.
func (c *comparison) set(ours, value *tree.Node, l location.Location, by int) {
	c.place(l)
	switch {
	case value == nil && ours == nil, value != nil && ours != nil && tree.Equal(ours, value):
		return
	case value == nil:
		c.out.edits = append(c.out.edits, edit{at: l})
	default:
		c.out.edits = append(c.out.edits, edit{at: l, value: Plain(value)})
	}
	c.out.Changes = append(c.out.Changes, Change{At: l, Old: ours, New: value, By: by})
}

// chosen returns the value that our object gets for a live one.
func (c *comparison) chosen(ours, live *tree.Node, s spot, by int) *tree.Node {
	if c.Choose == nil {
		return live
	}
	value := c.Choose(PairedField{At: s.ours, InLive: s.live, Old: ours, Value: live, By: by})
	if value != nil && tree.Equal(value, live) {
		c.kept++
	}
	return value
}

func (c *comparison) place(l location.Location) {
	c.out.Places = append(c.out.Places, l)
	c.out.Parents = append(c.out.Parents, l[:len(l)-1])
}

// keysOf returns the keys of two maps, sorted.
func keysOf(maps ...*tree.Node) []string {
	var keys []string
	for _, n := range maps {
		for key := range tree.Entries(n) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// copyMembers copies the members of a map one by one, since some of them keep their values.
func (c *comparison) copyMembers(ours, live *tree.Node, s spot, by int) {
	if isNothing(ours) && tree.IsMap(live) {
		all := &want{children: map[location.Step]*want{}}
		for key := range tree.Entries(live) {
			if step := location.Key(key); !c.IsKept(s.ours.With(step)) {
				all.children[step] = &want{end: true, by: by}
			}
		}
		c.makeParents(live, all, s)
		return
	}
	for _, key := range keysOf(ours, live) {
		step := location.Key(key)
		c.copyLive(tree.Lookup(ours, key), tree.Lookup(live, key), s.with(step, step), by)
	}
}

// makeParents copies the live values at the places below s, with the maps and lists around them,
// where our object has nothing.
func (c *comparison) makeParents(live *tree.Node, inLive *want, s spot) {
	if made := c.made(live, inLive, s); made != nil {
		c.out.edits = append(c.out.edits, edit{at: s.ours, value: made})
	}
}

// made returns a map or list with only the wanted parts of live; nil for nothing.
func (c *comparison) made(live *tree.Node, wanted *want, s spot) *tree.Node {
	live = tree.Deref(live)
	if wanted.isEnd() {
		if c.IsKept(s.ours) {
			return nil
		}
		c.place(s.ours)
		if live = c.chosen(nil, live, s, wanted.by); live == nil {
			return nil
		}
		c.out.Changes = append(c.out.Changes, Change{At: s.ours, New: live, By: wanted.by})
		return Plain(live)
	}
	made := live.Bare()
	made.Style = 0
	for _, step := range steps(wanted, nil) {
		child := wanted.child(step)
		switch {
		case !step.IsIndex:
			if value := c.made(tree.Lookup(live, step.Key), child, s.with(step, step)); value != nil {
				made.Content = append(made.Content, tree.NewString(step.Key), value)
			}
		case child.isEnd(): // an element is copied as a whole or not at all
			if value := c.made(live.Content[step.Index], child, s.with(location.Index(len(made.Content)), step)); value != nil {
				made.Content = append(made.Content, value)
			}
		}
	}
	if len(made.Content) == 0 {
		return nil
	}
	return made
}

// Plain returns a copy of a value in block style, with quotes only where they are needed.
func Plain(value *tree.Node) *tree.Node {
	n := tree.Copy(value)
	restyle(n)
	return n
}

func restyle(n *tree.Node) {
	if n.Kind != tree.ScalarNode {
		n.Style &^= tree.FlowStyle
	} else if tree.Type(n) == tree.String {
		*n = *tree.NewString(n.Text())
	}
	for _, child := range n.Content {
		restyle(child)
	}
}

// Apply makes the changes in our object, which must not have changed since Compare. The error is an
// *object.PlaceError.
func (o ChangeSet) Apply(ours *object.Object) error {
	// Fields are set in their order first. Of the edits that move elements, later locations come
	// first, so that the others stay valid, and of those at one location the last.
	slices.Reverse(o.edits)
	sort.SliceStable(o.edits, func(i, j int) bool {
		a, b := o.edits[i], o.edits[j]
		order := location.Compare(a.at, b.at)
		switch {
		case a.moves() != b.moves():
			return b.moves()
		case order != 0:
			return (order < 0) != a.moves()
		}
		return !a.insert && b.insert
	})
	var gone []location.Location // in a row, for which a large map is gone through once
	for _, e := range o.edits {
		if e.value == nil {
			gone = append(gone, e.at)
			continue
		}
		ours.Remove(gone)
		gone = nil
		edit := ours.Replace
		if e.insert {
			edit = ours.Insert
		}
		if err := edit(e.at, e.value); err != nil {
			return err
		}
	}
	ours.Remove(gone)
	return nil
}

// moves tells whether the edit may give other elements another index.
func (e edit) moves() bool { return e.insert || e.value == nil }
