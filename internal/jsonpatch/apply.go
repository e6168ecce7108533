package jsonpatch

import (
	"errors"
	"fmt"
	"sort"

	evanphx "github.com/evanphx/json-patch/v5"

	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// maxCopied is how many bytes of JSON the operations `copy` of a patch may add, since each of them
// could double the document.
const maxCopied = 1 << 20

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

// Apply carries out the operations in order on the parts of root that they name: before is these
// parts, after what comes of them. The error is an *Error. Root is not changed.
func (p Patch) Apply(root *tree.Node) (before, after *tree.Node, err error) {
	var paths [][]string
	for _, o := range p {
		paths = append(paths, o.path.segments)
		if o.op == opMove || o.op == opCopy {
			paths = append(paths, o.from.segments)
		}
	}
	before = part(tree.Lookup, root, paths)
	after, err = p.run(before)
	if failed, ok := errors.AsType[*Error](err); ok {
		return nil, nil, failed
	}
	if err != nil {
		return nil, nil, p.explain(root)
	}
	return before, after, nil
}

// run carries out the operations on a document.
func (p Patch) run(document *tree.Node) (*tree.Node, error) {
	done, copied := 0, 0
	for i, o := range p {
		if !o.isLax() && !o.copiesAll() {
			continue
		}
		var err error
		if document, err = p[done:i].byLibrary(document); err != nil {
			return nil, err
		}
		done = i
		if reason := o.check(document); reason != "" {
			return nil, p.failed(i, reason)
		}
		if o.copiesAll() {
			add, size, err := o.asAdd(document)
			if copied += size; copied > maxCopied {
				return nil, p.failed(i, tooMuchCopied())
			}
			if err == nil {
				document, err = add.byLibrary(document)
			}
			if err != nil {
				return nil, err
			}
			done = i + 1
		}
	}
	return p[done:].byLibrary(document)
}

// asAdd returns a copy of the whole document as an operation that adds it, and its size in bytes.
func (o operation) asAdd(document *tree.Node) (Patch, int, error) {
	text, err := tree.MarshalJSON(document)
	if err != nil {
		return nil, 0, err
	}
	p := parser{}
	add := operation{op: opAdd, path: o.path, value: document}
	add.forLibrary = p.forLibrary(add, "")
	return Patch{add}, len(text), nil
}

// tooMuchCopied is why a patch that copies too much fails.
func tooMuchCopied() string { return "the patch must not copy more than " + words.Bytes(maxCopied) }

// byLibrary has the library carry out the operations. It returns the document itself if none
// changes it.
func (p Patch) byLibrary(document *tree.Node) (*tree.Node, error) {
	var operations evanphx.Patch
	for _, o := range p {
		operations = append(operations, o.forLibrary...)
	}
	if len(operations) == 0 {
		return document, nil
	}
	text, err := tree.MarshalJSON(document)
	if err != nil {
		return nil, err
	}
	options := evanphx.NewApplyOptions()
	options.SupportNegativeIndices, options.AccumulatedCopySizeLimit = false, maxCopied
	if text, err = operations.ApplyWithOptions(text, options); err != nil {
		return nil, err
	}
	return tree.ParseJSON(text)
}

func (p Patch) failed(i int, reason string) *Error {
	return &Error{Index: i, Op: p[i].op, Path: p[i].path.text, Reason: reason}
}

// explain finds the first operation that fails on root, and says why in our words: the library says
// neither which one it was nor what is near.
func (p Patch) explain(root *tree.Node) *Error {
	i := sort.Search(len(p)-1, func(i int) bool {
		_, err := p[:i+1].run(root)
		return err != nil
	})
	_, err := p[:i+1].run(root)
	if state, err := p[:i].run(root); err == nil {
		if reason := p[i].check(state); reason != "" {
			return p.failed(i, reason)
		}
	}
	if _, ok := errors.AsType[*evanphx.AccumulatedCopySizeError](err); ok {
		return p.failed(i, tooMuchCopied())
	}
	if syntax, ok := errors.AsType[*tree.SyntaxError](err); ok { // what came out is too large or too deep
		return p.failed(i, syntax.Reason)
	}
	return p.failed(i, err.Error())
}

// check returns why the operation can't be carried out on a document, "" if it can.
func (o operation) check(document *tree.Node) (reason string) {
	switch o.op {
	case opAdd, opReplace:
		if o.path.text == "" && !tree.IsMap(o.value) {
			return "the result must be an object, found " + config.Found(o.value)
		}
	}
	switch o.op {
	case opAdd:
		return o.path.canHold(document)
	case opMove, opCopy:
		if _, reason = o.from.find(document, len(o.from.segments)); reason == "" && (o.copiesAll() || !o.from.isAbove(o.path)) {
			reason = o.path.canHold(document)
		}
		return reason
	}
	value, reason := o.path.find(document, len(o.path.segments))
	if reason == "" && o.op == opTest && !tree.Equal(value, o.value) {
		return fmt.Sprintf("must be %s, found %s", config.Found(o.value), config.Found(value))
	}
	return reason
}

// canHold returns why no value can be added at the pointer, "" if one can.
func (p pointer) canHold(document *tree.Node) (reason string) {
	last := len(p.segments) - 1
	if last < 0 {
		return ""
	}
	parent, reason := p.find(document, last)
	switch {
	case reason == "" && p.isTooDeep():
		return fmt.Sprintf("values must be nested at most %d levels deep", tree.MaxDepth)
	case reason != "" || tree.IsMap(parent):
		return reason
	case !tree.IsList(parent):
		return p.noCollection(last)
	}
	_, reason = p.index(parent, last)
	return reason
}

// Lookup does what tree.Lookup does.
type Lookup func(m *tree.Node, key string) *tree.Node

// part returns the members of n that the paths name, with the maps that lead to them; a list, a map
// with merge keys and what is at the end of a path are whole.
func part(lookup Lookup, n *tree.Node, paths [][]string) *tree.Node {
	if !tree.IsMap(n) || tree.HasMerge(tree.Deref(n)) {
		return n
	}
	below, keys := map[string][][]string{}, []string(nil)
	for _, path := range paths {
		if len(path) == 0 {
			return n
		}
		if below[path[0]] == nil {
			keys = append(keys, path[0])
		}
		below[path[0]] = append(below[path[0]], path[1:])
	}
	members := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag}
	for _, key := range keys {
		if child := lookup(n, key); child != nil {
			members.Content = append(members.Content, tree.NewString(key), part(lookup, child, below[key]))
		}
	}
	return members
}
