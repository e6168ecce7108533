package jsonpatch

import (
	"errors"
	"fmt"
	"maps"
	"slices"
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
func (p Patch) Apply(lookup Lookup, root *tree.Node) (before, after *tree.Node, err error) {
	var paths [][]string
	for _, o := range p {
		paths = append(paths, o.Path)
		if o.From != nil {
			paths = append(paths, o.From)
		}
	}
	before = part(lookup, root, paths)
	after, failed, err := p.run(before)
	if err != nil {
		return nil, nil, p.explain(root, failed)
	}
	return before, after, nil
}

// run carries out the operations on a document. Failed is the operation that fails; -1 where only
// the library knows.
func (p Patch) run(document *tree.Node) (after *tree.Node, failed int, err error) {
	done := 0
	for i, o := range p {
		if !o.isLax() {
			continue
		}
		if document, err = p[done:i].byLibrary(document); err != nil {
			return nil, -1, err
		}
		if reason := o.failure(document); reason != "" {
			return nil, i, errors.New(reason)
		}
		done = i
	}
	after, err = p[done:].byLibrary(document)
	return after, -1, err
}

// byLibrary has the library carry out the operations. It returns the document itself if none
// changes it.
func (p Patch) byLibrary(document *tree.Node) (*tree.Node, error) {
	var operations evanphx.Patch
	for _, o := range p {
		if o.Op != opTest {
			operations = append(operations, o.forLibrary...)
		}
	}
	if len(operations) == 0 {
		return document, nil
	}
	text, err := tree.MarshalJSON(tree.NewMap(whole, document))
	if err != nil {
		return nil, err
	}
	options := evanphx.NewApplyOptions()
	options.SupportNegativeIndices, options.AccumulatedCopySizeLimit = false, maxCopied
	if text, err = operations.ApplyWithOptions(text, options); err != nil {
		return nil, err
	}
	return tree.ParseJSON(text[len(`{"`+whole+`":`) : len(text)-len("}")])
}

// explain says in our words why an operation fails on root, which it finds where it is not known:
// the library says neither which one it was nor what is near.
func (p Patch) explain(root *tree.Node, i int) *Error {
	if i < 0 {
		i = sort.Search(len(p)-1, func(i int) bool {
			_, _, err := p[:i+1].run(root)
			return err != nil
		})
	}
	failed := &Error{Index: i, Op: p[i].Op, Path: p[i].Path.String()}
	if state, _, err := p[:i].run(root); err == nil {
		failed.Reason = p[i].failure(state)
	}
	if failed.Reason != "" {
		return failed
	}
	_, _, err := p[:i+1].run(root)
	failed.Reason = err.Error()
	if _, ok := errors.AsType[*evanphx.AccumulatedCopySizeError](err); ok {
		failed.Reason = "the patch must not copy more than " + words.Bytes(maxCopied)
	}
	if syntax, ok := errors.AsType[*tree.SyntaxError](err); ok { // what came out is too large or too deep
		failed.Reason = syntax.Reason
	}
	return failed
}

// failure returns why the operation can't be carried out on a document, "" if it can.
func (o *operation) failure(document *tree.Node) (reason string) {
	if o.From != nil {
		if _, reason = o.From.find(document, len(o.From)); reason != "" {
			return reason
		}
	}
	switch o.Op {
	case opMove: // to a place that is there without the value
		removal := operation{Op: opRemove, Path: o.From}
		removal.prepare("")
		document, _ = Patch{removal}.byLibrary(document)
		return o.Path.findPlace(document)
	case opAdd, opCopy:
		return o.Path.findPlace(document)
	}
	value, reason := o.Path.find(document, len(o.Path))
	if reason == "" && o.Op == opTest && !tree.Equal(value, o.Value) {
		return fmt.Sprintf("must be %s, found %s", config.Found(o.Value), config.Found(value))
	}
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
	below := map[string][][]string{}
	for _, path := range paths {
		if len(path) == 0 {
			return n
		}
		below[path[0]] = append(below[path[0]], path[1:])
	}
	members := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag}
	for _, key := range slices.Sorted(maps.Keys(below)) {
		if child := lookup(n, key); child != nil {
			members.Content = append(members.Content, tree.NewString(key), part(lookup, child, below[key]))
		}
	}
	return members
}
