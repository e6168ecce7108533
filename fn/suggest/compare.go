package suggest

import (
	"encoding/base64"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/managedfields"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// difference is a field of the package that the cluster has otherwise, or not
// at all.
type difference struct {
	place place
	// here and there are the values; there is nil for what is not on the cluster.
	here, there *yaml.Node
	owners      []managedfields.Entry
}

// comparer compares two objects.
type comparer struct {
	pair         *pairOfObjects
	fieldManager string
	entries      []managedfields.Entry
	isSecret     bool
	// isDiff keeps each difference, also where only the applier of the package has set what is on the cluster, and adds
	// what it has set there and the package no longer has.
	isDiff bool
}

// compare finds the differences of the pair.
func (p *pairOfObjects) compare(fieldManager string) {
	c := comparer{
		pair: p, fieldManager: fieldManager, entries: managedfields.Of(p.live),
		isSecret: p.ref.APIVersion == "v1" && p.ref.Kind == "Secret",
	}
	c.maps(p.desired, p.live, place{})
}

// values compares two values that are both there.
func (c *comparer) values(here, there *yaml.Node, at place) {
	switch {
	case tree.Equal(here, there), isNothing(here) && isNothing(there):
	case tree.IsMap(here) && tree.IsMap(there):
		c.maps(here, there, at)
	case tree.IsList(here) && tree.IsList(there):
		c.lists(here, there, at)
	case isQuantityField(at.here) && sameQuantity(here, there):
		c.remark(at, "%s here and %s on the cluster are the same quantity, which needs no rule",
			c.show(at.here, here), c.show(at.here, there))
	default:
		c.differ(at, here, there)
	}
}

func (c *comparer) maps(here, there *yaml.Node, at place) {
	if c.isDiff {
		c.given(here, there, at)
	}
	for key, value := range tree.Entries(here) {
		inner := at.member(key)
		other := tree.Lookup(there, key)
		switch {
		case isLeftOut(inner.here):
		case c.isSecret && len(at.here) == 0 && key == "stringData":
			c.stringData(value, inner)
		case other != nil:
			c.values(value, other, inner)
		case locate.Compare(inner.here, annotationsAt) == 0:
			// Some annotations are not compared, so the map can't be as a whole.
			c.maps(value, &yaml.Node{Kind: yaml.MappingNode}, inner)
		case !isNothing(value):
			c.differ(inner, value, nil)
		}
	}
}

var annotationsAt = locate.Location{locate.Key("metadata"), locate.Key("annotations")}

// stringData compares the texts of a Secret, which the server keeps encoded
// under data.
func (c *comparer) stringData(texts *yaml.Node, at place) {
	for key, value := range tree.Entries(texts) {
		inner := at.member(key)
		inner.there = locate.Location{locate.Key("data"), locate.Key(key)}
		other := tree.Get(c.pair.live, "data", key)
		if other != nil {
			decoded, err := base64.StdEncoding.DecodeString(other.Value)
			if err == nil && string(decoded) == tree.Deref(value).Value {
				continue
			}
		}
		c.differ(inner, value, other)
	}
}

// isNothing tells whether a value says as much as a missing one.
func isNothing(n *yaml.Node) bool {
	n = tree.Deref(n)
	return tree.Type(n) == tree.Null || n.Kind != yaml.ScalarNode && len(n.Content) == 0
}

// differ records a difference; where only the applier of the package has set
// what is on the cluster, it is the package that has changed, and there is no
// rule.
func (c *comparer) differ(at place, here, there *yaml.Node) {
	d := difference{place: at, here: here, there: there}
	if there != nil {
		d.owners = managedfields.Owners(c.entries, at.there, c.pair.live)
	}
	if !c.isDiff && c.isOnlyOurs(d.owners) {
		c.remark(at, "%s here, %s on the cluster, where only %s has set it: the package has changed since, and needs no rule",
			c.show(at.here, here), c.show(at.here, there), ownerList(d.owners))
		return
	}
	c.pair.differences = append(c.pair.differences, d)
}

// isOnlyOurs tells whether all owners are those that the package is applied
// with: the field manager of the caller, and those of kubectl apply.
func (c *comparer) isOnlyOurs(owners []managedfields.Entry) bool {
	for _, owner := range owners {
		applied := owner.Operation == "Apply" && (owner.Manager == c.fieldManager || owner.Manager == "kubectl")
		if !applied && owner.Manager != "kubectl-client-side-apply" {
			return false
		}
	}
	return len(owners) > 0
}

func ownerList(owners []managedfields.Entry) string {
	names := make([]string, len(owners))
	for i, owner := range owners {
		names[i] = owner.String()
	}
	return strings.Join(names, ", ")
}

func (c *comparer) remark(at place, format string, args ...any) {
	c.pair.remarks = append(c.pair.remarks, at.here.String()+": "+fmt.Sprintf(format, args...))
}

// maxShown is how many characters of a value comments show.
const maxShown = 40

// show writes a value for a comment, on one line and without the values of
// Secrets.
func (c *comparer) show(at locate.Location, n *yaml.Node) string {
	return c.pair.show(at, n)
}

func (p *pairOfObjects) show(at locate.Location, n *yaml.Node) string {
	if n == nil {
		return "nothing"
	}
	text, err := tree.MarshalJSON(tree.FromValue(p.mask.Value(at, tree.Value(n))))
	if err != nil {
		return "a " + tree.Type(n)
	}
	runes := []rune(string(text))
	if len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return string(runes)
}
