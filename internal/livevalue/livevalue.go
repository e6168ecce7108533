// Package livevalue works out how to put the live values of some fields into an object of the
// package, so that an apply changes nothing there.
//
// It knows no dialect: its input is locations, resolved in both objects. It edits through package
// object, which keeps the text of everything else.
package livevalue

import (
	"fmt"
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
}

// Change is one field of our object that gets another value. Old is nil for a new field, New for
// one that is removed.
type Change struct {
	At       location.Location
	Old, New *tree.Node
	By       int
}

// Outcome is the changes to make.
type Outcome struct {
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

// TypeError is a place that is a map in one object and a list or a scalar in the other.
type TypeError struct {
	At         location.Location
	Ours, Live string
	By         int
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("%s must have the same type in the package and on the cluster, found a %s in the package and a %s on the cluster",
		e.At, e.Ours, e.Live)
}

// Compare returns the changes to make at the locations. The error is a *TypeError or an
// *AmbiguousError.
func Compare(in Input) (Outcome, error) {
	c := comparison{Input: in}
	err := c.at(in.Ours, in.Live, wantOf(in.InOurs), wantOf(in.InLive), nil)
	if err != nil {
		return Outcome{}, err
	}
	changes := c.out.Changes
	sort.SliceStable(changes, func(i, j int) bool { return location.Compare(changes[i].At, changes[j].At) < 0 })
	return c.out, nil
}

type comparison struct {
	Input
	out Outcome
}

// at compares the values at one place of both objects; nil stands for nothing.
func (c *comparison) at(ours, live *tree.Node, inOurs, inLive *want, l location.Location) error {
	ours, live = tree.Deref(ours), tree.Deref(live)
	switch {
	case inOurs.isEnd() || inLive.isEnd():
		c.copyLive(ours, live, l, by(inOurs, inLive))
		return nil
	case isNothing(live):
		live = nil
	case isNothing(ours):
		c.makeParents(live, inLive, l)
		return nil
	case ours.Kind != live.Kind:
		if inLive == nil {
			live = nil // the live object has nothing there
			break
		}
		return &TypeError{At: l, Ours: tree.Type(ours), Live: tree.Type(live), By: inLive.first()}
	}
	if tree.IsList(ours) {
		return c.list(ours, live, inOurs, inLive, l)
	}
	for _, step := range steps(inOurs, inLive) {
		err := c.at(tree.Lookup(ours, step.Key), tree.Lookup(live, step.Key), inOurs.child(step), inLive.child(step), l.With(step))
		if err != nil {
			return err
		}
	}
	return nil
}

func isNothing(n *tree.Node) bool { return n == nil || tree.Type(n) == tree.Null }

// copyLive copies the live value at a location to our object.
func (c *comparison) copyLive(ours, live *tree.Node, l location.Location, by int) {
	if c.IsKept(l) {
		return
	}
	if c.keptIn(ours, live, l) {
		c.copyMembers(ours, live, l, by)
		return
	}
	c.place(l)
	switch {
	case live == nil && ours == nil, live != nil && ours != nil && tree.Equal(ours, live):
		return
	case live == nil:
		c.out.edits = append(c.out.edits, edit{at: l})
	default:
		c.out.edits = append(c.out.edits, edit{at: l, value: plainCopy(live)})
	}
	c.out.Changes = append(c.out.Changes, Change{At: l, Old: ours, New: live, By: by})
}

func (c *comparison) place(l location.Location) {
	c.out.Places = append(c.out.Places, l)
	c.out.Parents = append(c.out.Parents, l[:len(l)-1])
}

// keptIn tells whether one of the maps has a member that keeps its value.
func (c *comparison) keptIn(ours, live *tree.Node, l location.Location) bool {
	for _, n := range []*tree.Node{ours, live} {
		for key := range tree.Entries(n) {
			if c.IsKept(l.With(location.Key(key))) {
				return true
			}
		}
	}
	return false
}

// copyMembers copies the members of a map one by one, since some of them keep their values.
func (c *comparison) copyMembers(ours, live *tree.Node, l location.Location, by int) {
	if isNothing(ours) && tree.IsMap(live) {
		all := &want{children: map[location.Step]*want{}}
		for key := range tree.Entries(live) {
			if step := location.Key(key); !c.IsKept(l.With(step)) {
				all.children[step] = &want{end: true, by: by}
			}
		}
		c.makeParents(live, all, l)
		return
	}
	var members []location.Location
	for _, n := range []*tree.Node{ours, live} {
		for key := range tree.Entries(n) {
			members = append(members, location.Location{location.Key(key)})
		}
	}
	for _, member := range location.Distinct(members) {
		key := member[0].Key
		c.copyLive(tree.Lookup(ours, key), tree.Lookup(live, key), l.With(member[0]), by)
	}
}

// makeParents copies the live values at the locations below l, with the maps and lists around them,
// where our object has nothing.
func (c *comparison) makeParents(live *tree.Node, inLive *want, l location.Location) {
	if made := c.made(live, inLive, l); made != nil {
		c.out.edits = append(c.out.edits, edit{at: l, value: made})
	}
}

// made returns a map or list with only the wanted parts of live; nil for nothing.
func (c *comparison) made(live *tree.Node, wanted *want, l location.Location) *tree.Node {
	live = tree.Deref(live)
	if wanted.isEnd() {
		if c.IsKept(l) {
			return nil
		}
		c.place(l)
		c.out.Changes = append(c.out.Changes, Change{At: l, New: live, By: wanted.by})
		return plainCopy(live)
	}
	made := live.Bare()
	made.Style = 0
	for _, step := range steps(wanted, nil) {
		child := wanted.child(step)
		at := l.With(step)
		switch {
		case !step.IsIndex:
			if value := c.made(tree.Lookup(live, step.Key), child, at); value != nil {
				made.Content = append(made.Content, tree.NewString(step.Key), value)
			}
		case child.isEnd(): // an element is copied as a whole or not at all
			at[len(at)-1].Index = len(made.Content)
			made.Content = append(made.Content, c.made(live.Content[step.Index], child, at))
		}
	}
	if len(made.Content) == 0 {
		return nil
	}
	return made
}

// plainCopy returns a copy of a live value without the comments and the style of its text.
func plainCopy(live *tree.Node) *tree.Node {
	n := tree.Copy(live)
	restyle(n)
	return n
}

func restyle(n *tree.Node) {
	n.SetComments(tree.Comments{})
	n.Style &^= tree.FlowStyle
	if n.Kind == tree.ScalarNode && tree.Type(n) == tree.String {
		*n = *tree.NewString(n.Text())
	}
	for _, child := range n.Content {
		restyle(child)
	}
}

// Apply makes the changes in our object, which must not have changed since Compare. The error is an
// *object.PlaceError.
func (o Outcome) Apply(ours *object.Object) error {
	// Fields are set in their order first. Of the edits that move elements, later locations come
	// first, so that the others stay valid.
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
	for _, e := range o.edits {
		if err := e.apply(ours); err != nil {
			return err
		}
	}
	return nil
}

// moves tells whether the edit may give other elements another index.
func (e edit) moves() bool { return e.insert || e.value == nil }

func (e edit) apply(ours *object.Object) error {
	switch {
	case e.insert:
		return ours.Insert(e.at, e.value)
	case e.value == nil:
		ours.Remove([]location.Location{e.at})
		return nil
	}
	return ours.Set(e.at, e.value)
}
