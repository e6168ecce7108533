package suggest

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/listkey"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// addConflicts adds the fields that an apply of the package has a conflict about and that the
// comparison of values has not found, such as a list that only the cluster puts in another order.
// An object that can't be predicted has none.
func (c *comparer) addConflicts(w *world.World) {
	schemas, _ := w.Schemas()
	applied, err := tree.KubectlObject(c.pair.desired)
	if err != nil {
		return
	}
	prediction, err := merge.Predict(schemas, merge.Apply{Live: c.pair.live, Entries: c.entries, Package: applied, Manager: w.Manager, As: w.As})
	if err != nil || len(prediction.Conflicts) == 0 {
		return
	}
	fields, err := prediction.Fields()
	if err != nil {
		return
	}
	known, reader, added, numbers := c.known(), location.NewReader(c.pair.desired), map[string]bool{}, map[string]int{}
	for i, d := range c.pair.differences {
		numbers[d.place.here.String()] = i
	}
	for _, f := range fields {
		if f.Why != merge.Conflicting {
			continue
		}
		// Who owns an empty map owns it also where the cluster has none.
		if i, isKnown := numbers[f.Location.String()]; isKnown && c.pair.differences[i].owners == nil {
			c.pair.differences[i].owners = c.others(f)
		}
		if !known.HasAround(f.Location) && !known.HasIn(f.Location) && c.addConflict(f, reader) {
			at := c.pair.differences[len(c.pair.differences)-1].place.here
			known.Add(at)
			added[at.String()] = true
		}
	}
	c.pair.leaveOutRemarks(added)
}

// leaveOutRemarks leaves out why fields that have a rule now get none.
func (p *pairOfObjects) leaveOutRemarks(added map[string]bool) {
	p.remarks = slices.DeleteFunc(p.remarks, func(r remark) bool { return added[r.field] })
}

// addConflict adds a field with its managers, unless only hand edits are in the way.
func (c *comparer) addConflict(f merge.TouchedField, reader *location.Reader) bool {
	at, here, ok := c.placeOf(f.Location, reader)
	if !ok {
		return false
	}
	owners := c.others(f)
	if len(owners) > 0 {
		c.pair.differences = append(c.pair.differences, difference{
			place: at, here: here, there: tree.FromValue(f.Old), owners: owners, owner: c.pair.owners[at.here.Pointer()].Owner,
		})
	}
	return len(owners) > 0
}

// others are the managers of a field in conflict, without hand edits where these get no rules.
func (c *comparer) others(f merge.TouchedField) (owners []managedfields.Entry) {
	for _, e := range c.entries {
		isAsked := c.Manager == "" || selector.Glob(c.Manager, e.Manager)
		isOther := isAsked && slices.Contains(f.Before, e.Manager) && !c.isOurs(e) && (c.IncludeEdits || !e.IsHandEdit())
		if isOther && e.Fields().Has(f.Path) {
			owners = append(owners, e)
		}
	}
	return owners
}

// placeOf returns the place of a field of the package, with list elements named by their keys.
func (c *comparer) placeOf(l location.Location, reader *location.Reader) (at pairedLocation, here *tree.Node, ok bool) {
	if c.isSecret && l[0].Key == "data" && reader.At(l) == nil {
		l = append(location.Location{location.Key("stringData")}, l[1:]...)
	}
	here = c.pair.desired
	for i, step := range l {
		if !step.IsIndex {
			at = at.member(step.Key)
		} else {
			at = at.element(step.Index, step.Index, c.conditions(l[:i], here, step.Index))
		}
		if here = reader.At(l[:i+1]); here == nil {
			return at, nil, false
		}
	}
	return at, here, true
}

// conditions name an element of a list of the package by the keys of its schema; none for a list
// whose elements only their places tell apart.
func (c *comparer) conditions(at location.Location, list *tree.Node, index int) []hint.Condition {
	elements := tree.Elements(list)
	by := listkey.Of(c.kind.Keys(at)...)
	if len(by) == 0 || index >= len(elements) || !by.Identifies(elements, nil) || c.hides(by, elements, at) {
		return nil
	}
	return conditionsFor(by, elements[index], counts(by, elements))
}
