//go:build poison

package tree

// free fills nodes with nonsense and uses none again, so that a test fails which reads one later.
func (*chunk) free(nodes []Node, links []*Node) {
	for i := range nodes {
		nodes[i] = Node{Kind: ScalarNode, Tag: StringTag, text: "read after it was freed"}
	}
	for i := range links {
		links[i] = &nodes[0]
	}
}
