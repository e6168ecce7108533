package managedfields

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// NotOthers returns what of the value at a location of root its owners would lose if the applier
// left it out: all of it, or the maps and list elements around the leaves that no other manager
// owns; nil if others own all leaves that have an owner. It also returns the managers of these
// leaves, and whether any leaf has an owner. An applier "" is unknown: then it is the one manager
// that has applied a leaf alone.
func NotOthers(entries []Entry, l location.Location, root *tree.Node, applier string) (value *tree.Node, managers []string, isOwned bool) {
	k := keeper{leafWalker: leafWalker{entries: entries}, applier: applier}
	parts := make([]owned, len(entries))
	for i, entry := range entries {
		parts[i] = entry.at(l, root)
	}
	value = k.keep(location.At(root, l), parts)
	return value, k.managers, k.isOwned
}

// keeper leaves out of a value what other managers own.
type keeper struct {
	leafWalker
	applier  string
	managers []string
	isOwned  bool
}

func (k *keeper) keep(n *tree.Node, parts []owned) *tree.Node {
	n = tree.Deref(n)
	switch {
	case !slices.ContainsFunc(parts, owned.isOwned):
		return nil
	case tree.IsMap(n) && len(n.Content) > 0:
		kept := n.Bare()
		for i := 0; i+1 < len(n.Content); i += 2 {
			if value := k.keep(n.Content[i+1], k.below(parts, location.Key(n.Content[i].Text()), n)); value != nil {
				kept.Content = append(kept.Content, n.Content[i], value)
			}
		}
		return whole(n, kept)
	case tree.IsList(n) && len(n.Content) > 0:
		kept := n.Bare()
		for i, element := range n.Content {
			if value := k.keep(element, k.below(parts, location.Index(i), n)); value != nil {
				kept.Content = append(kept.Content, k.identified(value, tree.Deref(element), parts))
			}
		}
		return whole(n, kept)
	}
	return k.leafOf(n, parts)
}

// whole returns n if the copy has all of its content, nil if it has none.
func whole(n, kept *tree.Node) *tree.Node {
	switch {
	case len(kept.Content) == 0:
		return nil
	case slices.Equal(n.Content, kept.Content):
		return n
	}
	return kept
}

// identified adds to a part of a list element the fields that identify it.
func (k *keeper) identified(part, element *tree.Node, list []owned) *tree.Node {
	if part == element || !tree.IsMap(part) {
		return part
	}
	for i, entry := range k.entries {
		for _, keys := range entry.namesIn(list[i].inner).keys {
			for _, key := range keys {
				if value := tree.Lookup(element, key); value != nil && tree.Lookup(part, key) == nil {
					part.Content = append(part.Content, tree.NewString(key), value)
				}
			}
		}
	}
	return part
}

func (k *keeper) leafOf(n *tree.Node, parts []owned) *tree.Node {
	var owners []Entry
	for i, part := range parts {
		if part.isOwned() {
			owners = append(owners, k.entries[i])
		}
	}
	k.isOwned = k.isOwned || len(owners) > 0
	if len(owners) == 0 || k.hasOther(owners) {
		return nil
	}
	for _, owner := range owners {
		if !slices.Contains(k.managers, owner.Manager) {
			k.managers = append(k.managers, owner.Manager)
		}
	}
	return n
}

// hasOther tells whether one of the owners of a leaf is another manager than the applier: one that
// keeps the leaf when the applier leaves it out.
func (k *keeper) hasOther(owners []Entry) bool {
	applier := k.applier
	if applier == "" {
		applier = owners[0].Manager
		if i := slices.IndexFunc(owners, Entry.isApplier); i >= 0 {
			applier = owners[i].Manager
		} else if !slices.ContainsFunc(owners, Entry.isLegacy) {
			return true // nobody has applied it
		}
	}
	return slices.ContainsFunc(owners, func(e Entry) bool {
		return e.Manager != applier && !TakesOver(applier, e.Manager) && !e.hasLastApplied()
	})
}

// lastApplied is the annotation by which kubectl knows whose fields it has applied client-side: it
// takes them over under any name.
var lastApplied = fieldpath.MakePathOrDie("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")

func (e Entry) hasLastApplied() bool {
	return e.Operation == "Update" && e.Subresource == "" && e.fields.Has(lastApplied)
}
