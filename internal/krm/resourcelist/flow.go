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
	isAlias := func(n *tree.Node) bool { return n.Kind == tree.AliasNode }
	if root.Style&tree.FlowStyle == 0 || root.End() == 0 || len(root.Content) == 0 || slices.ContainsFunc(root.Content, isAlias) {
		return nil, false
	}
	j := newJSONList(text, root)
	for i, n := range j.items.elements() {
		if i > 0 && bytes.IndexByte(text[j.items.Content[i-1].End():n.Start()], '#') >= 0 {
			return nil, false
		}
		item, err := object.ParseDocument(j.of(n))
		if err != nil || item == nil || !tree.Equal(item.Root(), n) {
			return nil, false
		}
		j.objects = append(j.objects, item)
	}
	return &List{Items: slices.Clone(j.objects), FunctionConfig: e.functionConfig, Failed: failed(tree.Elements(e.results)), layout: j}, true
}
