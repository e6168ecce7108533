package tree

import (
	"bytes"
)

// unread stands for the members of an object that are not in its head. It must not be changed.
var unread = &Node{Kind: ScalarNode, Tag: NullTag}

// maxSkimmedKeys bounds the keys of the open maps of skimmed text.
const maxSkimmedKeys = 256

// skim is how text is read that is only verified: without a node for each value.
type skim struct {
	on bool
	// node is that of each value in turn.
	node Node
	// keys has the keys of the open maps, in its first open nodes; it has room for maxSkimmedKeys.
	// The first used of them have been in use.
	keys       []Node
	open, used int
}

// clear forgets the text.
func (s *skim) clear() {
	for i := range s.used {
		s.keys[i].text = ""
	}
}

// ParseHead is Parse for an object of which only the apiVersion, the kind and the metadata are
// needed: its other members are verified, and null. Depth is how many maps and lists the object is
// in, itself included. It returns nil for text that has an `&`, which may be an anchor, or that
// only Parse can read, which may be invalid.
func (m *Memory) ParseHead(text []byte, depth int) *Node {
	if bytes.IndexByte(text, '&') >= 0 {
		return nil
	}
	ascii, ok := scanBytes(unsafeString(text))
	if !ok {
		return nil
	}
	r := newReader(unsafeString(text), ascii, &m.slab)
	defer r.free()
	r.headDepth = depth
	r.limit -= maxNodes(len(text)) / 2 // Parse counts nodes in chunks, so it may count more
	return r.root()
}

// member reads the value of a key in the map in column indent.
func (r *reader) member(key string, indent int) *Node {
	if r.depth != r.headDepth || isInHead(key) {
		return r.value(indent)
	}
	r.skim.on = true
	value := r.value(indent)
	r.skim.on = false
	if value == nil {
		return nil
	}
	return unread
}

func isInHead(key string) bool { return key == "apiVersion" || key == "kind" || key == "metadata" }

// kept returns a key as a node that stays as it is while its map is open; nil for too many.
func (r *reader) kept(key *Node) *Node {
	s := &r.skim
	if !s.on {
		return key
	}
	if s.keys == nil {
		s.keys = make([]Node, maxSkimmedKeys)
	}
	if s.open == len(s.keys) {
		return nil
	}
	k := &s.keys[s.open]
	s.open++
	s.used = max(s.used, s.open)
	k.text, k.Tag, k.line, k.column = key.text, key.Tag, key.line, key.column
	return k
}
