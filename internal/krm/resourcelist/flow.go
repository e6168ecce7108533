package resourcelist

import (
	"bytes"
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// readFlow returns a list in YAML's flow style, as KYAML has it, cut into its items at the offsets
// of its nodes, and written as one in JSON, which is YAML, too. It returns false if an item alone
// has other data, since it names an anchor of another one, or a comment stands between two items.
func readFlow(text []byte, root *tree.Node, e envelope) (*List, bool) {
	j := &jsonList{text: text, items: jsonArray{key: "items"}, results: jsonArray{key: "results"}}
	if root.Style&tree.FlowStyle == 0 || root.End() == 0 || len(root.Content) == 0 {
		return nil, false
	}
	j.setLayout(root.Content[0].Start())
	for key, value := range tree.Entries(root) {
		j.end = value.End()
		switch key {
		case j.items.key:
			j.items.find(value)
		case j.results.key:
			j.results.find(value)
		}
	}
	for i, n := range tree.Elements(tree.Get(root, j.items.key)) {
		at := j.items.elements[i]
		if i > 0 && bytes.IndexByte(text[j.items.elements[i-1].end:at.start], '#') >= 0 {
			return nil, false
		}
		item, err := object.ParseDocument(at.of(text))
		if err != nil || item == nil || !tree.Equal(item.Root(), n) {
			return nil, false
		}
		j.objects = append(j.objects, item)
	}
	return &List{Items: slices.Clone(j.objects), FunctionConfig: e.functionConfig, layout: j}, true
}

// find notes where the array n and its elements stand.
func (a *jsonArray) find(n *tree.Node) {
	a.span = span{n.Start(), n.End()}
	for _, element := range tree.Elements(n) {
		a.elements = append(a.elements, span{element.Start(), element.End()})
	}
}
