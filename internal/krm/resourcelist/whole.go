package resourcelist

import (
	"bytes"
	"errors"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// wholeList is a list that was parsed as one tree: one in flow style, or one whose items share
// anchors.
type wholeList struct {
	root *tree.Node
	// cut is the list cut by lines, if it is in block style; else nil.
	cut *cutList
	// dependent are the items with aliases of nodes in other items.
	dependent []*object.Object
	// lines is what firstLines returns.
	lines []int
}

// readTree parses the list as one tree. Copies replace aliases of nodes outside an item, so that
// each item is independent.
func readTree(text []byte, check check) (*List, error) {
	root, err := tree.Parse(text)
	if err != nil {
		return nil, wireError(err)
	}
	return readRoot(text, root, check)
}

// readRoot is readTree for a text that was parsed.
func readRoot(text []byte, root *tree.Node, check check) (*List, error) {
	envelope, err := readEnvelope(root, check)
	if err != nil {
		return nil, err
	}
	if err := checkItems(root); err != nil {
		return nil, err
	}
	if list, ok := readFlow(text, root, envelope); ok {
		return list, nil
	}
	items := tree.Get(root, "items")
	whole := &wholeList{root: root, cut: cutWhole(text, root, envelope, items)}
	whole.lines = slices.Repeat([]int{1}, len(tree.Elements(items)))
	if whole.cut != nil {
		whole.lines = whole.cut.firstLines()
	}
	list := &List{FunctionConfig: envelope.functionConfig, Failed: failed(tree.Elements(envelope.results)), layout: whole}
	list.Items = whole.separate(tree.Elements(items))
	if slices.Contains(list.Items, nil) {
		if whole.root, err = tree.ParseWithComments(text); err != nil {
			return nil, wireError(err)
		}
		whole.detach(list.Items)
	}
	if whole.cut != nil {
		for i, item := range list.Items {
			whole.cut.items[i].object = item
		}
	}
	return list, nil
}

func (w *wholeList) firstLines() []int { return w.lines }

// separate returns the items whose text alone has the same data as in the tree, which are then
// edited in that text; nil for the others.
func (w *wholeList) separate(elements []*tree.Node) []*object.Object {
	if w.cut == nil {
		return make([]*object.Object, len(elements))
	}
	items := object.Items(len(elements), func(i int) []byte { return w.cut.items[i].text })
	_ = parallel.Each(len(items), func(i int) error {
		item := items[i]
		if item.Err() != nil || !tree.Equal(item.Root(), elements[i]) {
			items[i] = nil
		}
		return item.Flush()
	})
	return items
}

// detach puts an item of the tree, which has comments, in place of each nil.
func (w *wholeList) detach(items []*object.Object) {
	for i, n := range tree.Elements(tree.Get(w.root, "items")) {
		if items[i] != nil {
			continue
		}
		var source []byte
		if w.cut != nil {
			source = w.cut.items[i].text
		}
		root := alone(n)
		items[i], w.lines[i] = object.Detached(source, root), 1
		if root != n {
			w.dependent = append(w.dependent, items[i])
		}
	}
}

func wireError(err error) error {
	if syntax, ok := errors.AsType[*tree.SyntaxError](err); ok {
		return &Error{Line: max(syntax.Line, 1), Reason: syntax.Reason}
	}
	return &Error{Line: 1, Reason: err.Error()}
}

// cutWhole cuts the text at the lines of the items in the tree, and returns nil if they are not on
// lines of their own, or results of the input are not in block style. A list without items is all
// tail.
func cutWhole(text []byte, root *tree.Node, e envelope, items *tree.Node) *cutList {
	if root.Style&tree.FlowStyle != 0 {
		return nil
	}
	starts := lines.Starts(text)
	cut, ok := cutItems(text, starts, root, items)
	if !ok {
		return nil
	}
	at := lineStart(starts, e.results)
	if at >= len(cut.head) {
		at -= len(text) - len(cut.head) - len(cut.tail)
	}
	if cut.results, ok = findResults(cut, e.results, at); !ok {
		return nil
	}
	return cut
}

// cutItems cuts the text into the head, the items and the tail. It returns false if the items are
// not on lines of their own.
func cutItems(text []byte, starts []int, root, items *tree.Node) (*cutList, bool) {
	if len(tree.Elements(items)) == 0 {
		return &cutList{tail: text}, true
	}
	if items.Style&tree.FlowStyle != 0 {
		return nil, false
	}
	cut := &cutList{depth: tree.Column(text, items) - 1}
	behind := len(starts) // the line of the key that follows the items
	for i := 0; i < len(root.Content); i += 2 {
		if line := root.Content[i].Line(); line > items.Line() {
			behind = min(behind, line)
		}
	}
	end := min(starts[behind-1], lines.DocumentEnd(text))
	cut.tail = text[end:]
	for i := len(items.Content) - 1; i >= 0; i-- {
		start := dashBefore(text, starts, items.Content[i].Line(), cut.depth)
		if start < 0 || start >= end {
			return nil, false
		}
		cut.items = append(cut.items, piece{text: text[start:end]})
		end = start
	}
	slices.Reverse(cut.items)
	cut.head = text[:end]
	return cut, true
}

// dashBefore returns the offset of the line of the dash, indented by depth, of an item that begins
// on a line or, behind comments, on a later one; -1 for none.
func dashBefore(text []byte, starts []int, line, depth int) int {
	lineOf := func(line int) []byte { return text[starts[line-1]:starts[line]] }
	for ; line > 0 && line < len(starts); line-- {
		at := lineOf(line)
		if lines.IsDash(at) && lines.Indent(at) == depth {
			return starts[line-1]
		}
		if line < 2 {
			return -1
		}
		if above := lineOf(line - 1); !lines.IsDash(above) && !lines.IsBlankOrComment(above) {
			return -1
		}
	}
	return -1
}

// lineStart is the offset of the line that n begins on; 0 if n is nil.
func lineStart(starts []int, n *tree.Node) int {
	if n == nil {
		return 0
	}
	return starts[min(max(n.Line(), 1), len(starts))-1]
}

// alone returns an item without aliases of nodes outside it.
func alone(item *tree.Node) *tree.Node {
	inside := map[*tree.Node]bool{}
	foreign := false
	var walk func(n *tree.Node)
	walk = func(n *tree.Node) {
		inside[n] = true
		foreign = foreign || n.Kind == tree.AliasNode && !inside[n.Alias()]
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
		if parts, ok := w.writeCut(items, results); ok {
			return parts, nil
		}
		for _, item := range w.dependent {
			item.Rewrite()
		}
		if parts, ok := w.writeCut(items, results); ok {
			return parts, nil
		}
	}
	text, err := w.emit(items, results)
	return [][]byte{text}, err
}

// enoughResults is how many results verify that all are in the right place. All of a long list
// could exceed the limit of a text that can be parsed.
const enoughResults = 100

// writeCut writes the list by its lines. It returns false if that can't be verified.
func (w *wholeList) writeCut(items []*object.Object, results []report.Result) ([][]byte, bool) {
	some := results[:min(len(results), enoughResults)]
	parts, err := w.cut.write(items, some)
	if err != nil || !w.isVerified(parts, items, len(some)) {
		return nil, false
	}
	if len(some) < len(results) {
		parts, err = w.cut.write(items, results)
	}
	return parts, err == nil
}

// isVerified tells whether the parts hold the items, the functionConfig and the further results: an
// edit may have removed an anchor that something else names.
func (w *wholeList) isVerified(parts [][]byte, items []*object.Object, more int) bool {
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
	came, all := tree.Elements(tree.Get(w.root, "results")), tree.Elements(tree.Get(root, "results"))
	if len(all) != len(came)+more || !slices.EqualFunc(came, all[:len(came)], tree.Equal) {
		return false
	}
	before, after := tree.Get(w.root, "functionConfig"), tree.Get(root, "functionConfig")
	return before == nil && after == nil || tree.Equal(before, after)
}

// emit writes the list from its tree, in block style and without anchors.
func (w *wholeList) emit(items []*object.Object, results []report.Result) ([]byte, error) {
	list := &tree.Node{Kind: tree.MappingNode}
	all := &tree.Node{Kind: tree.SequenceNode}
	for _, item := range items {
		all.Content = append(all.Content, blockStyle(tree.Copy(item.Root())))
	}
	outcome := &tree.Node{Kind: tree.SequenceNode}
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
func blockStyle(n *tree.Node) *tree.Node {
	n.Style &^= tree.FlowStyle
	for _, child := range n.Content {
		blockStyle(child)
	}
	return n
}
