package suggest

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// difference is a field of the package whose value on the cluster differs or is missing.
type difference struct {
	place pairedLocation
	// within is the string that holds the document with the field; nil for a field of the object
	// itself.
	within *pairedLocation
	// document is the number of that document in its string, and inDocument names the field in it
	// alone where the usual expression finds fields of the other documents, too.
	document   int
	inDocument string
	// here and there are the values; there is nil for what is not on the cluster, and here for what
	// only the cluster has.
	here, there *tree.Node
	owners      []managedfields.Entry
	// owner is the object that says that the field is its own; "" for none.
	owner string
	// wildcard names the field in all elements of the lists around it; "" for a field that is named
	// alone.
	wildcard string
	// note is added to the comment about the field; "" for none.
	note string
}

// comparer compares two objects.
type comparer struct {
	pair *pairOfObjects
	Options
	entries []managedfields.Entry
	// there and here find the owners of places on the cluster and in the package.
	there, here *managedfields.Index
	// own is the manager that applies the package; isGiven is true if the caller has named it.
	own     string
	isGiven bool
	// kind is the schema; nil for none.
	kind     *schema.Kind
	isSecret bool
	// isInside is true for documents in strings, which have no metadata; takesLive if what only the
	// cluster has in one is a difference.
	isInside, takesLive bool
}

// compare finds the differences of the pair, and what else an apply has a conflict about.
func (p *pairOfObjects) compare(w *world.World, options Options) *comparer {
	c := comparer{
		pair: p, Options: options, entries: p.entries, kind: p.kind,
		there: managedfields.NewIndex(p.entries, p.live), here: managedfields.NewIndex(p.entries, p.desired),
		isSecret: p.isSecret(), isGiven: w.IsManagerGiven,
	}
	p.isAlike = true
	if c.own = c.FieldManager; !c.isGiven {
		c.own = managedfields.ApplierOf(c.entries, c.FieldManager)
	}
	p.hashOwner = c.ownerOfNoAnnotations()
	c.maps(p.desired, p.live, pairedLocation{})
	c.leaveDefaults()
	if p.hasManagers && !p.isAlike {
		c.addConflicts(w)
	}
	return &c
}

// ownerOfNoAnnotations is who owns a map of annotations that is empty on both sides.
func (c *comparer) ownerOfNoAnnotations() string {
	for _, side := range []*tree.Node{c.pair.desired, c.pair.live} {
		if annotations := location.At(side, world.Annotations); annotations != nil && len(annotations.Content) > 0 {
			return ""
		}
	}
	owner, _ := lists.Find(c.entries, func(e managedfields.Entry) bool {
		return !c.isOurs(e) && e.Fields() != nil && e.Fields().Has(annotationsPath)
	})
	return owner.Manager
}

var annotationsPath = fieldpath.MakePathOrDie("metadata", "annotations")

// addOwned adds the fields that other objects own, whatever their values are.
func (c *comparer) addOwned() {
	if len(c.pair.owners) == 0 || c.Manager != "" {
		return
	}
	known := c.known()
	reader, counterparts := location.NewReader(c.pair.desired), managedfields.NewCounterparts(c.entries, c.pair.desired, c.pair.live)
	added := map[string]bool{}
	for _, f := range c.pair.owners.inOrder() {
		at, here, ok := c.placeOf(f.Location, reader)
		if !ok || known.HasAround(f.Location) {
			continue
		}
		d := difference{place: at, here: here, owner: f.Owner, note: atomicNote(c.kind.At(f.Location).Type, here)}
		if there, isThere := counterparts.Find(f.Location); isThere {
			d.place.there, d.there = there, location.At(c.pair.live, there)
		}
		c.pair.differences = append(c.pair.differences, d)
		added[f.Location.String()] = true
	}
	c.pair.leaveOutRemarks(added)
}

// known are the places of the differences so far.
func (c *comparer) known() location.Set {
	return location.NewSet(lists.Map(c.pair.differences, func(d difference) location.Location { return d.place.here })...)
}

// values compares two values that are both there and not equal.
func (c *comparer) values(here, there *tree.Node, at pairedLocation) {
	switch {
	case isNothing(here) && isNothing(there):
	case tree.IsMap(here) && tree.IsMap(there) && c.isOthersMap(here, at):
		c.differ(at, here, there)
	case tree.IsMap(here) && tree.IsMap(there):
		c.maps(here, there, at)
	case tree.IsList(here) && tree.IsList(there):
		c.lists(here, there, at)
	case isQuantityField(at.here) && sameQuantity(here, there):
		c.remark(at, "%s here and %s on the cluster are the same quantity, which needs no rule",
			c.pair.show(at.here, here), c.pair.show(at.here, there))
	default:
		c.differ(at, here, there)
	}
}

func (c *comparer) maps(here, there *tree.Node, at pairedLocation) {
	members := tree.MembersOf(tree.Deref(there))
	for key, value := range tree.Entries(here) {
		other := members.Get(key)
		if other != nil && tree.Equal(value, other) { // before a place is made for it
			continue
		}
		c.pair.isAlike = false
		inner := at.member(key)
		switch {
		case !c.isInside && world.IsLeftOut(inner.here):
		case c.isSecret && len(at.here) == 0 && key == "stringData":
			c.stringData(value, inner)
		case other != nil:
			c.values(value, other, inner)
		case !c.isInside && location.Compare(inner.here, world.Annotations) == 0:
			// Some annotations are not compared, so the map can't be as a whole.
			c.maps(value, &tree.Node{Kind: tree.MappingNode}, inner)
		case !isNothing(value) && (c.isInside || !isZero(value)):
			c.differ(inner, value, nil)
		}
	}
	own := tree.MembersOf(tree.Deref(here))
	for key, value := range tree.Entries(there) {
		if own.Get(key) == nil && !isNothing(value) && c.isRemoved(at, key) {
			c.differ(at.member(key), nil, value)
		}
	}
}

// isRemoved tells whether an apply of the package removes a key that only the cluster has: one in a
// string, or without managedFields one in an atomic map. A field that the schema declares may be
// there by default.
func (c *comparer) isRemoved(parent pairedLocation, key string) bool {
	if c.isInside || len(c.entries) > 0 || c.kind.Origin == schema.Assumed {
		return c.takesLive
	}
	at := parent.member(key).here
	field := c.kind.At(at)
	return field.Atomic != nil && field.Known != schema.Excluded && !c.kind.Declares(at)
}

// isZero tells whether a value is one that the API server leaves out of what it stores.
func isZero(n *tree.Node) bool {
	switch value := tree.Scalar(tree.Deref(n)).(type) {
	case string:
		return value == "" && tree.Type(n) == tree.String
	case bool:
		return !value
	}
	return tree.Type(n) == tree.Number && tree.CompareNumbers(tree.Scalar(tree.Deref(n)), 0) == 0
}

// isOthersMap tells whether another actor owns all of an atomic map: what it added there belongs to
// the difference.
func (c *comparer) isOthersMap(here *tree.Node, at pairedLocation) bool {
	if !c.isAtomic(here, at) {
		return false
	}
	owners := c.there.Owners(at.there)
	return len(owners) > 0 && !c.isHandEdit(owners)
}

// stringData compares the texts of a Secret, which the server keeps encoded under data.
func (c *comparer) stringData(texts *tree.Node, at pairedLocation) {
	for key, value := range tree.Entries(texts) {
		inner := at.member(key)
		inner.there = location.Location{location.Key("data"), location.Key(key)}
		other := tree.Get(c.pair.live, "data", key)
		if other != nil && other.Text() == base64.StdEncoding.EncodeToString([]byte(tree.Deref(value).Text())) {
			continue
		}
		c.differ(inner, value, other)
	}
}

// isNothing tells whether a value means the same as a missing field.
func isNothing(n *tree.Node) bool {
	n = tree.Deref(n)
	return tree.Type(n) == tree.Null || n.Kind != tree.ScalarNode && len(n.Content) == 0
}

// differ records a difference; where only the applier of the package has set what is on the
// cluster, it is the package that has changed, and there is no rule.
func (c *comparer) differ(at pairedLocation, here, there *tree.Node) {
	d := difference{place: at, here: here, there: there, owner: c.pair.owners[at.here.Pointer()].Owner}
	if there != nil {
		d.owners = c.ownersOf(at)
	} else {
		d.owners = c.ownersAround(at)
	}
	isFirst := func(owner managedfields.Entry) bool { return owner.Manager == managedfields.BeforeFirstApply }
	switch {
	case d.owner != "" && slices.ContainsFunc(d.owners, isFirst): // an apply of the field has a conflict
	case c.isOnlyOurs(d.owners):
		c.changed(d, "only "+ownerList(d.owners))
		return
	case !c.isInside && len(c.entries) == 0 && d.owner == "":
		c.remark(at, "%s here, %s on the cluster", c.pair.show(at.here, here), c.pair.show(at.here, there))
		return
	case !c.IncludeEdits && c.isHandEdit(d.owners):
		c.remark(at, "drift: %s here, %s on the cluster, set by hand (%s): copy the value into the package, or take it over by an apply "+
			"with --force-conflicts; --include-edits suggests a rule", c.pair.show(at.here, here), c.pair.show(at.here, there), ownerList(d.owners))
		return
	}
	isAsked := func(owner managedfields.Entry) bool { return selector.Glob(c.Manager, owner.Manager) }
	if c.Manager == "" || slices.ContainsFunc(d.owners, isAsked) {
		if c.isGiven { // no rule leaves a field to the applies of the given manager
			d.owners = slices.DeleteFunc(slices.Clone(d.owners), func(e managedfields.Entry) bool { return e.IsApplier() && e.Manager == c.own })
		}
		c.pair.differences = append(c.pair.differences, d)
	}
}

// ownersOf are the entries that own a place, or something in it: those of the texts of a Secret are
// theirs as they have applied them, though the API server keeps the texts in its data.
func (c *comparer) ownersOf(at pairedLocation) []managedfields.Entry {
	owners := c.there.Owners(at.there)
	if c.isSecret && len(at.here) == 2 && at.here[0].Key == "stringData" {
		owners = append(owners, c.here.Owners(at.here)...)
	}
	return owners
}

// ownersAround are the entries that own the atomic list or map around a place, and so leave out
// what is not there.
func (c *comparer) ownersAround(at pairedLocation) []managedfields.Entry {
	if c.kind == nil {
		return nil
	}
	atomic := c.kind.At(at.here).Atomic
	if atomic == nil {
		return nil
	}
	return c.there.Owners(at.there[:len(atomic)])
}

// changed remarks that the package has changed since an apply.
func (c *comparer) changed(d difference, by string) {
	text := "no rule is needed"
	isInTheWay := func(e managedfields.Entry) bool {
		return !e.IsApplier() && !e.IsTakenOver(c.own) && !e.IsTakenOver(c.FieldManager)
	}
	switch {
	case slices.ContainsFunc(d.owners, isInTheWay):
		text = "an apply has a conflict about it; --force-conflicts takes it over"
	case len(d.owners) > 0 && c.own != c.FieldManager && c.own != managedfields.Kubectl:
		text = "an apply with --field-manager " + c.own + " needs no rule"
	}
	c.remark(d.place, "%s here, %s on the cluster, where %s has set it: the package has changed since, so %s",
		c.pair.show(d.place.here, d.here), c.pair.show(d.place.here, d.there), by, text)
}

// leaveDefaults removes the differences that only the default of the API server makes: no object
// and no manager owns the field, and it would be set again.
func (c *comparer) leaveDefaults() {
	isOwned := func(d difference) bool { return d.there == nil || len(d.owners) > 0 || d.owner != "" }
	unowned := lists.Map(slices.DeleteFunc(slices.Clone(c.pair.differences), isOwned), func(d difference) location.Location { return d.place.there })
	if len(unowned) == 0 || len(c.entries) == 0 {
		return
	}
	o := object.NewDocument(tree.Copy(c.pair.live))
	o.Remove(unowned)
	value, _ := tree.Value(o.Root()).(map[string]any)
	c.kind.Fill(value)
	filled := tree.FromValue(value)
	c.pair.differences = slices.DeleteFunc(c.pair.differences, func(d difference) bool {
		if isOwned(d) || !tree.Equal(location.At(filled, d.place.there), d.there) {
			return false
		}
		c.changed(d, "nobody")
		return true
	})
}

// isHandEdit tells whether nobody but a person, and the applier of the package, has set a field.
func (c *comparer) isHandEdit(owners []managedfields.Entry) bool {
	return len(owners) > 0 && !slices.ContainsFunc(owners, func(owner managedfields.Entry) bool {
		return !owner.IsHandEdit() && !c.isOurs(owner)
	})
}

// isOnlyOurs tells whether all owners apply packages: the field manager of the caller, kubectl
// apply, and others that only do that.
func (c *comparer) isOnlyOurs(owners []managedfields.Entry) bool {
	return len(owners) > 0 && !slices.ContainsFunc(owners, func(owner managedfields.Entry) bool { return !c.isOurs(owner) })
}

func (c *comparer) isOurs(owner managedfields.Entry) bool {
	if owner.Subresource != "" {
		return false
	}
	isKubectl := owner.Manager == managedfields.Kubectl && owner.IsApplier() && c.own == managedfields.Kubectl
	if owner.Manager == c.FieldManager || isKubectl {
		return true
	}
	isApplier := owner.Manager == c.own || owner.Manager == managedfields.BeforeFirstApply
	return isApplier && owner.Manager != managedfields.Kubectl && (c.Manager == "" || !selector.Glob(c.Manager, owner.Manager))
}

func ownerList(owners []managedfields.Entry) string {
	return strings.Join(lists.Map(owners, managedfields.Entry.String), ", ")
}

func (c *comparer) remark(at pairedLocation, format string, args ...any) {
	c.pair.remarks = append(c.pair.remarks, remark{at.here.String(), fmt.Sprintf(format, args...)})
}

// remark says why a field gets no rule.
type remark struct{ field, text string }

func (r remark) String() string { return r.field + ": " + r.text }

// maxShown is how many characters of a value comments show.
const maxShown = 40

// show writes a value for a comment, on one line and without the values of Secrets.
func (p *pairOfObjects) show(at location.Location, n *tree.Node) string {
	return p.shown.Show(at, n, maxShown)
}

// quantityMaps are the fields of Kubernetes whose members are quantities, and quantityFields those
// that are quantities themselves.
var (
	quantityMaps = []string{
		"allocatable", "capacity", "default", "defaultRequest", "hard", "limits", "max", "maxLimitRequestRatio", "min", "podFixed",
		"requests", "used",
	}
	quantityFields = []string{"averageValue", "divisor", "sizeLimit"}
)

// isQuantityField tells whether a field is likely to be a quantity, which the server normalises:
// 1000m to 1.
func isQuantityField(l location.Location) bool {
	last := len(l) - 1
	return slices.Contains(quantityFields, l[last].Key) || last > 0 && slices.Contains(quantityMaps, l[last-1].Key)
}

// sameQuantity tells whether two scalars are the same quantity.
func sameQuantity(a, b *tree.Node) bool {
	x, okX := quantityOf(a)
	y, okY := quantityOf(b)
	return okX && okY && x.Cmp(y) == 0
}

func quantityOf(n *tree.Node) (*big.Rat, bool) {
	n = tree.Deref(n)
	if kind := tree.Type(n); kind != tree.String && kind != tree.Number {
		return nil, false
	}
	return words.ParseQuantity(n.Text())
}
