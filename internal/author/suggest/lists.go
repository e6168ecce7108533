package suggest

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// lists compares two lists. If values identify the elements, it compares those with the same
// identity; else those at the same index, if the lists have the same length. Otherwise the lists
// differ as a whole, and so does an atomic list whose elements are others, or in another order.
func (c *comparer) lists(here, there *tree.Node, at pairedLocation) {
	a, b := tree.Elements(here), tree.Elements(there)
	by, isUnordered := c.key(a, b, here, at)
	ok := by != nil && !c.hides(by, a, at.here) && !c.hides(by, b, at.there)
	switch {
	case ok && (by.SameOrder(a, b) || isUnordered):
		c.byIdentity(a, b, at, by)
	case !ok && len(a) == len(b) && areCollections(a) && areCollections(b):
		for i := range a {
			if !tree.Equal(a[i], b[i]) {
				c.values(a[i], b[i], at.element(i, i, nil))
			}
		}
	default:
		c.differ(at, here, there)
	}
}

// isAtomic tells whether a schema says that one manager owns all of a list or map, so that no other
// can add to it.
func (c *comparer) isAtomic(n *tree.Node, at pairedLocation) bool {
	return c.kind != nil && c.kind.Origin != schema.Assumed && c.kind.At(at.here).Type.IsAtomic(n)
}

// hides tells whether a value that identifies the elements of the list at a location is a Secret's,
// so that no expression may contain it.
func (c *comparer) hides(by listkey.Key, elements []*tree.Node, at location.Location) bool {
	if hasSecret := c.pair.shown.HasSecret(); !hasSecret || c.isInside {
		return hasSecret
	}
	for i, element := range elements {
		for _, field := range by {
			place := append(at.With(location.Index(i)), field.At...)
			if c.pair.shown.Hides(place, location.At(element, field.At)) {
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
func (c *comparer) byIdentity(a, b []*tree.Node, at pairedLocation, by listkey.Key) {
	places := map[string]int{}
	for i, element := range b {
		id, _ := by.Of(element)
		places[id] = i
	}
	here := counts(by, a)
	for i, element := range a {
		id, _ := by.Of(element)
		j, found := places[id]
		if !found {
			c.differ(at.element(i, -1, conditionsFor(by, element, here)), element, nil)
			continue
		}
		delete(places, id)
		if !tree.Equal(element, b[j]) {
			c.values(element, b[j], at.element(i, j, conditionsFor(by, element, here)))
		}
	}
	for j, element := range b {
		id, _ := by.Of(element)
		if _, injected := places[id]; !injected {
			continue
		}
		if c.takesLive {
			both := slices.Concat(a, b)
			c.differ(at.element(len(a), j, conditionsFor(by, element, counts(by, both))), nil, element)
			continue
		}
		c.injected(at, j, element, by)
	}
}

// injected reports that the cluster has an element that the package does not have.
func (c *comparer) injected(at pairedLocation, index int, element *tree.Node, by listkey.Key) {
	inner := at.element(0, index, nil)
	owners := c.there.Owners(inner.there)
	if c.isOnlyOurs(owners) {
		c.remark(at, "only the cluster has %s, where only %s has set it: the package has changed since, so no rule is needed",
			c.describe(inner, element, by), ownerList(owners))
		return
	}
	about := strings.TrimSuffix(" ("+ownerList(owners)+")", " ()")
	c.remark(at, "only the cluster has %s%s, which no rule can keep: a rule only removes fields from the package",
		c.describe(inner, element, by), about)
}

// describe names an element for a comment: name: "proxy".
func (c *comparer) describe(at pairedLocation, element *tree.Node, by listkey.Key) string {
	return strings.Join(lists.Map(by, func(field listkey.Part) string {
		return strings.TrimPrefix(field.At.String()+": ", ": ") + c.pair.show(at.there, location.At(element, field.At))
	}), ", ")
}

// key finds what identifies the elements of two lists: the keys in managedFields, else a usual key,
// else scalars at any depth that are the same in both lists. It also tells whether the order of the
// elements has no meaning.
func (c *comparer) key(a, b []*tree.Node, list *tree.Node, at pairedLocation) (key listkey.Key, isUnordered bool) {
	official := managedfields.ListKey(c.entries, at.there, c.pair.live)
	if official.Identifies(a, b) {
		return official, true
	}
	if usual := listkey.Usual(a, b); usual != nil {
		return usual, official != nil || !c.isAtomic(list, at)
	}
	return listkey.Shared(a, b), false
}

// counts returns, for each field of the key, how many elements have each value there.
func counts(by listkey.Key, list []*tree.Node) []map[literal]int {
	counts := make([]map[literal]int, len(by))
	for i, field := range by {
		counts[i] = make(map[literal]int, len(list))
		for _, element := range list {
			if n := location.At(element, field.At); n != nil {
				counts[i][literalOf(n)]++
			}
		}
	}
	return counts
}

// conditionsFor are the values that identify an element in a list with these counts: the first
// value that no other element has, else all.
func conditionsFor(by listkey.Key, element *tree.Node, counts []map[literal]int) []hint.Condition {
	var all []hint.Condition
	for i, field := range by {
		value := location.At(element, field.At)
		c := conditionAtKeys(field.At, value)
		if len(all) == 0 && value != nil && counts[i][literalOf(value)] == 1 {
			return []hint.Condition{c}
		}
		all = append(all, c)
	}
	return all
}
