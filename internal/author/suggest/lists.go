package suggest

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// lists compares two lists. If values identify the elements, it compares those with the same
// identity; else those at the same index, if the lists have the same length. Otherwise the lists
// differ as a whole, and so does an atomic list whose elements are others, or in another order.
func (c *comparer) lists(here, there *tree.Node, at place) {
	a, b := tree.Elements(here), tree.Elements(there)
	by, ok := c.identity(a, b, at)
	ok = ok && !c.hides(by, a, at.here) && !c.hides(by, b, at.there)
	switch {
	case ok && (by.sameOrder(a, b) || by.isUnordered && !c.isAtomic(here, at)):
		c.byIdentity(a, b, at, by)
	case !ok && len(a) == len(b) && areCollections(a) && areCollections(b):
		for i := range a {
			c.values(a[i], b[i], at.element(i, i, nil))
		}
	default:
		c.differ(at, here, there)
	}
}

// isAtomic tells whether a schema says that one manager owns all of a list, so that no other can
// add an element.
func (c *comparer) isAtomic(list *tree.Node, at place) bool {
	isShared := len(managedfields.ElementKeys(c.entries, at.there, c.pair.live)) > 0 || managedfields.IsSet(c.entries, at.there, c.pair.live)
	return !isShared && c.kind != nil && c.kind.Origin != schema.Assumed && c.kind.At(at.here).Type.IsAtomic(list)
}

// hides tells whether a value that identifies the elements of the list at a location is a Secret's,
// so that no expression may contain it.
func (c *comparer) hides(by identity, elements []*tree.Node, at location.Location) bool {
	if c.pair.mask.IsZero() {
		return false
	}
	if c.isInside {
		return true
	}
	for i, element := range elements {
		for _, path := range by.paths {
			place := at.With(location.Index(i))
			for _, key := range path {
				place = place.With(location.Key(key))
			}
			if c.pair.mask.Hides(place, tree.Get(element, path...)) {
				return true
			}
		}
	}
	return false
}

func areCollections(elements []*tree.Node) bool {
	return !slices.ContainsFunc(elements, func(n *tree.Node) bool { return tree.Deref(n).Kind == tree.ScalarNode })
}

// byIdentity compares the elements with the same identity.
func (c *comparer) byIdentity(a, b []*tree.Node, at place, by identity) {
	places, added := map[string]int{}, 0
	for i, element := range b {
		places[by.of(element)] = i
	}
	counts := by.counts(a)
	for i, element := range a {
		id := by.of(element)
		j, found := places[id]
		if !found {
			c.differ(at.element(i, -1, by.conditions(element, counts)), element, nil)
			continue
		}
		c.values(element, b[j], at.element(i, j, by.conditions(element, counts)))
		delete(places, id)
	}
	for j, element := range b {
		if _, injected := places[by.of(element)]; !injected {
			continue
		}
		if inner := at.element(len(a)+added, j, nil); c.isDiff && c.isApplied(inner) {
			c.differ(inner, nil, element)
			added++
			continue
		}
		c.injected(at, j, element, by)
	}
}

// injected reports that the cluster has an element that the package does not have.
func (c *comparer) injected(at place, index int, element *tree.Node, by identity) {
	inner := at.element(0, index, nil)
	owners := managedfields.Owners(c.entries, inner.there, c.pair.live)
	if c.isOnlyOurs(owners) {
		c.remark(at, "only the cluster has %s, where only %s has set it: the package has changed since, so no rule is needed",
			c.describe(inner, element, by), ownerList(owners))
		return
	}
	about := ""
	if len(owners) > 0 {
		about = " (" + ownerList(owners) + ")"
	}
	c.remark(at, "only the cluster has %s%s, which no rule can keep: a rule only removes fields from the package",
		c.describe(inner, element, by), about)
}

// describe names an element for a comment: name: "proxy".
func (c *comparer) describe(at place, element *tree.Node, by identity) string {
	var texts []string
	for _, path := range by.paths {
		value := c.show(at.there, tree.Get(element, path...))
		if len(path) > 0 {
			value = strings.Join(path, ".") + ": " + value
		}
		texts = append(texts, value)
	}
	return strings.Join(texts, ", ")
}

// identity is what identifies the elements of a list: scalars at paths in them, or with one empty
// path the element itself.
type identity struct {
	paths [][]string
	// isUnordered is true if the order of the elements has no meaning.
	isUnordered bool
}

// usualKeys are the fields that identify list elements in Kubernetes' own types.
var usualKeys = []string{
	"name", "containerPort", "port", "mountPath", "devicePath", "ip", "topologyKey", "type", "uid", "key", "id",
}

// identity finds what identifies the elements of two lists: the keys in managedFields, else a usual
// key, else scalars at any path that are the same in both lists.
func (c *comparer) identity(a, b []*tree.Node, at place) (identity, bool) {
	if managedfields.IsSet(c.entries, at.there, c.pair.live) {
		by := identity{paths: [][]string{{}}, isUnordered: true}
		return by, by.identifies(a) && by.identifies(b)
	}
	var official identity
	for _, key := range managedfields.ElementKeys(c.entries, at.there, c.pair.live) {
		official.paths = append(official.paths, []string{key})
	}
	official.isUnordered = true
	if len(official.paths) > 0 && official.identifies(a) && official.identifies(b) {
		return official, true
	}
	for _, key := range usualKeys {
		by := identity{paths: [][]string{{key}}, isUnordered: true}
		if by.identifies(a) && by.identifies(b) {
			return by, true
		}
	}
	return sharedIdentity(a, b)
}

// maxDepth is how deep in an element a value that identifies it may be.
const maxDepth = 3

// sharedIdentity looks for scalars that are the same in both lists, whose order may then have a
// meaning.
func sharedIdentity(a, b []*tree.Node) (identity, bool) {
	if len(a) == 0 || len(a) != len(b) {
		return identity{}, false
	}
	for _, path := range scalarPaths(a[0], nil) {
		by := identity{paths: [][]string{path}}
		if by.identifies(a) && by.identifies(b) && by.sameOrder(a, b) {
			return by, true
		}
	}
	return identity{}, false
}

// scalarPaths returns the paths of the scalars in a map, the shortest first.
func scalarPaths(n *tree.Node, at []string) [][]string {
	var paths [][]string
	for key, value := range tree.Entries(n) {
		path := append(slices.Clip(at), key)
		switch {
		case tree.Deref(value).Kind == tree.ScalarNode:
			paths = append(paths, path)
		case len(path) < maxDepth:
			paths = append(paths, scalarPaths(value, path)...)
		}
	}
	sort.SliceStable(paths, func(i, j int) bool { return len(paths[i]) < len(paths[j]) })
	return paths
}

// identifies tells whether every element has the scalars, and no two have the same. A protocol may
// be missing.
func (by identity) identifies(elements []*tree.Node) bool {
	seen := map[string]bool{}
	for _, element := range elements {
		for _, path := range by.paths {
			n := tree.Get(element, path...)
			if n == nil && isProtocol(path) {
				continue
			}
			if n == nil || n.Kind != tree.ScalarNode || tree.Type(n) == tree.Null {
				return false
			}
		}
		id := by.of(element)
		if seen[id] {
			return false
		}
		seen[id] = true
	}
	return true
}

func isProtocol(path []string) bool { return len(path) == 1 && path[0] == "protocol" }

// of returns a text that is equal for elements with the same identity. A missing protocol is TCP,
// the server's default.
func (by identity) of(element *tree.Node) string {
	var b strings.Builder
	for _, path := range by.paths {
		n := tree.Get(element, path...)
		text := literal{value: "TCP"}
		if n != nil || !isProtocol(path) {
			text = literalOf(n)
		}
		fmt.Fprintf(&b, "%q %t\x00", text.value, text.isBare)
	}
	return b.String()
}

// sameOrder tells whether two lists have the same elements in the same order.
func (by identity) sameOrder(a, b []*tree.Node) bool {
	return slices.EqualFunc(a, b, func(x, y *tree.Node) bool { return by.of(x) == by.of(y) })
}

// counts returns, for each path, how many elements have each value there.
func (by identity) counts(list []*tree.Node) []map[literal]int {
	counts := make([]map[literal]int, len(by.paths))
	for i, path := range by.paths {
		counts[i] = make(map[literal]int, len(list))
		for _, element := range list {
			if n := tree.Get(element, path...); n != nil {
				counts[i][literalOf(n)]++
			}
		}
	}
	return counts
}

// conditions are the values that identify an element in a list with these counts: the first value
// that no other element has, else all.
func (by identity) conditions(element *tree.Node, counts []map[literal]int) []condition {
	var all []condition
	for i, path := range by.paths {
		c := condition{path: path, value: tree.Get(element, path...)}
		if len(all) == 0 && c.value != nil && counts[i][literalOf(c.value)] == 1 {
			return []condition{c}
		}
		all = append(all, c)
	}
	return all
}
