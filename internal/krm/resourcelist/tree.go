package resourcelist

import (
	"bytes"
	"errors"
	"slices"

	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// readTree parses the list as one tree, and cuts the text where its items are. A text that can't be
// cut is written in block style first, without its comments.
func readTree(text []byte, check check) (*List, error) {
	root, err := tree.ParseList(text)
	if err != nil {
		return nil, wireError(err)
	}
	list, fault := cutAt(text, root, check)
	if _, ok := errors.AsType[*Error](fault); ok || fault == nil {
		return list, fault
	}
	written, err := object.NewDocument(inBlockStyle(root)).Text()
	if err != nil {
		return nil, wireError(err)
	}
	again, err := tree.ParseList(written)
	if err == nil {
		list, err = cutAt(written, again, check)
	}
	if err != nil {
		return nil, wireError(fault)
	}
	return list, nil
}

// cutAt returns the list of a text that was parsed. The error is an *Error, or another one if the
// text can't be cut.
func cutAt(text []byte, root *tree.Node, check check) (*List, error) {
	envelope, err := readEnvelope(root, check)
	if err == nil {
		err = checkItems(root)
	}
	if err != nil {
		return nil, err
	}
	list := &List{FunctionConfig: envelope.functionConfig, Failed: failed(tree.Elements(envelope.results))}
	if list.readFlow(text, root) {
		return list, nil
	}
	return list, list.readBlock(text, root, envelope)
}

// inBlockStyle returns a list without aliases, with its members, items and results in block style.
func inBlockStyle(root *tree.Node) *tree.Node {
	list := tree.Copy(root)
	list.Style &^= tree.FlowStyle
	for key, value := range tree.Entries(list) {
		if key == "items" || key == "results" {
			value.Style &^= tree.FlowStyle | tree.TaggedStyle
		}
	}
	return list
}

func wireError(err error) error {
	if syntax, ok := errors.AsType[*tree.SyntaxError](err); ok {
		return &Error{Line: max(syntax.Line, 1), Reason: syntax.Reason}
	}
	return &Error{Line: 1, Reason: err.Error()}
}

// errUncut is why a text can't be cut whose items are not on lines of their own, whose results are
// not in block style, or that has aliases of nodes in the items outside of them.
var errUncut = errors.New("the items must be on lines of their own, found another notation")

// readBlock cuts a text in block style at the lines of the items in the tree.
func (l *List) readBlock(text []byte, root *tree.Node, e envelope) error {
	if root.Style&tree.FlowStyle != 0 {
		return errUncut
	}
	items, starts := tree.Get(root, "items"), lines.Starts(text)
	cut, ok := cutItems(text, starts, root, items)
	if !ok {
		return errUncut
	}
	at := lineStart(starts, e.results)
	if at >= len(cut.head) {
		at -= len(text) - len(cut.head) - len(cut.tail)
	}
	if cut.results, ok = findResults(cut, e.results, at); !ok {
		return errUncut
	}
	l.layout = cut
	return l.readPieces(cut, root, tree.Elements(items))
}

// readPieces reads the items of a cut list. The error is that of an item that can't be parsed, or
// has other data than its element of the tree.
func (l *List) readPieces(cut *cutList, root *tree.Node, elements []*tree.Node) error {
	cut.owners = map[*tree.Node]int{}
	starts := make([]int, len(elements)) // of the pieces in the text of the list
	at := len(cut.head)
	for i, n := range elements {
		starts[i] = at
		at += len(cut.items[i].text)
		cut.addAliases(i, n)
	}
	inItems := func(alias *tree.Node) bool { _, ok := cut.owners[alias.Alias()]; return ok }
	for key, value := range tree.Entries(root) {
		if key != "items" && slices.ContainsFunc(aliases(value), inItems) {
			return errUncut
		}
	}
	l.Items = object.Items(len(elements), func(i int) []byte { return cut.items[i].alone(starts[i]) })
	first := cut.firstLines()
	return parallel.Each(len(l.Items), func(i int) error {
		item := l.Items[i]
		cut.items[i].object = item
		if fault, ok := errors.AsType[*tree.SyntaxError](item.Err()); ok {
			return &tree.SyntaxError{Line: first[i] + fault.Line - 1, Reason: fault.Reason}
		}
		if !tree.Equal(item.Root(), elements[i]) {
			return errUncut
		}
		return item.Flush()
	})
}

// cutItems cuts the text into the head, the items and the tail. It returns false if the items are
// not on lines of their own.
func cutItems(text []byte, starts []int, root, items *tree.Node) (*cutList, bool) {
	switch {
	case len(tree.Elements(items)) == 0:
		return cutEmpty(text, items)
	case items.Style&tree.FlowStyle != 0:
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

// cutEmpty is cutItems for a list without items. It returns false if their place is not known.
func cutEmpty(text []byte, items *tree.Node) (*cutList, bool) {
	end := lines.DocumentEnd(text)
	if items == nil {
		key := lines.BrokenLike(text, []byte("items:\n"))
		return &cutList{head: text[:end], filled: slices.Concat(object.Closed(text[:end]), key), tail: text[end:]}, true
	}
	if items.End() == 0 || items.IsRough() {
		return nil, false
	}
	end = items.End() + len(lines.At(text, items.End()))
	key := bytes.TrimRight(text[:items.Start()], " ")
	return &cutList{head: text[:end], filled: slices.Concat(key, text[items.End():end]), tail: text[end:]}, true
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
