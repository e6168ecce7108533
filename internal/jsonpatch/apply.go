package jsonpatch

import (
	"fmt"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxCopied is the number of nodes that the operations `copy` of one patch may make, since each of
// them could double the document.
const maxCopied = 100_000

// Error is an operation that failed. Nothing has been changed then.
type Error struct {
	Index  int // of the operation in the patch
	Op     string
	Path   string
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("[%d]: %s %q: %s", e.Index, e.Op, e.Path, e.Reason)
}

// Apply returns root with the operations carried out in order. The error is an *Error. Root is not
// changed; the outcome shares nodes with it and with the patch.
func (p Patch) Apply(root *tree.Node) (*tree.Node, error) {
	d := document{Object: object.NewDocument(root)}
	for i, o := range p {
		reason, err := d.apply(o)
		if err != nil {
			reason = err.Error()
		}
		if reason != "" {
			return nil, &Error{Index: i, Op: o.op, Path: o.path.text, Reason: reason}
		}
	}
	return d.Root(), nil
}

// document is what a patch is applied to. Its methods return the reason why they can't do what they
// should, or "".
type document struct {
	*object.Object
	copied int
}

func (d *document) apply(o operation) (reason string, err error) {
	switch o.op {
	case opAdd:
		return d.add(o.path, o.value)
	case opRemove:
		return d.remove(o.path), nil
	case opReplace:
		return d.replace(o.path, o.value)
	}
	from := o.path
	if o.op != opTest {
		from = o.from
	}
	_, value, reason := from.find(d.Root(), len(from.segments))
	switch {
	case reason != "" || o.op == opMove && from.text == o.path.text:
		return reason, nil
	case o.op == opTest && tree.Equal(value, o.value):
		return "", nil
	case o.op == opTest:
		return fmt.Sprintf("must be %s, found %s", config.Found(o.value), config.Found(value)), nil
	case o.op == opCopy:
		if d.copied += countUpTo(value, maxCopied-d.copied); d.copied >= maxCopied {
			return fmt.Sprintf("the patch must not copy more than %d values", maxCopied), nil
		}
		return d.add(o.path, tree.Copy(value))
	}
	if reason := d.remove(from); reason != "" {
		return reason, nil
	}
	return d.add(o.path, value)
}

// countUpTo counts the nodes in n, and stops at the limit.
func countUpTo(n *tree.Node, limit int) int {
	count := 1
	for _, child := range tree.Deref(n).Content {
		if count >= limit {
			break
		}
		count += countUpTo(child, limit-count)
	}
	return count
}

func (d *document) add(p pointer, value *tree.Node) (reason string, err error) {
	last := len(p.segments) - 1
	if last < 0 {
		return d.replace(p, value)
	}
	l, parent, reason := p.find(d.Root(), last)
	switch {
	case reason != "":
		return reason, nil
	case !object.Fits(value, tree.MaxDepth-len(p.segments)):
		return tooDeep, nil
	case tree.IsMap(parent):
		return "", d.Set(l.With(location.Key(p.segments[last])), value)
	case !tree.IsList(parent):
		return p.noCollection(last), nil
	}
	index, reason := p.index(parent, last)
	if reason != "" {
		return reason, nil
	}
	return "", d.Insert(l.With(location.Index(index)), value)
}

func (d *document) remove(p pointer) (reason string) {
	if len(p.segments) == 0 {
		return "the whole object can't be removed"
	}
	l, _, reason := p.find(d.Root(), len(p.segments))
	if reason == "" {
		d.Remove([]location.Location{l})
	}
	return reason
}

func (d *document) replace(p pointer, value *tree.Node) (reason string, err error) {
	l, _, reason := p.find(d.Root(), len(p.segments))
	switch {
	case reason != "":
		return reason, nil
	case !object.Fits(value, tree.MaxDepth-len(p.segments)):
		return tooDeep, nil
	}
	return "", d.Set(l, value)
}

var tooDeep = fmt.Sprintf("maps and lists must be nested at most %d levels deep", tree.MaxDepth)
