package tree

import (
	"sync"
	"unsafe"
)

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

func (m *Memory) parse(text string) (*Node, error) {
	made := m.slab.made
	root, stopped := read(text, &m.slab)
	switch {
	case root != nil:
		return root, nil
	case m.slab.made-made > maxNodes(len(text)):
		return nil, &SyntaxError{Line: stopped, Reason: tooManyNodes(len(text))}
	}
	if err := checkCharacters(text); err != nil {
		return nil, err
	}
	if err := checkNodes(text); err != nil {
		return nil, err
	}
	return parseAny(text, stopped)
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

// Free frees the nodes, and the Memory itself. None of them may be used afterwards. Strings of the
// nodes may.
func (m *Memory) Free() {
	m.slab.free()
	memories.Put(m)
}
