package jsonpatch

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxCopied is the number of nodes that the operations `copy` of one patch may make, since each of
// them could double the document.
const maxCopied = 100_000

// maxDepth is how deep maps and lists may be nested, as in tree.Parse.
const maxDepth = 1000

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
	d := document{root: root, own: map[*tree.Node]bool{}}
	for i, o := range p {
		if reason := d.apply(o); reason != "" {
			return nil, &Error{Index: i, Op: o.op, Path: o.path.text, Reason: reason}
		}
	}
	return d.root, nil
}

// document is what a patch is applied to. Its methods return the reason why they can't do what they
// should, or "".
type document struct {
	root *tree.Node
	// own are the maps and lists that are copies of the document's own, and so can be changed.
	own    map[*tree.Node]bool
	copied int
}

func (d *document) apply(o operation) (reason string) {
	switch o.op {
	case opAdd:
		return d.add(o.path, o.value)
	case opRemove:
		return d.remove(o.path)
	case opReplace:
		return d.replace(o.path, o.value)
	case opMove:
		return d.move(o.from, o.path)
	case opCopy:
		return d.copy(o.from, o.path)
	}
	return d.test(o.path, o.value)
}

func (d *document) add(p pointer, value *tree.Node) string {
	if !fits(value, maxDepth-len(p.segments)) {
		return tooDeep
	}
	if len(p.segments) == 0 {
		d.root = value
		return ""
	}
	return d.change(p, func(parent *tree.Node, last int) string {
		if parent.Kind == tree.SequenceNode {
			index, reason := p.index(parent, last)
			if reason == "" {
				parent.Content = slices.Insert(parent.Content, index, value)
			}
			return reason
		}
		slot, reason := p.slot(parent, last)
		switch {
		case reason == "":
			parent.Content[slot] = value
		case parent.Kind == tree.MappingNode:
			parent.Content = append(parent.Content, tree.NewString(p.segments[last]), value)
		default:
			return reason
		}
		return ""
	})
}

func (d *document) remove(p pointer) string {
	if len(p.segments) == 0 {
		return "the whole object can't be removed"
	}
	return d.change(p, func(parent *tree.Node, last int) string {
		slot, reason := p.slot(parent, last)
		switch {
		case reason != "":
		case parent.Kind == tree.MappingNode:
			parent.Content = slices.Delete(parent.Content, slot-1, slot+1)
		default:
			parent.Content = slices.Delete(parent.Content, slot, slot+1)
		}
		return reason
	})
}

func (d *document) replace(p pointer, value *tree.Node) string {
	if !fits(value, maxDepth-len(p.segments)) {
		return tooDeep
	}
	if len(p.segments) == 0 {
		d.root = value
		return ""
	}
	return d.change(p, func(parent *tree.Node, last int) string {
		slot, reason := p.slot(parent, last)
		if reason == "" {
			parent.Content[slot] = value
		}
		return reason
	})
}

var tooDeep = fmt.Sprintf("maps and lists must be nested at most %d levels deep", maxDepth)

// fits tells whether maps and lists in n are nested at most levels deep.
func fits(n *tree.Node, levels int) bool {
	n = tree.Deref(n)
	if n.Kind == tree.ScalarNode {
		return true
	}
	return levels > 0 && !slices.ContainsFunc(n.Content, func(child *tree.Node) bool { return !fits(child, levels-1) })
}

func (d *document) move(from, to pointer) string {
	value, reason := from.find(d.root)
	if reason != "" || from.text == to.text {
		return reason
	}
	if reason := d.remove(from); reason != "" {
		return reason
	}
	return d.add(to, value)
}

func (d *document) copy(from, to pointer) string {
	value, reason := from.find(d.root)
	if reason != "" {
		return reason
	}
	if d.copied += countUpTo(value, maxCopied-d.copied); d.copied >= maxCopied {
		return fmt.Sprintf("the patch must not copy more than %d values", maxCopied)
	}
	return d.add(to, tree.Copy(value))
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

func (d *document) test(p pointer, want *tree.Node) string {
	value, reason := p.find(d.root)
	if reason == "" && !tree.Equal(value, want) {
		return fmt.Sprintf("must be %s, found %s", config.Found(want), config.Found(value))
	}
	return reason
}

// change lets edit change the parent of what p names, on a copy of it and of all that it is in.
// Last is the index of p's last segment. Where there is a reason, the document is of no more use.
func (d *document) change(p pointer, edit func(parent *tree.Node, last int) string) string {
	root, reason := d.changed(d.root, p, 0, edit)
	if reason == "" {
		d.root = root
	}
	return reason
}

func (d *document) changed(
	n *tree.Node, p pointer, i int, edit func(parent *tree.Node, last int) string,
) (parent *tree.Node, reason string) {
	parent = n
	if !d.own[n] {
		parent = shallowCopy(n)
		d.own[parent] = true
	}
	if i == len(p.segments)-1 {
		return parent, edit(parent, i)
	}
	slot, reason := p.slot(parent, i)
	if reason != "" {
		return nil, reason
	}
	child, reason := d.changed(parent.Content[slot], p, i+1, edit)
	if reason == "" {
		parent.Content[slot] = child
	}
	return parent, reason
}

// shallowCopy returns a copy of n, without its anchor, that has the same children; those that merge
// keys bring in are its own.
func shallowCopy(n *tree.Node) *tree.Node {
	n = tree.Deref(n)
	c := n.Bare()
	if n.Kind == tree.SequenceNode || !tree.HasMerge(n) {
		c.Content = slices.Clone(n.Content)
		return c
	}
	for key, value := range tree.Entries(n) {
		c.Content = append(c.Content, tree.NewString(key), value)
	}
	return c
}
