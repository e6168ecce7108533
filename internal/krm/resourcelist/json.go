package resourcelist

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// jsonList is a list in JSON, cut into its items.
type jsonList struct {
	text []byte
	// root is the list, with null for each item and result.
	root           *tree.Node
	items, results jsonArray
	hasLines       bool // the text has more than one
	// objects are the items of the input.
	objects []*object.Object
}

// jsonArray is the value of a member of a list in JSON; nil if the list has no such member.
type jsonArray struct {
	key string
	*tree.Node
}

// elements are those of an array.
func (a jsonArray) elements() []*tree.Node { return tree.Elements(a.Node) }

// of returns the text of a node.
func (j *jsonList) of(n *tree.Node) []byte { return j.text[n.Start():n.End():n.End()] }

// readJSON cuts the text into items, which it verifies. The error is an *Error.
func readJSON(text []byte, check check) (*List, error) {
	text = bytes.TrimLeft(text, "\ufeff")
	root, err := tree.CutJSON(text, "items", "results")
	if err != nil {
		return nil, wireError(err)
	}
	e, err := readEnvelope(root, check)
	if err == nil {
		err = checkItems(root)
	}
	if err != nil {
		return nil, err
	}
	j, limit := newJSONList(text, root), maxItems(len(text))
	for _, a := range j.arrays() {
		if elements := a.elements(); len(elements) > limit {
			return nil, &Error{Line: elements[limit].Line(), Reason: fmt.Sprintf("a list of %d bytes must have at most %d %s", len(j.text), limit, a.key)}
		}
	}
	j.objects = object.JSONItems(len(j.items.elements()), func(i int) []byte { return j.of(j.items.Content[i]) })
	results := lists.Map(j.results.elements(), func(n *tree.Node) *tree.Node {
		result, _ := tree.ParseJSON(j.of(n)) // CutJSON has verified it
		return result
	})
	return &List{Items: slices.Clone(j.objects), FunctionConfig: e.functionConfig, Failed: failed(results), layout: j}, nil
}

func checkItems(root *tree.Node) error {
	items := tree.Get(root, "items")
	if t := tree.Type(items); t != tree.List && t != tree.Null {
		return &Error{Line: lineOf(items), Reason: "items must be a list, found a " + t}
	}
	return nil
}

// arrays returns the items and results of the text, in their order.
func (j *jsonList) arrays() []jsonArray {
	all := slices.DeleteFunc([]jsonArray{j.items, j.results}, func(a jsonArray) bool { return a.Node == nil })
	slices.SortFunc(all, func(a, b jsonArray) int { return a.Start() - b.Start() })
	return all
}

func newJSONList(text []byte, root *tree.Node) *jsonList {
	return &jsonList{
		text: text, root: root, hasLines: bytes.IndexByte(bytes.TrimSpace(text), '\n') >= 0,
		items: jsonArray{"items", tree.Get(root, "items")}, results: jsonArray{"results", tree.Get(root, "results")},
	}
}

func (j *jsonList) firstLines() []int {
	lines := make([]int, len(j.objects))
	for i := range lines {
		lines[i] = j.items.Content[i].Line()
	}
	return lines
}

// readFlow cuts a list in YAML's flow style, as KYAML has it, at the offsets of its nodes, to be
// written as one in JSON, which is YAML, too. It returns false if an item alone has other data,
// since it names an anchor of another one.
func (l *List) readFlow(text []byte, root *tree.Node) bool {
	isAlias := func(n *tree.Node) bool { return n.Kind == tree.AliasNode }
	if root.Style&tree.FlowStyle == 0 || root.End() == 0 || len(root.Content) == 0 || slices.ContainsFunc(root.Content, isAlias) {
		return false
	}
	j := newJSONList(text, root)
	for _, n := range j.items.elements() {
		item, err := object.ParseDocument(j.of(n))
		if err != nil || item == nil || !tree.Equal(item.Root(), n) {
			return false
		}
		j.objects = append(j.objects, item)
	}
	l.Items, l.layout = slices.Clone(j.objects), j
	return true
}
