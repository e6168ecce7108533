package wire

import (
	"bytes"
	"errors"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// wholeList is a list that was parsed as one tree: one in flow style, or one
// whose items share anchors.
type wholeList struct {
	root *yaml.Node
	// cut is the list cut by lines, where it is in block style; else nil.
	cut *cutList
	// dependent are the items that name anchors of other items.
	dependent []*object.Object
}

// readTree parses the list as one tree. Aliases of nodes outside an item give
// way to copies, so that the items stand alone.
func readTree(text []byte, check check) (*List, error) {
	if _, err := tree.Parse(text); err != nil {
		return nil, wireError(err)
	}
	root, err := tree.ParseWithComments(text)
	if err != nil {
		return nil, wireError(err)
	}
	envelope, err := readEnvelope(root, check)
	if err != nil {
		return nil, err
	}
	items := tree.Get(root, "items")
	if t := tree.Type(items); t != tree.List && t != tree.Null {
		return nil, &Error{Line: lineOf(items), Reason: "items must be a list, found a " + t}
	}
	whole := &wholeList{root: root, cut: cutWhole(text, root, envelope, items)}
	list := &List{FunctionConfig: envelope.functionConfig, layout: whole}
	for i, n := range tree.Elements(items) {
		var source []byte
		if whole.cut != nil {
			source = whole.cut.items[i].text
		}
		root := alone(n)
		item := object.Detached(source, root)
		if root != n {
			whole.dependent = append(whole.dependent, item)
		}
		if whole.cut != nil {
			whole.cut.items[i].object = item
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

func wireError(err error) error {
	if syntax, ok := errors.AsType[*tree.SyntaxError](err); ok {
		return &Error{Line: max(syntax.Line, 1), Reason: syntax.Reason}
	}
	return &Error{Line: 1, Reason: err.Error()}
}

// cutWhole cuts the text at the lines where the tree has the items, and returns
// nil where they do not stand on lines of their own, or where results came in.
func cutWhole(text []byte, root *yaml.Node, e envelope, items *yaml.Node) *cutList {
	if root.Style&yaml.FlowStyle != 0 || items == nil || items.Style&yaml.FlowStyle != 0 || e.results != nil ||
		len(items.Content) == 0 {
		return nil
	}
	cut := &cutList{depth: items.Column - 1}
	starts := lineStarts(text)
	end := starts[min(lineBehind(root, items), len(starts))-1]
	cut.tail = text[end:]
	for i := len(items.Content) - 1; i >= 0; i-- {
		start := dashBefore(text, starts, items.Content[i].Line, cut.depth)
		if start < 0 || start >= end {
			return nil
		}
		cut.items = append(cut.items, piece{text: text[start:end]})
		end = start
	}
	slices.Reverse(cut.items)
	cut.head = text[:end]
	cut.results, _ = findResults(cut, nil)
	return cut
}

// dashBefore is the offset of the line of the dash, indented by depth, of an item
// that begins on a line or, behind comments, on a later one; -1 where there is
// none.
func dashBefore(text []byte, starts []int, line, depth int) int {
	for ; line > 0; line-- {
		at := lineAt(text, starts[line-1])
		if isDash(at) && indentOf(at) == depth {
			return starts[line-1]
		}
		if line < 2 {
			return -1
		}
		if above := lineAt(text, starts[line-2]); !isDash(above) && !isBlankOrComment(above) {
			return -1
		}
	}
	return -1
}

// lineStarts returns the offset of each line, and the length of the text.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for offset := 0; offset < len(text); {
		offset += len(lineAt(text, offset))
		starts = append(starts, offset)
	}
	return starts
}

// lineBehind is the line of the key of root that follows the items, or a line
// behind the text.
func lineBehind(root, items *yaml.Node) int {
	behind := math.MaxInt
	for i := 0; i < len(root.Content); i += 2 {
		if line := root.Content[i].Line; line > items.Line {
			behind = min(behind, line)
		}
	}
	return behind
}

// alone returns an item without aliases of nodes outside it.
func alone(item *yaml.Node) *yaml.Node {
	inside := map[*yaml.Node]bool{}
	foreign := false
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		inside[n] = true
		foreign = foreign || n.Kind == yaml.AliasNode && !inside[n.Alias]
		for _, child := range n.Content {
			walk(child)
		}
	}
	walk(item)
	if !foreign {
		return item
	}
	return tree.Copy(item)
}

func (w *wholeList) write(items []*object.Object, results []report.Result) ([][]byte, error) {
	if w.cut != nil {
		parts, err := w.cut.write(items, results)
		if err == nil && w.proved(parts, items) {
			return parts, nil
		}
		for _, item := range w.dependent {
			item.Rewrite()
		}
		if parts, err = w.cut.write(items, results); err == nil && w.proved(parts, items) {
			return parts, nil
		}
	}
	text, err := w.emit(items, results)
	return [][]byte{text}, err
}

// proved tells whether the parts hold the items and the functionConfig: an edit
// may have removed an anchor that something else names.
func (w *wholeList) proved(parts [][]byte, items []*object.Object) bool {
	root, err := tree.Parse(bytes.Join(parts, nil))
	if err != nil {
		return false
	}
	elements := tree.Elements(tree.Get(root, "items"))
	if len(elements) != len(items) {
		return false
	}
	for i, item := range items {
		if !tree.Equal(elements[i], item.Root()) {
			return false
		}
	}
	before, after := tree.Get(w.root, "functionConfig"), tree.Get(root, "functionConfig")
	return before == nil && after == nil || tree.Equal(before, after)
}

// emit writes the list anew from its tree, in block style and without anchors.
func (w *wholeList) emit(items []*object.Object, results []report.Result) ([]byte, error) {
	list := &yaml.Node{Kind: yaml.MappingNode}
	all := &yaml.Node{Kind: yaml.SequenceNode}
	for _, item := range items {
		all.Content = append(all.Content, blockStyle(tree.Copy(item.Root())))
	}
	outcome := &yaml.Node{Kind: yaml.SequenceNode}
	outcome.Content = append(outcome.Content, tree.Elements(tree.Get(w.root, "results"))...)
	for _, result := range results {
		outcome.Content = append(outcome.Content, result.Node())
	}
	for key, value := range tree.Entries(w.root) {
		switch key {
		case "items":
			value = all
		case "results":
			continue
		default:
			value = blockStyle(tree.Copy(value))
		}
		list.Content = append(list.Content, tree.NewString(key), value)
	}
	if tree.Get(w.root, "items") == nil {
		list.Content = append(list.Content, tree.NewString("items"), all)
	}
	if len(outcome.Content) > 0 {
		list.Content = append(list.Content, tree.NewString("results"), outcome)
	}
	return object.NewDocument(list).Text()
}

// blockStyle turns the outer collections of n into block style.
func blockStyle(n *yaml.Node) *yaml.Node {
	n.Style &^= yaml.FlowStyle
	for _, child := range n.Content {
		blockStyle(child)
	}
	return n
}
