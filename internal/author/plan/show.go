package plan

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	writers "github.com/krm-fields/krm-fields/internal/ssa/owners"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// tell says what the prediction is.
func (p *planner) tell(s *state) {
	s.out.isNew = s.live == nil
	switch {
	case s.prediction.Refused != nil:
		s.refuse(p.Mask.Error(s.prediction.Refused, s.shown.HasSecret()))
	case s.pair.isSent && s.out.Name == "":
		s.refuse("metadata.name: Required value: an apply needs the name, and generateName gives none")
	case len(s.prediction.Conflicts) > 0:
		s.out.Outcome = Conflict
	case s.out.isNew:
		s.out.Outcome = Create
	case s.prediction.Changed:
		s.out.Outcome = Change
	}
	for _, c := range s.prediction.Conflicts {
		s.out.Conflicts = append(s.out.Conflicts, ConflictField{Manager: c.Manager.Name, Field: s.shown.Text(c.Field()),
			Source: writers.SourceOf(c.Manager.Name, c.Manager.Subresource == "scale")})
	}
	if !s.hasOwners {
		s.leaveOwnersOut()
	}
	for _, f := range s.fields {
		isOurs := func(name string) bool {
			return name == s.by.Manager || f.Why == merge.Left && p.As.Own(s.by.Manager, name)
		}
		out := s.field(f, isOurs)
		if f.Why == merge.Set {
			out.takenFrom = slices.DeleteFunc(slices.Clone(f.Before), func(name string) bool {
				return slices.Contains(f.After, name) || p.As.Own(s.by.Manager, name)
			})
		}
		s.out.Fields = append(s.out.Fields, out)
	}
	if s.out.Outcome == Create || s.out.Outcome == Change {
		if err := s.prediction.Invalid(); err != nil {
			s.refuse(p.Mask.Error(err, s.shown.HasSecret()))
		}
	}
	isMore := func(f TouchedField) bool { return !f.OrderOnly }
	s.out.OrderOnly = s.out.Outcome == Change && len(s.out.Fields) > 0 && !slices.ContainsFunc(s.out.Fields, isMore)
}

// leaveOwnersOut leaves only what values change, since no owner is known without managedFields.
func (s *state) leaveOwnersOut() {
	s.fields = slices.DeleteFunc(s.fields, func(f merge.TouchedField) bool {
		return !f.Reordered && f.HasOld == f.HasNew && reflect.DeepEqual(f.Old, f.New)
	})
	for i := range s.fields {
		s.fields[i].Before, s.fields[i].After = nil, nil
		if s.fields[i].Why == merge.Shared {
			s.fields[i].Why = merge.Set
		}
	}
	if len(s.fields) == 0 && s.out.Outcome == Change {
		s.out.Outcome = Unchanged
	}
}

// refuse says that the API server would refuse the object, so that it stays as it is.
func (s *state) refuse(cause string) {
	s.out.Outcome, s.out.Cause = Refused, cause
	s.prediction.Object, s.prediction.Changed = s.prediction.Live, false
}

func (s *state) field(f merge.TouchedField, isOurs func(manager string) bool) TouchedField {
	out := TouchedField{
		Path: s.pathOf(f.Path, f.Location), at: f.Path, place: f.Location.String(), OwnersBefore: notNil(f.Before), OwnersAfter: notNil(f.After), Why: f.Why,
		others:    slices.DeleteFunc(slices.Clone(f.After), isOurs),
		isChanged: f.HasOld != f.HasNew || !reflect.DeepEqual(f.Old, f.New), isReordered: f.Reordered,
		value: f.New,
	}
	if f.HasOld {
		out.Old = new(s.shown.Value(f.Location, f.Old))
	}
	if f.HasNew {
		out.New = new(s.shown.Value(f.Location, f.New))
	}
	out.OrderOnly = s.isOrderOnly(f)
	s.lookInside(f, &out)
	return out
}

// isOrderOnly tells whether a field changes in nothing but an order that means nothing to the API.
func (s *state) isOrderOnly(f merge.TouchedField) bool {
	if len(f.Location) == 0 || !f.HasOld || !f.HasNew {
		return false
	}
	last := f.Location[len(f.Location)-1]
	if last.IsIndex {
		return s.kind.At(f.Location).Type.IsReordered(f.Old, f.New)
	}
	parent := s.kind.At(f.Location[:len(f.Location)-1]).Type
	if f.Reordered {
		return parent.IsUnordered(last.Key)
	}
	return parent.IsReordered(map[string]any{last.Key: f.Old}, map[string]any{last.Key: f.New})
}

// pathOf is the path of a field, with elements of lists by their keys, as the API server has them.
func (s *state) pathOf(path fieldpath.Path, l location.Location) string {
	l = s.shown.Location(l)
	var b strings.Builder
	for i, element := range path {
		if element.FieldName == nil {
			b.WriteString(s.shown.Text(element.String()))
			continue
		}
		name := location.Location{l[i]}.String()
		if b.Len() > 0 && name[0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	return b.String()
}

// lookInside says of a list or map whether it is atomic, and what changes in it.
func (s *state) lookInside(f merge.TouchedField, out *TouchedField) {
	before, after := tree.FromValue(f.Old), tree.FromValue(f.New)
	there := after
	if !f.HasNew {
		there = before
	}
	if tree.Deref(there).Kind == tree.ScalarNode {
		return
	}
	if s.kind.At(f.Location).Type.IsAtomic(there) {
		out.atomic = tree.Type(there)
	}
	changed := location.Differing(before, after)
	if len(changed) == 0 || len(changed[0]) == 0 {
		return
	}
	first := changed[0]
	value := func(root *tree.Node) *any {
		n := location.At(root, first)
		if n == nil {
			return nil
		}
		return new(s.shown.Value(slices.Concat(f.Location, first), tree.Value(n)))
	}
	out.part = &part{path: s.shown.Text(first.String()), old: value(before), new: value(after), more: len(changed) - 1}
}

func notNil(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}

// masked returns an object without the values of Secrets and without the times of its managers.
func (s *state) masked(object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	out := maps.Clone(object)
	if metadata, ok := out["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		if entries, ok := metadata["managedFields"].([]any); ok {
			timeless := make([]any, len(entries))
			for i, entry := range entries {
				fields, _ := entry.(map[string]any)
				fields = maps.Clone(fields)
				delete(fields, "time")
				timeless[i] = fields
			}
			metadata["managedFields"] = timeless
		}
		out["metadata"] = metadata
	}
	shown, _ := s.shown.Value(nil, out).(map[string]any)
	return shown
}
