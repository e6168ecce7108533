package redact

import (
	"maps"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// edits are a place in an object without and with each of the edits that are not shown, if one may
// hide something there.
type edits []*edit

// step returns the place behind a step.
func (all edits) step(step location.Step) (inside edits) {
	for _, e := range all {
		if behind := e.step(step); behind.before != nil || behind.after != nil || behind.isHidden {
			inside = append(inside, behind)
		}
	}
	return inside
}

// hidesKey tells whether the key that leads to the place is hidden.
func (all edits) hidesKey(key string) bool {
	for _, e := range all {
		if e.isNew(key) {
			return true
		}
	}
	return false
}

// hides tells whether a scalar in the place is hidden.
func (all edits) hides(n *tree.Node) bool {
	for _, e := range all {
		if e.hides(n) {
			return true
		}
	}
	return false
}

// edit is a place in an object without and with an edit.
type edit struct {
	before, after *tree.Node
	// isHidden is true if all is hidden that is not as it was before.
	isHidden bool
	// known has keys that are shown, as the edit was written with them.
	known string
	// inside are the places behind this one that were asked for, and sides how to find others.
	inside map[location.Step]*edit
	sides  func(location.Step) (before, after *tree.Node)
	// hidesMore is true if everything is hidden in the place that was not there before.
	hidesMore bool
}

// step returns the place behind a step.
func (e *edit) step(step location.Step) *edit {
	if e.inside == nil {
		e.open()
	}
	behind := e.inside[step]
	if behind == nil {
		before, after := e.sides(step)
		behind = &edit{before: before, after: after, known: e.known, isHidden: e.isHidden || e.hidesMore && (step.IsIndex || before == nil)}
		e.inside[step] = behind
	}
	return behind
}

// open looks at what is in the place. If the edit has added a key, all are hidden that were not
// there before: one of another side may be what the edit has made earlier. If it has changed an
// element of a list, all are hidden that are not as they were before: the lists of two sides may
// have others in their places.
func (e *edit) open() {
	e.inside = map[location.Step]*edit{}
	if tree.IsList(e.before) || tree.IsList(e.after) {
		e.sides = func(s location.Step) (_, _ *tree.Node) {
			return location.At(e.before, location.Location{s}), location.At(e.after, location.Location{s})
		}
		e.hidesMore = e.before != nil && e.after != nil && !tree.Equal(e.before, e.after)
		return
	}
	before, after := maps.Collect(tree.Entries(e.before)), maps.Collect(tree.Entries(e.after))
	e.sides = func(s location.Step) (_, _ *tree.Node) { return before[s.Key], after[s.Key] }
	for key := range after {
		e.hidesMore = e.hidesMore || before[key] == nil
	}
}

// isNew tells whether the place, and the key that leads to it, are not shown.
func (e *edit) isNew(key string) bool {
	return e.isHidden && e.before == nil && !strings.Contains(e.known, key)
}

// hides tells whether a scalar in the place is hidden, as also one that the edit has replaced: an
// earlier run of it may have made that.
func (e *edit) hides(n *tree.Node) bool {
	isReplaced := e.after != nil && !tree.Equal(e.before, e.after)
	return isReplaced || e.isHidden && (e.before == nil || !tree.Equal(e.before, n))
}

// edits adds the keys and values that an edit has made.
func (c *collector) edits(e *edit) {
	switch {
	case tree.IsMap(e.after):
		for key := range tree.Entries(e.after) {
			inside := e.step(location.Key(key))
			if inside.isNew(key) {
				c.add(key)
			}
			c.edits(inside)
		}
	case tree.IsList(e.after):
		for i := range tree.Elements(e.after) {
			c.edits(e.step(location.Index(i)))
		}
	case e.after != nil && e.hides(e.after):
		c.value(e.after.Text())
	}
}
