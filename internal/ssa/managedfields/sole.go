package managedfields

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Sole is a manager that alone owns a field.
type Sole struct {
	Manager string
	// TakenOverBy is the applier that makes the manager's fields its own; "" where the manager is
	// an applier itself.
	TakenOverBy string
}

// SoleOwner returns the manager that alone owns what is at a location, so that its next apply
// without the field removes it: each leaf that has an owner has no other, and that one is an
// applier, or one whose fields an applier takes over. Where applier is not "", only that one
// counts.
func (x *Index) SoleOwner(l location.Location, applier string) (Sole, bool) {
	entries := x.holdings[0].entries
	w := leafWalker{owns: make([]bool, len(entries))}
	w.walk(x.reader.At(l), *x.at(l))
	var owners []Entry
	for i, owns := range w.owns {
		if owns {
			owners = append(owners, entries[i])
		}
	}
	if sole, ok := soleOf(owners, entries, applier); ok && !w.isShared {
		return sole, true
	}
	return Sole{}, false
}

// soleOf returns the one manager that the owners stand for. No two of them own the same leaf,
// except an applier and those that it takes over.
func soleOf(owners, entries []Entry, applier string) (Sole, bool) {
	var sole Sole
	for _, owner := range owners {
		switch {
		case owner.IsApplier() && (sole.Manager == "" || sole.Manager == owner.Manager):
			sole.Manager = owner.Manager
		case !owner.isLegacy():
			return Sole{}, false
		}
	}
	isTaken := func(by string) bool {
		return !slices.ContainsFunc(owners, func(e Entry) bool { return e.isLegacy() && !e.IsTakenOver(by) })
	}
	if sole.Manager != "" {
		return sole, isTaken(sole.Manager) && (applier == "" || applier == sole.Manager)
	}
	if len(owners) == 0 {
		return Sole{}, false
	}
	sole.Manager = owners[0].Manager
	if !slices.ContainsFunc(owners, func(e Entry) bool { return e.Manager != ClientSideApply }) {
		// kubectl removes what it has applied on the client's side.
		return sole, applier == "" || applier == ClientSideApply || isTaken(applier)
	}
	for _, entry := range entries {
		if entry.IsApplier() && (applier == "" || applier == entry.Manager) && isTaken(entry.Manager) {
			sole.TakenOverBy = entry.Manager
			return sole, true
		}
	}
	return Sole{}, false
}

// leafWalker collects the owners of all leaves of a value.
type leafWalker struct {
	// owns tells which entries own a leaf.
	owns []bool
	// isShared is set where a leaf has two owners of which none takes the other over.
	isShared bool
}

func (w *leafWalker) walk(n *tree.Node, h holding) {
	n = tree.Deref(n)
	switch {
	case w.isShared || !h.isOwned():
	case tree.IsMap(n) && len(n.Content) > 0:
		for key, value := range tree.Entries(n) {
			w.walk(value, h.below(location.Key(key), n))
		}
	case tree.IsList(n) && len(n.Content) > 0:
		for i, element := range n.Content {
			w.walk(element, h.below(location.Index(i), n))
		}
	default:
		others := 0
		for _, part := range h.parts {
			w.owns[part.entry] = true
			if !h.entries[part.entry].isLegacy() {
				others++
			}
		}
		w.isShared = w.isShared || others > 1
	}
}
