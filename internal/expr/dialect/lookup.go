package dialect

import (
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const (
	// manyMembers is the size from which on a map is indexed.
	manyMembers = 256
	// manyLookups is how many lookups cost more than the index.
	manyLookups = 8
)

// mapIndex indexes the large map of the last lookup.
type mapIndex struct {
	of      *tree.Node
	lookups int
	members map[string]*tree.Node // nil before there are many lookups
}

// Lookup is tree.Lookup, but does not go through a large map for each of many expressions.
func (in *Input) Lookup(m *tree.Node, key string) *tree.Node {
	if m = tree.Deref(m); !tree.IsMap(m) || len(m.Content) < 2*manyMembers {
		return tree.Lookup(m, key)
	}
	if in.index.of != m {
		in.index = mapIndex{of: m}
	}
	if in.index.lookups++; in.index.lookups <= manyLookups {
		return tree.Lookup(m, key)
	}
	if in.index.members == nil {
		in.index.members = make(map[string]*tree.Node, len(m.Content)/2)
		for k, v := range tree.Entries(m) {
			if _, known := in.index.members[k]; !known {
				in.index.members[k] = tree.Deref(v)
			}
		}
	}
	return in.index.members[key]
}
