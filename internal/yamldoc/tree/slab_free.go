//go:build !poison

package tree

// free puts a chunk into its pool. The nodes and links are those that were used.
func (c *chunk) free(nodes []Node, links []*Node) {
	clear(nodes)
	clear(links)
	chunkPools[c.class].Put(c)
}
