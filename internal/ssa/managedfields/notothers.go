package managedfields

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// NotOthers returns what of the value at a location its owners would lose if the applier left it
// out: all of it, or the maps and list elements around the leaves that no other manager owns; nil
// if others own all leaves that have an owner. It also returns the managers of these leaves, and
// whether any leaf has an owner. An applier "" is unknown: then it is the one manager that has
// applied a leaf alone.
func (x *Index) NotOthers(l location.Location, applier string) (value *tree.Node, managers []string, isOwned bool) {
	k := keeper{applier: applier}
	value = k.keep(x.At(l), *x.at(l))
	return value, k.managers, k.isOwned
}

// keeper leaves out of a value what other managers own.
type keeper struct {
	applier  string
	managers []string
	isOwned  bool
}

func (k *keeper) keep(n *tree.Node, h holding) *tree.Node {
	n = tree.Deref(n)
	if !h.isOwned() {
		return nil
	}
	if !tree.IsMap(n) && !tree.IsList(n) || len(n.Content) == 0 {
		return k.leaf(n, h.owners())
	}
	kept := n.Bare()
	if tree.IsMap(n) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if value := k.keep(n.Content[i+1], h.below(location.Key(n.Content[i].Text()), n)); value != nil {
				kept.Content = append(kept.Content, n.Content[i], value)
			}
		}
	} else {
		for i, element := range n.Content {
			if value := k.keep(element, h.below(location.Index(i), n)); value != nil {
				kept.Content = append(kept.Content, identified(value, tree.Deref(element), h))
			}
		}
	}
	switch {
	case len(kept.Content) == 0:
		return nil
	case slices.Equal(n.Content, kept.Content):
		return n
	}
	return kept
}

// identified adds to a part of an element of a list the members that identify it.
func identified(part, element *tree.Node, list holding) *tree.Node {
	if part == element || !tree.IsMap(part) {
		return part
	}
	for key, value := range tree.Entries(element) {
		if tree.Lookup(part, key) == nil && list.identifies(key) {
			part.Content = append(part.Content, tree.NewString(key), value)
		}
	}
	return part
}

func (k *keeper) leaf(n *tree.Node, owners []Entry) *tree.Node {
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
		if i := slices.IndexFunc(owners, Entry.IsApplier); i >= 0 {
			applier = owners[i].Manager
		} else if !slices.ContainsFunc(owners, Entry.isLegacy) {
			return true // nobody has applied it
		}
	}
	return slices.ContainsFunc(owners, func(e Entry) bool { return e.Manager != applier && !e.IsTakenOver(applier) })
}
