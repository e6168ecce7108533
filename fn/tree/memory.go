package tree

import (
	"sync"
	"unsafe"

	"go.yaml.in/yaml/v3"
)

// Memory holds the nodes of the documents that were parsed with it, so that they can be given back together: a run over
// many objects then allocates the nodes of a few. It is for one goroutine at a time.
type Memory struct {
	slab slab
}

var memories = sync.Pool{New: func() any { return new(Memory) }}

// NewMemory returns a Memory without nodes.
func NewMemory() *Memory { return memories.Get().(*Memory) }

// Parse is the function Parse. The strings of the nodes are parts of the text, which must not change any more.
func (m *Memory) Parse(text []byte) (*yaml.Node, error) {
	return parse(unsafe.String(unsafe.SliceData(text), len(text)), &m.slab)
}

// Copy returns a copy of n with a list of children of its own, as one of the nodes that Free gives back.
func (m *Memory) Copy(n *yaml.Node) *yaml.Node {
	c := m.slab.node(0, 0)
	*c = *n
	c.Content = m.slab.list(n.Content)
	return c
}

// NewString is the function NewString, for a node that Free gives back.
func (m *Memory) NewString(s string) *yaml.Node {
	n := m.slab.node(0, 0)
	setString(n, s)
	return n
}

// Free gives the nodes back, and the Memory itself. None of them may be used any more. Strings of the nodes may.
func (m *Memory) Free() {
	m.slab.free()
	memories.Put(m)
}
