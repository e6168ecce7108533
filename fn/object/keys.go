package object

import "go.yaml.in/yaml/v3"

// manyKeys is the number of keys from which on a table is faster than a look at
// each.
const manyKeys = 32

// keys finds the keys of a map.
type keys struct {
	m     *yaml.Node
	table map[keyText]int
}

type keyText struct {
	kind  yaml.Kind
	value string
}

func keysOf(m *yaml.Node) *keys { return &keys{m: m} }

// indexOf returns the index of a key in the content of the map, or -1.
func (k *keys) indexOf(key *yaml.Node) int {
	if len(k.m.Content) < 2*manyKeys {
		for i := 0; i < len(k.m.Content); i += 2 {
			if k.m.Content[i].Value == key.Value && k.m.Content[i].Kind == key.Kind {
				return i
			}
		}
		return -1
	}
	if k.table == nil {
		k.table = make(map[keyText]int, len(k.m.Content)/2)
		for i := 0; i < len(k.m.Content); i += 2 {
			k.table[keyText{k.m.Content[i].Kind, k.m.Content[i].Value}] = i
		}
	}
	if i, ok := k.table[keyText{key.Kind, key.Value}]; ok {
		return i
	}
	return -1
}
