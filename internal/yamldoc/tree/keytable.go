package tree

// ManyKeys is the number of keys of a map from which on a hash table is faster than a scan.
const ManyKeys = 16

// KeyTable finds the keys of one map, which may grow meanwhile.
type KeyTable struct {
	indices map[string]int
	// indexed is how many nodes of the map, keys and values, indices covers.
	indexed int
}

// Index returns the index of a key among the nodes of the map, keys and values in turn, or -1.
func (t *KeyTable) Index(content []*Node, key string) int {
	if len(content) < 2*ManyKeys {
		for i := 0; i < len(content); i += 2 {
			if Deref(content[i]).text == key {
				return i
			}
		}
		return -1
	}
	if t.indices == nil {
		t.indices = make(map[string]int, len(content)/2)
	}
	for ; t.indexed < len(content); t.indexed += 2 {
		t.indices[Deref(content[t.indexed]).text] = t.indexed
	}
	if i, ok := t.indices[key]; ok {
		return i
	}
	return -1
}

// Members finds the members of a map by their keys, merged ones included.
type Members struct {
	content []*Node
	keys    KeyTable
}

// MembersOf returns the members of the map m, which must not change afterwards.
func MembersOf(m *Node) *Members {
	if !HasMerge(m) {
		return &Members{content: m.Content}
	}
	members := &Members{}
	for key, value := range Entries(m) {
		members.content = append(members.content, &Node{Kind: ScalarNode, text: key}, value)
	}
	return members
}

// Get returns the value of a key, or nil.
func (m *Members) Get(key string) *Node {
	if i := m.keys.Index(m.content, key); i >= 0 {
		return m.content[i+1]
	}
	return nil
}

// Key returns the node of a key, or nil if it is not in the text of the map.
func (m *Members) Key(key string) *Node {
	if i := m.keys.Index(m.content, key); i >= 0 && m.content[i].line > 0 {
		return m.content[i]
	}
	return nil
}
