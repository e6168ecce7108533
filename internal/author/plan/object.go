package plan

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// planner makes a plan.
type planner struct {
	Options
	manager  string
	plan     *Plan
	runs     []*run
	warnings []report.Result
	judges   [][]*judge // by the number of the run
	// hasLive and hasManagers tell what live objects there are, and assumed which kinds have no
	// schema.
	hasLive, hasManagers bool
	assumed              map[schema.GVK]bool
}

// state is what is known of one object.
type state struct {
	pair pair
	// root and live are the trees of the object and of the live one, which is nil if there is none,
	// and applied is the object's data.
	root, live *tree.Node
	applied    map[string]any
	// asRead is the data of the object as it came to the first run, once a rule asks for it.
	asRead map[string]any
	// traced is what each of the runs made of the object, nil if that is nothing.
	traced     []*ignorefields.TracedObject
	out        *PlannedObject
	kind       *schema.Kind
	prediction *merge.Prediction
	// ahead is the prediction for the rules: with force where there are conflicts.
	ahead  *merge.Prediction
	fields []merge.Field
	// leftOut are the fields that rules leave out.
	leftOut []fieldpath.Path
	// takenInto are the conflicting fields that have live values that rules take.
	takenInto []fieldpath.Path
	mask      redact.Mask
	// stored is the object as the API server would store it, and refused why it would not.
	stored  *object.Object
	refused error
	// limit is the error of an expression that was past a limit on the live object.
	limit error
}

// atOnce is how many objects are loaded at a time.
const atOnce = 32

// objects predicts for objects on all cores, and tells of one after the other.
func (p *planner) objects(pairs []pair) error {
	for chunk := range slices.Chunk(pairs, atOnce) {
		load(chunk)
		states := make([]*state, len(chunk))
		for i, pair := range chunk {
			states[i] = p.state(pair)
		}
		failures := make([]error, len(states))
		_ = parallel.Each(len(states), func(i int) error { // each has its own error
			failures[i] = p.predict(states[i])
			return nil
		})
		if err := p.ask(states); err != nil {
			return err
		}
		for i, s := range states {
			if err := p.object(s, failures[i]); err != nil {
				return err
			}
		}
		for _, s := range states { // of which several may have the same live object
			if s.pair.live != nil {
				if err := s.pair.live.Flush(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// load parses the objects of a chunk and their live ones, of which several may have the same.
func load(chunk []pair) {
	var objects []*object.Object
	for _, pair := range chunk {
		if objects = append(objects, pair.object); pair.live != nil && !slices.Contains(objects, pair.live) {
			objects = append(objects, pair.live)
		}
	}
	_ = parallel.Each(len(objects), func(i int) error { // an object keeps its error
		objects[i].Root()
		return nil
	})
}

// state is what is known of one object before the prediction.
func (p *planner) state(pair pair) *state {
	root := pair.object.Root()
	ref := report.RefOf(root)
	s := &state{
		pair: pair, root: root,
		kind: p.Schemas.Kind(schema.ParseGVK(ref.APIVersion, ref.Kind)),
		out:  &PlannedObject{Ref: ref, Outcome: Unchanged, Conflicts: []ConflictField{}, Fields: []Field{}},
	}
	if pair.live != nil {
		s.live = pair.live.Root()
	}
	for number, at := range pair.stages {
		var traced *ignorefields.TracedObject
		if objects := p.runs[number].trace.Objects; at >= 0 && at < len(objects) {
			traced = objects[at]
		}
		s.traced = append(s.traced, traced)
	}
	return s
}

// object tells of one object, and releases the data.
func (p *planner) object(s *state, failure error) error {
	p.plan.Objects = append(p.plan.Objects, s.out)
	if s.pair.isSent {
		p.plan.Sent = append(p.plan.Sent, s.pair.object)
	}
	if s.live != nil {
		p.warnOf(s)
	}
	if failure != nil {
		s.out.Outcome, s.out.Cause = Unknown, s.mask.Error(failure)
		if _, isRefused := errors.AsType[*merge.RefusedError](failure); isRefused {
			s.out.Outcome = Refused
		}
		s.prediction = nil
		p.judge(s)
		return nil
	}
	p.tell(s)
	if p.judge(s); s.limit != nil {
		return fmt.Errorf("%s on the cluster: %w", report.RefOf(s.live), s.limit)
	}
	if s.out.Outcome == Conflict {
		p.resolve(s)
	}
	p.compareServer(s)
	if p.Merged {
		s.out.Merged = masked(s.mask, s.prediction.Stored())
	}
	leftovers := s.prediction.Leftovers(p.As, p.manager)
	// A removal moves the elements behind it, so the last one comes first.
	slices.SortStableFunc(leftovers, func(a, b merge.Leftover) int { return location.Compare(b.Location, a.Location) })
	var listed []fieldpath.Path
	for _, l := range leftovers {
		if !isInOneOf(l.Path, s.leftOut) {
			s.out.Leftover, listed = append(s.out.Leftover, s.leftover(l)), append(listed, l.Path)
		}
	}
	isListed := func(f Field) bool { return f.Why == merge.Left && isInOneOf(f.at, listed) }
	s.out.Fields = slices.DeleteFunc(s.out.Fields, isListed)
	return s.pair.object.Flush()
}

// isInOneOf tells whether a path is one of others, or leads into what is there.
func isInOneOf(path fieldpath.Path, others []fieldpath.Path) bool {
	return slices.ContainsFunc(others, func(other fieldpath.Path) bool { return len(other) <= len(path) && other.Equals(path[:len(other)]) })
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
	return Leftover{Path: pathOf(l.Path, l.Location), Manager: l.Manager.Name, Value: s.mask.Value(l.Location, l.Value),
		Command: strings.Join(command, " ") + " --type json --patch '" + strings.ReplaceAll(string(patch), "'", `'\''`) + "'"}
}

func (p *planner) predict(s *state) (err error) {
	s.mask = redact.New(s.root, s.live)
	if s.applied, err = tree.KubectlObject(s.pair.object.Root()); err != nil {
		return err
	}
	if unread := p.Unread[s.pair.object]; unread != nil {
		return unread
	}
	if !s.pair.isSent {
		s.prediction, err = merge.NotSent(p.Schemas, s.live)
		s.ahead = s.prediction
		return err
	}
	force := p.Force || p.As.Forces
	if s.prediction, err = p.predictApply(s, s.applied, force); err != nil {
		return err
	}
	s.ahead = s.prediction
	if s.fields, err = s.prediction.Fields(); err != nil || len(s.prediction.Conflicts) == 0 || len(p.runs) == 0 {
		return err
	}
	if s.ahead, err = p.predictApply(s, s.applied, true); err == nil {
		_, err = s.ahead.Fields()
	}
	return err
}

func (p *planner) predictApply(s *state, applied map[string]any, force bool) (*merge.Prediction, error) {
	return merge.Predict(p.Schemas, merge.Apply{Live: s.live, Package: applied, Manager: p.manager, Force: force, As: p.As})
}

// tell says what the prediction is.
func (p *planner) tell(s *state) {
	s.out.isNew = s.live == nil
	switch {
	case s.prediction.Refused != nil:
		s.refuse(s.mask.Error(s.prediction.Refused))
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
		s.out.Conflicts = append(s.out.Conflicts, ConflictField{Manager: c.Manager.Name, Field: c.Field()})
	}
	for _, f := range s.fields {
		isOurs := func(name string) bool { return name == p.manager || f.Why == merge.Left && p.As.Own(p.manager, name) }
		s.out.Fields = append(s.out.Fields, s.field(f, isOurs))
	}
	if s.out.Outcome == Create || s.out.Outcome == Change {
		if err := s.prediction.Missing(s.applied); err != nil {
			s.refuse(err.Error())
		}
	}
}

// refuse says that the API server would refuse the object, so that it stays as it is.
func (s *state) refuse(cause string) {
	s.out.Outcome, s.out.Cause = Refused, cause
	s.prediction.Object, s.prediction.Changed = s.prediction.Live, false
}

func (s *state) field(f merge.Field, isOurs func(manager string) bool) Field {
	out := Field{
		Path: pathOf(f.Path, f.Location), at: f.Path, OwnersBefore: notNil(f.Before), OwnersAfter: notNil(f.After), Why: f.Why,
		others:    slices.DeleteFunc(slices.Clone(f.After), isOurs),
		isChanged: f.HasOld != f.HasNew || !reflect.DeepEqual(f.Old, f.New), isReordered: f.Reordered,
	}
	if f.HasOld {
		out.Old = new(s.mask.Value(f.Location, f.Old))
	}
	if f.HasNew {
		out.New = new(s.mask.Value(f.Location, f.New))
	}
	s.lookInside(f, &out)
	return out
}

// pathOf is the path of a field, with elements of lists by their keys, as the API server has them.
func pathOf(path fieldpath.Path, l location.Location) string {
	var b strings.Builder
	for i, element := range path {
		if element.FieldName == nil {
			b.WriteString(element.String())
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
func (s *state) lookInside(f merge.Field, out *Field) {
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
		return new(s.mask.Value(slices.Concat(f.Location, first), tree.Value(n)))
	}
	out.part = &part{path: first.String(), old: value(before), new: value(after), more: len(changed) - 1}
}

func notNil(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
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
	shown, _ := mask.Value(location.Location{}, out).(map[string]any)
	return shown
}
