package jsonpatch

import (
	evanphx "github.com/evanphx/json-patch/v5"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Merge applies a JSON Merge Patch, a map, to the parts of root that it names: before is these
// parts, after what comes of them. A root that is nil is an empty map, so that after is then the
// patch without the nulls in its maps. Root is not changed.
func Merge(root, patch *tree.Node) (before, after *tree.Node, err error) {
	return MergeBy(tree.Lookup, root, patch)
}

// MergeBy is Merge with what looks members up, so that many patches need not go through a large map
// each.
func MergeBy(lookup Lookup, root, patch *tree.Node) (before, after *tree.Node, err error) {
	if root == nil {
		root = &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag}
	}
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
	patch = tree.Deref(patch)
	if !tree.IsMap(patch) || !tree.IsMap(after) {
		return patch
	}
	ordered := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag, Style: patch.Style}
	had := map[string]bool{}
	add := func(key string, was *tree.Node) {
		had[key] = true
		switch now, change := tree.Lookup(after, key), tree.Lookup(patch, key); {
		case change == nil:
			ordered.Content = append(ordered.Content, tree.NewString(key), was)
		case now != nil:
			ordered.Content = append(ordered.Content, tree.NewString(key), asWritten(was, change, now))
		}
	}
	for key, was := range tree.Entries(before) {
		add(key, was)
	}
	for key := range tree.Entries(patch) {
		if !had[key] {
			add(key, nil)
		}
	}
	return ordered
}
