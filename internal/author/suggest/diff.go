package suggest

import (
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Texts are the texts of an object as it is on the cluster, reduced to what the package sets, and
// as it is in the package.
type Texts struct {
	Ref  report.Ref
	File report.File
	// Live is nil if the cluster does not have the object.
	Live, Desired []byte
}

// Compare compares the objects of a package with those on the cluster. A field that only the
// cluster has is no difference, unless the field manager has applied it: then the next apply
// removes it. The results are errors.
func Compare(desired, live []*object.Object, fieldManager string) ([]Texts, []report.Result, error) {
	pairs, results := pair(desired, live)
	var errs []report.Result
	for _, r := range results {
		if r.Severity == report.SeverityError {
			errs = append(errs, r)
		}
	}
	if len(errs) > 0 {
		return nil, errs, nil
	}
	schemas := schemasOf(desired)
	byRoot := map[*tree.Node]*pairOfObjects{}
	for _, p := range pairs {
		byRoot[p.desired] = p
	}
	var all []Texts
	for _, o := range desired {
		identity := selector.Of(o.Root())
		if identity.IsLocal() || identity.IsFunctionConfig() {
			continue
		}
		texts := Texts{Ref: identity.Ref(), File: o.File()}
		var err error
		if texts.Desired, err = object.NewDocument(tree.Copy(o.Root())).Text(); err != nil {
			return nil, nil, err
		}
		if p := byRoot[o.Root()]; p != nil {
			c := comparer{
				pair: p, Options: Options{FieldManager: fieldManager}, entries: managedfields.Of(p.live), kind: p.schema(schemas),
				isDiff: true, isSecret: p.ref.APIVersion == "v1" && p.ref.Kind == "Secret",
			}
			c.maps(p.desired, p.live, place{})
			if texts.Live, err = p.liveText(texts.Desired); err != nil {
				return nil, nil, err
			}
		}
		all = append(all, texts)
	}
	return all, nil, nil
}

// dropped records the members of a map that the applier of the package has applied before and that
// the package no longer has.
func (c *comparer) dropped(here, there *tree.Node, at place) {
	members := tree.MembersOf(tree.Deref(here))
	for key, value := range tree.Entries(there) {
		inner := at.member(key)
		if location.Compare(inner.there, annotationsAt) == 0 {
			value = withoutLeftOut(value)
		}
		if members.Get(key) == nil && !isLeftOut(inner.there) && !isNothing(value) && c.isApplied(inner) {
			c.differ(inner, nil, value)
		}
	}
}

// withoutLeftOut returns annotations without those that are not compared.
func withoutLeftOut(annotations *tree.Node) *tree.Node {
	kept := map[string]any{}
	for key, value := range tree.Entries(annotations) {
		if !isServerAnnotation(key) {
			kept[key] = tree.Value(value)
		}
	}
	return tree.FromValue(kept)
}

// isApplied tells whether only the applier of the package has applied the field on the cluster. A
// field that it has set by an update may be a default.
func (c *comparer) isApplied(at place) bool {
	owners := managedfields.Owners(c.entries, at.there, c.pair.live)
	for _, owner := range owners {
		if owner.Operation != "Apply" || owner.Subresource != "" || owner.Manager != c.FieldManager {
			return false
		}
	}
	return len(owners) > 0
}

// liveText is the text of the package's object with the live values where they differ.
func (p *pairOfObjects) liveText(desired []byte) ([]byte, error) {
	o, err := object.ParseDocument(desired)
	if err != nil {
		return nil, err
	}
	var missing []location.Location
	for _, d := range p.differences {
		if d.there == nil {
			missing = append(missing, d.place.here)
			continue
		}
		if err := o.Set(d.place.here, tree.Copy(d.there)); err != nil {
			return nil, err
		}
	}
	if len(missing) > 0 {
		o.Remove(missing)
	}
	return o.Text()
}
