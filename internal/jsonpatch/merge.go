package jsonpatch

import (
	evanphx "github.com/evanphx/json-patch/v5"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Merge applies a JSON Merge Patch, a map, to the parts of root that it names: before is these
// parts, after what comes of them. Root is not changed.
func Merge(lookup Lookup, root, patch *tree.Node) (before, after *tree.Node, err error) {
	var merged []*tree.Node
	for _, piece := range pieces(patch) {
		one, err := mergeByLibrary(part(lookup, root, pathsIn(piece)), piece)
		if err != nil {
			return nil, nil, err
		}
		merged = append(merged, one)
	}
	before = part(lookup, root, pathsIn(patch))
	return before, asWritten(before, patch, merged), nil
}

func mergeByLibrary(before, patch *tree.Node) (*tree.Node, error) {
	document, err := tree.MarshalJSON(before)
	if err != nil {
		return nil, err
	}
	text, err := tree.MarshalJSON(patch)
	if err != nil {
		return nil, err
	}
	if text, err = evanphx.MergePatch(document, text); err != nil {
		return nil, err
	}
	return tree.ParseJSON(text)
}

// maxMembers is how many members a map has in what the library gets at once: it goes through all of
// them for each.
const maxMembers = 256

// pieces cuts a merge patch into several of which no map has more than maxMembers.
func pieces(patch *tree.Node) []*tree.Node {
	if patch = tree.Deref(patch); !tree.IsMap(patch) || len(patch.Content) == 0 {
		return []*tree.Node{patch}
	}
	all := []*tree.Node{tree.NewMap()}
	for key, change := range tree.Entries(patch) {
		for i, piece := range pieces(change) {
			last := all[len(all)-1]
			if i > 0 || len(last.Content) == 2*maxMembers {
				last = tree.NewMap()
				all = append(all, last)
			}
			last.Content = append(last.Content, tree.NewString(key), piece)
		}
	}
	return all
}

// pathsIn returns the paths of the members of a merge patch.
func pathsIn(patch *tree.Node) (paths [][]string) {
	for key, change := range tree.Entries(patch) {
		below := pathsIn(change)
		if below == nil {
			below = [][]string{nil}
		}
		for _, path := range below {
			paths = append(paths, append([]string{key}, path...))
		}
	}
	return paths
}

// asWritten returns what the library has made of the pieces with the members in the order of before
// and then of the patch, and with the nodes of these: the library adds members in a random order,
// and drops the nulls of maps in a list, which RFC 7386 keeps.
func asWritten(before, patch *tree.Node, after []*tree.Node) *tree.Node {
	if patch = tree.Deref(patch); !tree.IsMap(patch) {
		return patch
	}
	if before = tree.Deref(before); !tree.IsMap(before) {
		before = tree.NewMap()
	}
	was, changes, is := tree.MembersOf(before), tree.MembersOf(patch), map[string][]*tree.Node{}
	for _, piece := range after {
		for key, value := range tree.Entries(piece) {
			is[key] = append(is[key], value)
		}
	}
	ordered := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag, Style: patch.Style}
	add := func(key string) {
		value, change, now := was.Get(key), changes.Get(key), is[key]
		if change != nil {
			value = asWritten(value, change, now)
		}
		if now != nil {
			ordered.Content = append(ordered.Content, tree.NewString(key), value)
		}
	}
	for key := range tree.Entries(before) {
		add(key)
	}
	for key := range tree.Entries(patch) {
		if was.Get(key) == nil {
			add(key)
		}
	}
	return ordered
}
