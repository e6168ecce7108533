package tree

import (
	"slices"
	"sync"
	"unsafe"
)

// chunkSizes are the numbers of nodes that are allocated at once: one for a scalar or an empty
// collection. The largest makes 32 KiB, above which Go's allocator is slower.
var chunkSizes = [...]int{1, 8, 24, 72, 215}

// usualNodeText is how much text of a manifest, in bytes, makes one node; rather too large, so that
// the first chunk is not too large.
const usualNodeText = 16

// spareLinks bounds the room of a chunk for lists of children besides those of its own nodes: for
// copies of nodes that are edited.
const spareLinks = 64

// chunk is memory for nodes, and for the lists of children in them.
type chunk struct {
	class int // the index in chunkSizes
	nodes []Node
	links []*Node
}

// chunkPools pools free chunks, by class. Their content is zero.
var chunkPools [len(chunkSizes)]sync.Pool

// slab allocates nodes, and the lists of children in them, in chunks.
type slab struct {
	nodes  []Node // those of the last chunk, of which the first used are in use
	used   int
	links  []*Node // free ones of the last chunk
	chunks []*chunk
	made   int // nodes allocated so far
}

// node returns a new node. It sizes chunks by the node density seen so far: pos of its length bytes
// are read.
func (s *slab) node(pos, length int) *Node {
	if s.used == len(s.nodes) {
		s.grow(s.expected(pos, length))
	}
	n := &s.nodes[s.used]
	s.used++
	return n
}

// expected returns how many more nodes the text is likely to need.
func (s *slab) expected(pos, length int) int {
	if s.made == 0 || pos == 0 {
		return length / usualNodeText
	}
	return s.made * (length - pos) / pos
}

func (s *slab) grow(expected int) {
	class := len(chunkSizes) - 1
	if i := slices.IndexFunc(chunkSizes[:], func(size int) bool { return size >= expected }); i >= 0 {
		class = i
	}
	c, ok := chunkPools[class].Get().(*chunk)
	if size := chunkSizes[class]; !ok {
		c = &chunk{class: class, nodes: make([]Node, size), links: make([]*Node, size+min(size, spareLinks))}
	}
	s.chunks = append(s.chunks, c)
	s.nodes, s.used, s.links = c.nodes, 0, c.links
	s.made += len(c.nodes)
}

// list returns a copy of children without spare capacity, so that an append can't overwrite its
// neighbour.
func (s *slab) list(children []*Node) []*Node {
	size := len(children)
	if size == 0 {
		return nil
	}
	if size > len(s.links) {
		return slices.Clip(slices.Clone(children))
	}
	l := s.links[:size:size]
	s.links = s.links[size:]
	copy(l, children)
	return l
}

// free frees the memory of all nodes.
func (s *slab) free() {
	for i, c := range s.chunks {
		nodes, links := c.nodes, c.links
		if i == len(s.chunks)-1 { // the rest is unused
			nodes, links = nodes[:s.used], links[:len(links)-len(s.links)]
		}
		c.free(nodes, links)
	}
	clear(s.chunks)
	*s = slab{chunks: s.chunks[:0]}
}

// Memory holds the nodes of the documents that were parsed with it, so that they can be freed
// together: a run over many objects then allocates the nodes of a few. It is for one goroutine at a
// time.
type Memory struct{ slab slab }

// NewMemory returns a Memory without nodes.
func NewMemory() *Memory { return memories.Get().(*Memory) }

var memories = sync.Pool{New: func() any { return new(Memory) }}

// Parse is the function Parse. The strings of the nodes are parts of the text, which must not
// change afterwards.
func (m *Memory) Parse(text []byte) (*Node, error) {
	return m.parse(unsafeString(text))
}

func (m *Memory) parse(text string) (*Node, error) { return m.parseUpTo(text, maxNodes(len(text))) }

// parseUpTo is parse for a text with a number of nodes at the most, if the reader can read it.
func (m *Memory) parseUpTo(text string, limit int) (*Node, error) {
	made := m.slab.made
	root, stopped := read(text, &m.slab, made+limit)
	switch {
	case root != nil:
		return root, nil
	case m.slab.made-made > limit:
		return nil, &SyntaxError{Line: stopped, Reason: tooManyNodes(len(text), limit)}
	}
	if err := checkCharacters(text); err != nil {
		return nil, err
	}
	if err := checkNodes(text); err != nil {
		return nil, err
	}
	root, err := parseAny(text, stopped)
	if root != nil {
		if readMembers(text, root, &m.slab); root.end == 0 {
			root.setRough(stopped)
		}
	}
	return root, err
}

// ParseJSON is the function ParseJSON for a value nested in depth objects and arrays. The strings
// of the nodes are parts of the text, as those of Parse.
func (m *Memory) ParseJSON(text []byte, depth int) (*Node, error) {
	return readJSON(unsafeString(text), depth, &m.slab)
}

func unsafeString(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// Copy returns a copy of n with its own list of children, as a node that Free frees.
func (m *Memory) Copy(n *Node) *Node {
	c := m.slab.node(0, 0)
	*c = *n
	c.Content = m.slab.list(n.Content)
	return c
}

// NewString is the function NewString, but makes a node that Free frees.
func (m *Memory) NewString(s string) *Node {
	n := m.slab.node(0, 0)
	*n = newString(s)
	return n
}

// NewMap returns a map with a copy of the content, as a node that Free frees.
func (m *Memory) NewMap(content []*Node) *Node {
	n := m.slab.node(0, 0)
	*n = Node{Kind: MappingNode, Tag: MapTag, Content: m.slab.list(content)}
	return n
}

// Free frees the nodes, and the Memory itself. None of them may be used afterwards. Strings of the
// nodes may.
func (m *Memory) Free() {
	m.slab.free()
	memories.Put(m)
}
