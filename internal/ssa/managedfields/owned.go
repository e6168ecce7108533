package managedfields

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// ofServer are the fields of metadata that the API server sets, and those that name the object.
var ofServer = slices.Concat(schema.ServerSet, []string{"name", "namespace", "generateName"})

// AreKnown tells whether the entries of a live object say who owns what. Without any, nobody owns
// a field if both objects have nothing but what names them and what only a server sets.
func AreKnown(entries []Entry, live, ours *tree.Node) bool {
	return len(entries) > 0 || !hasOwned(live) && !hasOwned(ours)
}

func hasOwned(root *tree.Node) bool {
	for key := range tree.Entries(root) {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, key) {
			return true
		}
	}
	for key := range tree.Entries(tree.Lookup(root, "metadata")) {
		if !slices.Contains(ofServer, key) {
			return true
		}
	}
	return false
}

// OwnedField is a field of an object and the entries that own it.
type OwnedField struct {
	Location location.Location
	Owners   []Entry
}

// OwnedBy returns what managers own of an object: each leaf, map or list that one of them owns as a
// whole. The managers are globs, and any operation and subresource counts but `status`. The entries
// are those of the live object; root is it or the object of the package, whose list elements are
// identified by their keys.
func OwnedBy(entries []Entry, managers []string, root *tree.Node) []OwnedField {
	w := ownedWalker{isAsked: lists.Map(entries, func(e Entry) bool {
		matches := func(glob string) bool { return selector.Glob(glob, e.Manager) }
		return e.Subresource != "status" && slices.ContainsFunc(managers, matches)
	})}
	if !slices.Contains(w.isAsked, true) {
		return nil
	}
	w.walk(nil, root, holdingOf(entries))
	return w.fields
}

// ownedWalker collects the fields that the asked ones among the entries own.
type ownedWalker struct {
	isAsked []bool
	fields  []OwnedField
}

// asked are the parts of the asked entries.
func (w *ownedWalker) asked(h holding) holding {
	h.parts = slices.DeleteFunc(slices.Clone(h.parts), func(p part) bool { return !w.isAsked[p.entry] })
	return h
}

// walk adds what the entries own of n, and tells whether that is all of it.
func (w *ownedWalker) walk(at location.Location, n *tree.Node, h holding) bool {
	n = tree.Deref(n)
	isOfServer := len(at) == 2 && at[0].Key == "metadata" && slices.Contains(ofServer, at[1].Key)
	own := w.asked(h)
	if isOfServer || !own.isOwned() {
		return false
	}
	all := true
	switch {
	case !h.isDivided():
		w.fields = append(w.fields, OwnedField{Location: at, Owners: own.owners()})
	case tree.IsMap(n):
		for key, value := range tree.Entries(n) {
			step := location.Key(key)
			all = w.walk(at.With(step), value, h.below(step, n)) && all
		}
	case tree.IsList(n):
		for i := range n.Content {
			all = w.element(at, i, n, h) && all
		}
	}
	return all
}

// element adds what the entries own of an element of a list: the element itself where that is all
// of it, else its fields except those that identify it.
func (w *ownedWalker) element(list location.Location, i int, n *tree.Node, h holding) bool {
	step := location.Index(i)
	at, below, before := list.With(step), h.below(step, n), len(w.fields)
	all := w.walk(at, n.Content[i], below)
	own := w.asked(below)
	if all && slices.ContainsFunc(own.parts, func(p part) bool { return p.isMember }) {
		w.fields = append(w.fields[:before], OwnedField{Location: at, Owners: own.owners()})
		return true
	}
	w.fields = append(w.fields[:before], slices.DeleteFunc(slices.Clone(w.fields[before:]), func(f OwnedField) bool {
		return len(f.Location) == len(at)+1 && h.identifies(f.Location[len(at)].Key)
	})...)
	return false
}
