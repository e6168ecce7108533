package redact

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Object says what may be shown of an object, by place: not the values of a Secret, wherever in the
// object it is, nor an annotation with a hash of it, nor what an edit has copied from another
// object's Secret. The zero Object hides nothing.
type Object struct {
	sides []*tree.Node
	holds bool
	// isIn tells whether a value of the Secret is in a text, of other places of the object.
	isIn func(text string) bool
	// edits are those that are not shown, and made returns the keys and values that they have made.
	edits edits
	made  func() *index
	// copied has the values that an edit may have copied, also before; nil for none.
	copied *Mask
}

// valuesIn returns what looks for the values of the Secrets in objects. Of most objects one text is
// asked for, for which the values are not kept.
func valuesIn(roots []*tree.Node) func(text string) bool {
	var wasAsked atomic.Bool
	all := sync.OnceValue(func() *index {
		var c collector
		c.objects(roots)
		return newIndex(&c)
	})
	return func(text string) bool {
		if !wasAsked.Swap(true) {
			if c := asking(text); c.asked != "" {
				if c.objects(roots); !c.isIn {
					return false
				}
			}
		}
		return all().text(text) != text
	}
}

// Of returns what may be shown of the object that these are sides of, such as that of the package
// and the live one; nil is no side.
func Of(sides ...*tree.Node) Object {
	var c collector
	sides = slices.DeleteFunc(slices.Clone(sides), func(root *tree.Node) bool { return root == nil })
	for _, root := range sides {
		c.holds = c.holds || holds(root)
	}
	return Object{sides: sides, holds: c.holds, isIn: valuesIn(sides)}
}

func holds(root *tree.Node) bool {
	c := collector{asksOnly: true}
	c.collect(root, anObject)
	return c.holds
}

// WithoutEdits hides, too, what edits have made of the object before: keys and values that it did
// not have, and what another side has in their places. Keys in the text of the edits are shown.
func (o Object) WithoutEdits(before, after *tree.Node, text string) Object {
	return o.without(append(slices.Clone(o.edits), &edit{before: before, after: after, known: text}))
}

func (o Object) without(all edits) Object {
	o.edits = all
	o.made = sync.OnceValue(func() *index {
		var c collector
		for _, e := range all {
			c.edits(e)
		}
		return newIndex(&c)
	})
	return o
}

// With is for other sides of the object.
func (o Object) With(sides ...*tree.Node) Object {
	return Of(sides...).without(o.edits).WithoutCopies(o.copied)
}

// WithoutCopies hides, too, what has one of the values of a mask, wherever in the object it is.
func (o Object) WithoutCopies(of *Mask) Object {
	o.copied = of
	return o
}

// InList is for sides that have the object as the only element of a list.
func (o Object) InList() Object {
	return o.without(lists.Map(o.edits, func(e *edit) *edit {
		return &edit{before: tree.NewList(e.before), after: tree.NewList(e.after), known: e.known}
	}))
}

// HidesEdits tells whether edits are not shown.
func (o Object) HidesEdits() bool { return len(o.edits) > 0 || o.copied != nil }

// hidesKey tells whether a key that leads to a place is hidden.
func (o Object) hidesKey(key string, at edits) bool { return at.hidesKey(key) || o.copied.has(key) }

// HasSecret tells whether something of the object is hidden.
func (o Object) HasSecret() bool { return o.holds || o.HidesEdits() }

// Value returns v, which one of the sides has at l, as it may be shown: with *** for each hidden
// scalar. The type of v is one that tree.Value returns; v is not changed.
func (o Object) Value(l location.Location, v any) any {
	if !o.HasSecret() {
		return v
	}
	is := anObject
	for _, side := range o.sides {
		is = max(is, roleAt(side, l))
	}
	c, at := copier{object: o}, o.edits
	for _, step := range l {
		at = at.step(step)
	}
	return tree.Value(c.copy(tree.FromValue(v), nil, is, at))
}

// Show returns a value at a location for a message, as Value does: JSON of at most so many
// characters, or `nothing` for nil.
func (o Object) Show(l location.Location, n *tree.Node, characters int) string {
	if n == nil {
		return "nothing"
	}
	text, err := tree.MarshalJSON(tree.FromValue(o.Value(l, tree.Value(n))))
	if err != nil {
		return "a " + tree.Type(n)
	}
	return words.Shorten(string(text), characters)
}

// Hides tells whether the scalar n, found at l, must not be shown as it is.
func (o Object) Hides(l location.Location, n *tree.Node) bool {
	if n == nil || !o.HasSecret() {
		return false
	}
	value := tree.Value(n)
	return !reflect.DeepEqual(o.Value(l, value), value)
}

// Location returns a location in one of the sides with *** for each key that an edit has made.
func (o Object) Location(l location.Location) location.Location {
	if !o.HidesEdits() {
		return l
	}
	shown, at := slices.Clone(l), o.edits
	for i, step := range l {
		if at = at.step(step); !step.IsIndex && o.hidesKey(step.Key, at) {
			shown[i] = location.Key(Masked)
		}
	}
	return shown
}

// Text returns a text that has names of fields, such as a path, with *** for each key that an edit
// has made.
func (o Object) Text(text string) string {
	if !o.HidesEdits() {
		return text
	}
	if o.made != nil {
		text = o.made().text(text)
	}
	return o.copied.Text(text)
}
