package object

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// hiddenEdits are edits that are not to be shown: what returns the data without and with them, and
// what they were written as.
type hiddenEdits struct {
	before, after func() *tree.Node
	text          string
}

// HidesEdits tells whether edits of the object are not to be shown, also some that later ones have
// removed.
func (o *Object) HidesEdits() bool { return o.HideEdits || len(o.hidden) > 0 || o.Copied != nil }

// Shown returns what may be shown of the object, of which these are sides.
func (o *Object) Shown(sides ...*tree.Node) redact.Object {
	shown := redact.Of(sides...).WithoutCopies(o.Copied)
	for _, edits := range o.hidden {
		shown = shown.WithoutEdits(edits.before(), edits.after(), edits.text)
	}
	if o.HideEdits {
		shown = shown.WithoutEdits(tree.Copy(o.Original()), tree.Copy(o.Root()), o.EditText)
	}
	return shown
}

// hide notes that the edits since the last call of Flush are not to be shown.
func (o *Object) hide(before, after func() *tree.Node) {
	o.hidden = append(slices.Clone(o.hidden), hiddenEdits{before, after, o.EditText})
	o.HideEdits, o.EditText = false, ""
}

// hideData does so for edits that Flush leaves in the data.
func (o *Object) hideData() {
	if o.HideEdits && o.hasEdits() {
		before, after := tree.Copy(o.original), tree.Copy(o.root)
		o.hide(func() *tree.Node { return before }, func() *tree.Node { return after })
	}
}

// dataOf returns what parses the object with a flushed text; nil for the input text.
func (o *Object) dataOf(flushed [][]byte) func() *tree.Node {
	c := *o
	c.memory, c.hidden = nil, nil
	c.drop()
	c.flushed = flushed
	return func() *tree.Node { return c.Copy().Root() }
}
