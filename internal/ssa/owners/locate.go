package owners

import (
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Ownership is a field that another object owns in an object.
type Ownership struct {
	Location location.Location
	Claim    *Claim
	// Pointer names the field in all objects alike, with * for the elements of lists.
	Pointer string
	// Left says why the owner leaves the field alone, "" where it does not.
	Left string
}

// Locate returns the fields of the target that the owner has, of those that are there.
func (c *Claim) Locate(root *tree.Node, kind *schema.Kind) []Ownership {
	fields := c.scaled(root, kind)
	in := &expr.Input{Root: root, WithoutHint: true}
	for _, pointer := range c.owned.pointers {
		found, err := pointer.Locate(in)
		if err != nil {
			continue // a pointer does not fail
		}
		for _, l := range found.Locations {
			fields = append(fields, Ownership{Location: l, Pointer: pointer.String()})
		}
	}
	for _, l := range c.alongPaths(root) {
		fields = append(fields, Ownership{Location: l, Pointer: l.Pointer()})
	}
	for i := range fields {
		fields[i].Claim = c
		if c.owned.unless == nil {
			continue
		}
		variables := c.variables(root)
		variables["value"] = tree.Value(location.At(root, fields[i].Location))
		if holds(c.owned.unless, variables) { // the owner does not manage the field at present
			fields[i].Left = c.owned.Because
		}
	}
	return fields
}

// scaled returns the field that the owner writes by the target's scale subresource. One without
// that subresource keeps its usual field.
func (c *Claim) scaled(root *tree.Node, kind *schema.Kind) []Ownership {
	l, isScaled := kind.Scale()
	if !c.owned.Scale || location.At(root, l) == nil {
		return nil
	}
	field := Ownership{Location: l, Pointer: l.Pointer()}
	if !isScaled {
		field.Left = kind.Source + " has no scale subresource for " + kind.Version
	}
	return []Ownership{field}
}

// alongPaths resolves the jq expressions. One that fails finds nothing: the object is not as the
// owner takes it.
func (c *Claim) alongPaths(root *tree.Node) []location.Location {
	if len(c.owned.paths) == 0 {
		return nil
	}
	var locations []location.Location
	in := &expr.Input{Root: tree.FromValue(c.variables(root)), WithoutHint: true}
	for _, path := range c.owned.paths {
		found, err := path.Locate(in)
		if err != nil {
			continue
		}
		for _, l := range found.Locations {
			locations = append(locations, l[1:]) // without the key object
		}
	}
	return locations
}

func (c *Claim) variables(root *tree.Node) map[string]any {
	return map[string]any{"owner": c.owner, "ref": c.ref, "object": tree.Value(root)}
}

// WithoutAtomic returns the fields as they can be left to their owners: for one inside an atomic
// list or map, that list or map, since whoever applies it owns all of it.
func WithoutAtomic(fields []Ownership, kind *schema.Kind) []Ownership {
	var outer []Ownership
	for _, f := range fields {
		if atomic := kind.At(f.Location).Atomic; atomic != nil && kind.At(atomic).Known != schema.Excluded {
			f.Location, f.Pointer = atomic, atomic.Pointer()
		}
		outer = append(outer, f)
	}
	return outer
}
