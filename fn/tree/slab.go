package tree

import "go.yaml.in/yaml/v3"

const (
	// minSlab and maxSlab are the smallest and the largest number of nodes that
	// are allocated at once. The largest makes 32 KiB, above which Go's allocator
	// is slower.
	minSlab = 4
	maxSlab = 215
	// nodeText is how much text of a manifest, in bytes, makes one node; rather
	// more than less, so that the first chunk is not too large.
	nodeText = 16
)

// slab allocates nodes, and the lists of children in them, in chunks.
type slab struct {
	nodes []yaml.Node
	links []*yaml.Node
	made  int // nodes allocated so far
}

// node returns a new node. For the size of the next chunk it takes it that the
// text goes on as it began: pos of its length bytes are read.
func (s *slab) node(pos, length int) *yaml.Node {
	if len(s.nodes) == 0 {
		s.nodes = make([]yaml.Node, s.nextSize(pos, length))
		s.made += len(s.nodes)
	}
	n := &s.nodes[0]
	s.nodes = s.nodes[1:]
	return n
}

func (s *slab) nextSize(pos, length int) int {
	expected := length / nodeText
	if s.made > 0 {
		expected = s.made * (length - pos) / pos
	}
	return min(max(expected, minSlab), maxSlab)
}

// list returns a copy of children that has no room left, so that an append to
// it can't reach into its neighbour.
func (s *slab) list(children []*yaml.Node) []*yaml.Node {
	size := len(children)
	if size == 0 {
		return nil
	}
	if size > len(s.links) {
		s.links = make([]*yaml.Node, max(size, min(s.made, maxSlab)))
	}
	l := s.links[:size:size]
	s.links = s.links[size:]
	copy(l, children)
	return l
}
