package tree

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// unread stands for the members of an object that are not in its head.
var unread = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}

// ParseHead is Parse for an object of which only the apiVersion, the kind and the metadata are
// needed: its other members are verified, and null. Depth is how many maps and lists the object is
// in, itself included. It returns nil for text that may have anchors, or that only Parse can read;
// it may be invalid.
func (m *Memory) ParseHead(text []byte, depth int) *yaml.Node {
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
func (r *reader) member(key string, indent int) *yaml.Node {
	if r.depth != r.headDepth || isInHead(key) {
		return r.value(indent)
	}
	r.slab.skims = true
	value := r.value(indent)
	r.slab.skims = false
	if value == nil {
		return nil
	}
	return unread
}

func isInHead(key string) bool { return key == "apiVersion" || key == "kind" || key == "metadata" }

// kept returns a key as a node that stays as it is while its map is open.
func (r *reader) kept(key *yaml.Node) *yaml.Node {
	if !r.slab.skims {
		return key
	}
	if r.keysOpen == len(r.keys) {
		r.keys = append(r.keys, new(yaml.Node))
	}
	k := r.keys[r.keysOpen]
	r.keysOpen++
	k.Value, k.Tag, k.Line, k.Column = key.Value, key.Tag, key.Line, key.Column
	return k
}
