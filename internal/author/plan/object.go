package plan

import (
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// planner makes a plan.
type planner struct {
	Input
	plan   *Plan
	states []state
}

// state is the input for judging the rules of one object.
type state struct {
	pair       Pair
	out        *PlannedObject
	kind       *schema.Kind
	prediction *merge.Prediction
	fields     []merge.Field
	mask       redact.Mask
}

func (p *planner) object(pair Pair) {
	named := pair.Applied
	if named == nil {
		named = pair.Live
	}
	ref := report.RefOf(tree.FromValue(named))
	s := state{
		pair: pair, kind: p.Schemas.Kind(schema.ParseGVK(ref.APIVersion, ref.Kind)),
		mask: redact.New(tree.FromValue(pair.Applied), tree.FromValue(pair.Live)),
		out: &PlannedObject{
			APIVersion: ref.APIVersion, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name,
			Outcome: Unchanged, Conflicts: []ConflictField{}, Fields: []Field{},
		},
	}
	p.plan.Objects = append(p.plan.Objects, s.out)
	if err := p.predict(&s); err != nil {
		s.out.Outcome, s.out.Cause = Unknown, s.mask.Error(err)
		return
	}
	p.tell(&s)
	s.out.Merged = masked(s.mask, s.prediction.Object)
	for _, l := range s.prediction.Leftovers(p.As, p.Manager) {
		s.out.Leftover = append(s.out.Leftover, s.leftover(l))
	}
	p.states = append(p.states, s)
}

// leftover tells of a field that stays, with the command that removes it.
func (s *state) leftover(l merge.Leftover) Leftover {
	patch, _ := tree.MarshalJSON(tree.FromValue([]any{map[string]any{"op": "remove", "path": l.Location.Pointer()}}))
	command := []string{"kubectl", "patch", strings.ToLower(s.out.Kind), s.out.Name}
	if gvk := schema.ParseGVK(s.out.APIVersion, s.out.Kind); gvk.Group != "" {
		command[2] += "." + gvk.Version + "." + gvk.Group
	}
	if s.out.Namespace != "" {
		command = append(command, "--namespace", s.out.Namespace)
	}
	return Leftover{Path: l.Location.String(), Manager: l.Manager.Name, Value: s.mask.Value(l.Location, plain(l.Value)),
		Command: strings.Join(command, " ") + " --type json --patch '" + strings.ReplaceAll(string(patch), "'", `'\\''`) + "'"}
}

func (p *planner) predict(s *state) (err error) {
	live, _ := plain(s.pair.Live).(map[string]any)
	if s.pair.Applied == nil {
		s.prediction, err = merge.NotSent(p.Schemas, live)
		return err
	}
	applied, _ := plain(s.pair.Applied).(map[string]any)
	s.prediction, err = merge.Predict(p.Schemas, merge.Apply{Live: live, Package: applied, Manager: p.Manager, Force: p.Force || p.As.Forces, As: p.As})
	if err != nil {
		return err
	}
	s.fields, err = s.prediction.Fields()
	return err
}

// tell says what the prediction is.
func (p *planner) tell(s *state) {
	s.out.isNew = s.pair.Live == nil
	switch {
	case s.prediction.Refused != nil:
		s.refuse(s.mask.Error(s.prediction.Refused))
	case s.pair.Applied != nil && s.out.Name == "":
		s.refuse("metadata.name: Required value: an apply needs the name, and generateName gives none")
	case len(s.prediction.Conflicts) > 0:
		s.out.Outcome = Conflict
		s.out.resolving = p.resolving(s)
	case s.out.isNew:
		s.out.Outcome = Create
	case s.prediction.Changed:
		s.out.Outcome = Change
	}
	for _, c := range s.prediction.Conflicts {
		s.out.Conflicts = append(s.out.Conflicts, ConflictField{Manager: c.Manager.Name, Field: c.Field()})
	}
	for _, f := range s.fields {
		s.out.Fields = append(s.out.Fields, s.field(f, p.Manager))
	}
	if s.out.Outcome == Create || s.out.Outcome == Change {
		if l, why := s.missing(); l != nil {
			s.refuseWithout(l, why)
		}
	}
}

// refuse says that the API server would refuse the object, so that it stays as it is.
func (s *state) refuse(cause string) {
	s.out.Outcome, s.out.Cause = Refused, cause
	s.prediction.Object = nil
	if live, ok := plain(s.pair.Live).(map[string]any); ok {
		s.prediction.Object = live
	}
	s.out.Merged = masked(s.mask, s.prediction.Object)
}

func (s *state) field(f merge.Field, manager string) Field {
	out := Field{
		Path: pathOf(f), OwnersBefore: notNil(f.Before), OwnersAfter: notNil(f.After), Why: f.Why,
		others:    without(f.After, manager),
		isChanged: f.HasOld != f.HasNew || !reflect.DeepEqual(plain(f.Old), plain(f.New)),
	}
	if f.HasOld {
		out.Old = new(s.mask.Value(f.Location, plain(f.Old)))
	}
	if f.HasNew {
		out.New = new(s.mask.Value(f.Location, plain(f.New)))
	}
	s.lookInside(f, &out)
	return out
}

// pathOf is the path of a field, with elements of lists by their keys, as the API server has them.
func pathOf(f merge.Field) string {
	var b strings.Builder
	for i, element := range f.Path {
		if element.FieldName == nil {
			b.WriteString(element.String())
			continue
		}
		name := location.Location{f.Location[i]}.String()
		if b.Len() > 0 && name[0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	return b.String()
}

// lookInside says of a list or map whether it is atomic, and what changes in it.
func (s *state) lookInside(f merge.Field, out *Field) {
	before, after := tree.FromValue(plain(f.Old)), tree.FromValue(plain(f.New))
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
		return new(s.mask.Value(slices.Concat(f.Location, first), plain(tree.Value(n))))
	}
	out.part = &part{path: first.String(), old: value(before), new: value(after), more: len(changed) - 1}
}

func without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(other string) bool { return other == name })
}

func notNil(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}

// plain is a copy of a value with numbers of encoding/json: int for whole ones, and float64.
func plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if v == nil {
			return nil
		}
		out := make(map[string]any, len(v))
		for key, member := range v {
			out[key] = plain(member)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	case int64:
		return int(v)
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f
	}
	return value
}

// masked returns an object without the values of Secrets and without the times of its managers.
func masked(mask redact.Mask, object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	out := maps.Clone(object)
	if metadata, ok := out["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		if entries, ok := metadata["managedFields"].([]any); ok {
			metadata["managedFields"] = withoutTimes(entries)
		}
		out["metadata"] = metadata
	}
	shown, _ := mask.Value(location.Location{}, plain(out)).(map[string]any)
	return shown
}

func withoutTimes(entries []any) []any {
	out := make([]any, len(entries))
	for i, entry := range entries {
		out[i] = entry
		if fields, ok := entry.(map[string]any); ok {
			fields = maps.Clone(fields)
			delete(fields, "time")
			out[i] = fields
		}
	}
	return out
}
