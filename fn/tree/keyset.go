package tree

import "go.yaml.in/yaml/v3"

// manyKeys is the number of keys from which on a hash table is faster than
// comparing each with each.
const manyKeys = 16

// keySet finds the keys that a map has twice.
type keySet struct {
	table map[string]struct{}
}

// add tells whether key is new among the members that the map has so far: keys
// and values in turn.
func (s *keySet) add(members []*yaml.Node, key string) bool {
	if len(members) < 2*manyKeys {
		for i := 0; i < len(members); i += 2 {
			if members[i].Value == key {
				return false
			}
		}
		return true
	}
	if s.table == nil {
		s.table = make(map[string]struct{}, 4*manyKeys)
		for i := 0; i < len(members); i += 2 {
			s.table[members[i].Value] = struct{}{}
		}
	}
	if _, ok := s.table[key]; ok {
		return false
	}
	s.table[key] = struct{}{}
	return true
}
