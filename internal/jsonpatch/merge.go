package jsonpatch

import "github.com/krm-fields/krm-fields/internal/yamldoc/tree"

// Merge returns target with a JSON Merge Patch (https://www.rfc-editor.org/rfc/rfc7386) applied. A
// member of a patch that is null removes the target's, a map is merged, and anything else, lists
// included, takes the place of what is there. A target that is nil or no map counts as an empty map
// where the patch is a map; so Merge(nil, patch) is the patch without the nulls in its maps.
//
// Neither target nor patch is changed; the outcome shares nodes with both. Members keep the
// target's order, new ones come last in the patch's.
func Merge(target, patch *tree.Node) *tree.Node {
	patch = tree.Deref(patch)
	if !tree.IsMap(patch) {
		return patch
	}
	merged := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag, Style: patch.Style}
	changes := make(map[string]*tree.Node, len(patch.Content)/2)
	for key, change := range tree.Entries(patch) {
		changes[key] = change
	}
	had := map[string]bool{}
	for key, value := range tree.Entries(target) {
		had[key] = true
		change, changed := changes[key]
		switch {
		case !changed:
			addMember(merged, key, value)
		case tree.Type(change) != tree.Null:
			addMember(merged, key, Merge(value, change))
		}
	}
	for key, change := range tree.Entries(patch) {
		if !had[key] && tree.Type(change) != tree.Null {
			addMember(merged, key, Merge(nil, change))
		}
	}
	return merged
}

func addMember(m *tree.Node, key string, value *tree.Node) {
	m.Content = append(m.Content, tree.NewString(key), value)
}
