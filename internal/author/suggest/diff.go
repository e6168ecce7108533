package suggest

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Texts are an object of a package as the cluster has it, as far as the package says anything of
// it, and as the package has it.
type Texts struct {
	Ref  report.Ref
	File report.File
	// Live is nil for an object that the cluster does not have.
	Live, Desired []byte
}

// Compare compares the objects of a package with those on the cluster. What only the cluster has is
// no difference, unless the field manager has applied it, so that it goes with the next apply. The
// results are errors.
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
	byRoot := map[*yaml.Node]*pairOfObjects{}
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
				pair: p, Options: Options{FieldManager: fieldManager}, entries: managedfields.Of(p.live), isDiff: true,
				isSecret: p.ref.APIVersion == "v1" && p.ref.Kind == "Secret",
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

// given notes the members of a map that the package does not have and that its applier has applied.
func (c *comparer) given(here, there *yaml.Node, at place) {
	members := tree.MembersOf(tree.Deref(here))
	for key, value := range tree.Entries(there) {
		inner := at.member(key)
		if location.Compare(inner.there, annotationsAt) == 0 {
			value = withoutLeftOut(value)
		}
		if members.Get(key) == nil && !isLeftOut(inner.there) && !isNothing(value) && c.isGiven(inner) {
			c.differ(inner, nil, value)
		}
	}
}

// withoutLeftOut returns annotations without those that are not compared.
func withoutLeftOut(annotations *yaml.Node) *yaml.Node {
	kept := map[string]any{}
	for key, value := range tree.Entries(annotations) {
		if !isServerAnnotation(key) {
			kept[key] = tree.Value(value)
		}
	}
	return tree.FromValue(kept)
}

// isGiven tells whether only the applier of the package has applied what is on the cluster. What it
// has set by another way may be a default.
func (c *comparer) isGiven(at place) bool {
	owners := managedfields.Owners(c.entries, at.there, c.pair.live)
	for _, owner := range owners {
		if owner.Operation != "Apply" || owner.Subresource != "" || owner.Manager != c.FieldManager {
			return false
		}
	}
	return len(owners) > 0
}

// liveText is the text of the package's object with what the cluster has in the places that differ.
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
