package explain

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// changed is an object that changes, and how.
type changed struct {
	object *object.Object
	kind   string // Changed, Created, Removed or LeftAlone
	// traced names the object, where the run has a trace of it: the object itself would be parsed
	// again for its name.
	traced *ignorefields.TracedObject
	change Change
	diff   diff
}

// changesOf returns what happens to the objects of a run, in their order; none where the run
// failed, since then nothing is applied. Shift is by file how many lines the diffs so far add.
func changesOf(r Run, shift map[string]int) ([]Change, error) {
	if fn.HasError(r.Results) {
		return nil, nil
	}
	all := changedObjects(r)
	err := parallel.Each(len(all), func(i int) error { return all[i].compare() })
	if err != nil {
		return nil, err
	}
	changes := make([]Change, len(all))
	for i, c := range all {
		c.change.Diff = c.diff.text(c.change.File, c.change.Object.String(), shift[c.change.File])
		for _, hunk := range c.diff.hunks {
			shift[c.change.File] += hunk.ToCount - hunk.FromCount
		}
		changes[i] = c.change
	}
	return changes, nil
}

// changedObjects returns the objects that change, those that are new behind the others.
func changedObjects(r Run) []*changed {
	out := make(map[*object.Object]bool, len(r.Out))
	for _, o := range r.Out {
		out[o] = true
	}
	var all []*changed
	for i, o := range r.Items {
		switch {
		case isLive(r, i):
		case out[o] && o.Changed():
			all = append(all, &changed{object: o, kind: Changed, traced: traced(r, i)})
		case !out[o] && len(r.Trace.Objects) > 0:
			all = append(all, &changed{object: o, kind: LeftAlone})
		case !out[o]:
			all = append(all, &changed{object: o, kind: Removed})
		}
		delete(out, o)
	}
	for _, o := range r.Out {
		if out[o] {
			all = append(all, &changed{object: o, kind: Created})
		}
	}
	return all
}

// isLive tells whether an item shows what is on the cluster.
func isLive(r Run, i int) bool {
	o := traced(r, i)
	return r.Items[i].IsLive || o != nil && o.IsLive
}

// traced returns what the trace has of an item; nil if it has nothing.
func traced(r Run, i int) *ignorefields.TracedObject {
	if i < len(r.Trace.Objects) {
		return r.Trace.Objects[i]
	}
	return nil
}

// compare makes the diff of the object.
func (c *changed) compare() error {
	c.change = Change{File: c.object.File().Path, Change: c.kind}
	if c.traced != nil {
		c.change.Object = c.traced.Ref
	} else {
		c.change.Object = report.RefOf(c.object.Root())
	}
	if c.kind == LeftAlone {
		return nil
	}
	var before, after []byte
	var err error
	if c.kind != Created {
		if before, err = textBefore(c.object); err != nil {
			return err
		}
	}
	if c.kind != Removed {
		if after, err = textAfter(c.object); err != nil {
			return err
		}
	}
	line := 1
	if c.object.Source() != nil && !isOnOneLine(c.object) {
		line = max(c.object.FirstLine, 1)
	}
	before, after, c.change.Object = shown(before, after, c.object.Original, c.object.Shown(), c.change.Object)
	c.diff = compare(before, after, line)
	return nil
}

// textBefore is the object's text as it came in: its own lines, or where it has none a text that
// the one after can be compared with.
func textBefore(o *object.Object) ([]byte, error) {
	switch {
	case isOnOneLine(o):
		return indented(o.AsRead().Root())
	case o.Source() != nil:
		return indentedLike(o.Source(), o), nil
	}
	return object.NewDocument(tree.Copy(o.Original())).Text()
}

func textAfter(o *object.Object) ([]byte, error) {
	switch {
	case isOnOneLine(o):
		return indented(o.Root())
	case o.Source() != nil || o.IsDocument():
		text, err := o.Text()
		if err == nil && o.IsJSON() && o.Reformatted() != nil {
			return indented(o.Root())
		}
		return indentedLike(text, o), err
	}
	return object.NewDocument(tree.Copy(o.Root())).Text()
}

// isOnOneLine tells whether the object is JSON without lines that a diff could show.
func isOnOneLine(o *object.Object) bool {
	return o.IsJSON() && !bytes.Contains(bytes.TrimSpace(o.Source()), []byte("\n"))
}

// indentedLike returns the text of an item of a list in JSON, which begins inside a line, with the
// indentation of its last line; any other text as it is.
func indentedLike(text []byte, o *object.Object) []byte {
	if !o.IsJSON() || o.IsDocument() {
		return text
	}
	last := text[bytes.LastIndexByte(text, '\n')+1:]
	return slices.Concat(last[:len(last)-len(bytes.TrimLeft(last, " \t"))], text, []byte{'\n'})
}

func indented(root *tree.Node) ([]byte, error) {
	text, err := tree.MarshalJSON(root)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Indent(&out, text, "", "  ")
	out.WriteByte('\n')
	return out.Bytes(), err
}
