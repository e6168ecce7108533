package jsonpatch

import (
	evanphx "github.com/evanphx/json-patch/v5"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Merge applies a JSON Merge Patch, a map, to the parts of root that it names: before is these
// parts, after what comes of them. Root is not changed.
func Merge(lookup Lookup, root, patch *tree.Node) (before, after *tree.Node, err error) {
	before = part(lookup, root, pathsIn(patch))
	document, err := tree.MarshalJSON(before)
	if err != nil {
		return nil, nil, err
	}
	text, err := tree.MarshalJSON(patch)
	if err != nil {
		return nil, nil, err
	}
	if text, err = evanphx.MergePatch(document, text); err != nil {
		return nil, nil, err
	}
	if after, err = tree.ParseJSON(text); err != nil {
		return nil, nil, err
	}
	return before, asWritten(before, patch, after), nil
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

// asWritten returns the outcome of the library with the members in the order of before and then of
// the patch, and with the nodes of these: the library adds members in a random order, and drops the
// nulls of maps in a list, which RFC 7386 keeps.
func asWritten(before, patch, after *tree.Node) *tree.Node {
	if patch = tree.Deref(patch); !tree.IsMap(patch) || !tree.IsMap(after) {
		return patch
	}
	if before = tree.Deref(before); !tree.IsMap(before) {
		before = tree.NewMap()
	}
	was, changes, is := tree.MembersOf(before), tree.MembersOf(patch), tree.MembersOf(after)
	ordered := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag, Style: patch.Style}
	add := func(key string) {
		value, change, now := was.Get(key), changes.Get(key), is.Get(key)
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
