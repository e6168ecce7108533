package plan

import (
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// planner makes a plan.
type planner struct {
	Options
	schemas  *schema.Schemas
	plan     *Plan
	runs     []*run
	warnings []report.Result
	judges   []*judges // by the number of the run
	// keepsStates tells that the planned objects keep what is known of them.
	keepsStates bool
	// withoutOwners are live objects without managedFields, and assumed are kinds without a schema.
	withoutOwners []report.Ref
	assumed       map[schema.GVK]bool
	// has is what is available on the cluster; nil until it is looked for.
	has *world.Made
}

// state is what is known of one object.
type state struct {
	pair pair
	// by is who applies the object.
	by world.Applier
	// root and live are the trees of the object and of the live one, which is nil if there is none,
	// and applied is the object's data.
	root, live *tree.Node
	applied    map[string]any
	// reader reads the live object, once a rule asks for it.
	reader *location.Reader
	// asRead is the data of the object as it came to the first run, once a rule asks for it.
	asRead map[string]any
	// traced is what each of the runs made of the object, nil if that is nothing.
	traced     []*ignorefields.TracedObject
	out        *PlannedObject
	kind       *schema.Kind
	prediction *merge.Prediction
	// ahead is the prediction for the rules: with force where there are conflicts.
	ahead  *merge.Prediction
	fields []merge.TouchedField
	// leftOut are the fields that rules leave out, and left those that they leave to others in any
	// way, if somebody looks.
	leftOut []fieldpath.Path
	left    []fieldpath.Path
	// takenInto are the conflicting fields that have live values that rules take.
	takenInto []fieldpath.Path
	// shown is what may be shown of the object.
	shown redact.Object
	// stored is the object as the API server would store it, and refused why it would not.
	stored  *object.Object
	refused error
	// entries are those of the managedFields of the live object, and faults are about others in it.
	// byManager has them by their managers, once a conflict asks for it.
	entries   []managedfields.Entry
	faults    []report.Result
	byManager map[string][]managedfields.Entry
	// hasOwners is false if the live object has no managedFields.
	hasOwners bool
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
		pair: pair, by: p.Applier(pair.object), root: root,
		kind: p.schemas.Kind(schema.ParseGVK(ref.APIVersion, ref.Kind)),
		out:  &PlannedObject{Ref: ref, Outcome: Unchanged, Conflicts: []ConflictField{}, Fields: []TouchedField{}, object: pair.object},
	}
	s.by.Force = s.by.Force || p.Force
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
	if s.pair.isCounted {
		return p.count(s, failure)
	}
	p.plan.Objects = append(p.plan.Objects, s.out)
	if p.keepsStates {
		s.out.state = s
	}
	if s.pair.isSent {
		p.plan.Sent = append(p.plan.Sent, s.pair.object)
	}
	if s.live != nil {
		p.warnOf(s)
	}
	if failure != nil {
		p.fail(s, failure)
		if s.live != nil && s.applied != nil {
			p.addLeftovers(s, merge.LiveLeftovers(p.schemas, p.applyOf(s, s.applied, false)))
		}
		p.judge(s)
		return s.pair.object.Flush()
	}
	p.tell(s)
	s.out.assumes = s.assumes()
	if p.judge(s); s.limit != nil {
		return fmt.Errorf("%s on the cluster: %w", report.RefOf(s.live), s.limit)
	}
	if s.out.Outcome == Conflict || p.As.Forces {
		p.resolve(s)
	}
	p.compareServer(s)
	if p.Look != nil && s.live != nil && s.pair.isSent {
		p.Look(&Looked{PlannedObject: s.out, File: s.pair.object.File(), Live: s.pair.live, Schemas: p.schemas,
			Package: s.applied, Left: fieldpath.NewSet(s.left...), Shown: s.shown})
	}
	if p.Merged {
		s.out.Merged = s.masked(s.prediction.Stored())
		if metadata, ok := s.out.Merged["metadata"].(map[string]any); ok && !s.hasOwners {
			delete(metadata, "managedFields")
		}
	}
	p.addLeftovers(s, s.prediction.Leftovers(p.As, s.by.Manager))
	return s.pair.object.Flush()
}

// addLeftovers adds fields that no apply removes, except those that rules leave out. No object
// without managedFields has any.
func (p *planner) addLeftovers(s *state, leftovers []merge.Leftover) {
	if !s.hasOwners {
		return
	}
	// A removal moves the elements behind it, so the last one comes first.
	slices.SortStableFunc(leftovers, func(a, b merge.Leftover) int { return location.Compare(b.Location, a.Location) })
	leftOut, listed := fieldpath.NewSet(s.leftOut...), fieldpath.NewSet()
	for _, l := range leftovers {
		if !isInOneOf(l.Path, leftOut) {
			s.out.Leftover = append(s.out.Leftover, p.leftover(s, l))
			listed.Insert(l.Path)
		}
	}
	isListed := func(f TouchedField) bool {
		is := f.Why == merge.Left && isInOneOf(f.at, listed)
		if is {
			s.out.leftoverFields = append(s.out.leftoverFields, f)
		}
		return is
	}
	s.out.Fields = slices.DeleteFunc(s.out.Fields, isListed)
}

// fail says why there is no prediction for an object.
func (p *planner) fail(s *state, failure error) {
	s.out.Outcome, s.out.Cause = Unknown, p.Mask.Error(failure, s.shown.HasSecret())
	if _, isRefused := errors.AsType[*merge.RefusedError](failure); isRefused {
		s.out.Outcome = Refused
	}
	if fault, ok := errors.AsType[*merge.LiveError](failure); ok && s.pair.live.File().Path != "" {
		s.out.Cause = "the live object in " + s.pair.live.File().String() + ": " + p.Mask.Error(fault.Cause, s.shown.HasSecret())
	}
	s.prediction = nil
}

// count counts an object of which only the outcome is asked for.
func (p *planner) count(s *state, failure error) error {
	if failure != nil {
		p.fail(s, failure)
	} else {
		p.tell(s)
		s.out.assumes = s.assumes()
	}
	p.plan.counted[s.out.Outcome]++
	if p.Count != nil {
		p.Count(s.out)
	}
	return s.pair.object.Flush()
}

// isInOneOf tells whether a path is one of others, or leads into what is there.
func isInOneOf(path fieldpath.Path, others *fieldpath.Set) bool {
	for i := range path {
		if others.Has(path[:i+1]) {
			return true
		}
	}
	return false
}

// leftover tells of a field that stays, with the commands that remove it.
func (p *planner) leftover(s *state, l merge.Leftover) Leftover {
	out := Leftover{Path: s.pathOf(l.Path, l.Location), Manager: l.Manager.Name, Value: s.shown.Value(l.Location, l.Value),
		Command: world.RemoveCommand(s.out.Ref, l.Location)}
	if from := managedfields.ToolWith(l.Manager.Name); from != nil {
		command := []string{"krm-fields", "handover", "--from", from.Name, "--to", p.As.Name}
		if p.Manager != p.As.Manager {
			command = append(command, "--field-manager", p.Manager)
		}
		flag := "--remove-stale"
		if len(l.Location) == 3 && l.Location[0].Key == "metadata" && slices.Contains(from.Marks(), l.Location[2].Key) {
			flag = "--forget"
		}
		out.Handover = words.Shell(append(command, flag))
	}
	return out
}

func (p *planner) predict(s *state) (err error) {
	s.shown = s.pair.object.Shown(s.root, s.live)
	s.entries, s.faults = managedfields.Of(s.live)
	s.hasOwners = s.live == nil || managedfields.AreKnown(s.entries, s.live, s.root)
	if s.applied, err = tree.KubectlObject(s.pair.object.Root()); err != nil {
		return err
	}
	if unread := p.Unread[s.pair.object]; unread != nil {
		return unread
	}
	if !s.pair.isSent {
		s.prediction = merge.NotSent(p.schemas, s.live, s.entries)
		s.ahead = s.prediction
		return nil
	}
	if s.prediction, err = p.predictApply(s, s.applied, s.by.Force); err != nil {
		return err
	}
	if s.ahead = s.prediction; s.pair.isCounted && s.hasOwners {
		return nil
	}
	if s.fields, err = s.prediction.Fields(); err != nil || len(s.prediction.Conflicts) == 0 {
		return err
	}
	if s.ahead, err = p.predictApply(s, s.applied, true); err != nil {
		return err
	}
	return s.addOtherChanges()
}

// addOtherChanges adds to the conflicting fields what else the apply would change.
func (s *state) addOtherChanges() error {
	conflicting := fieldpath.NewSet(lists.Map(s.fields, func(f merge.TouchedField) fieldpath.Path { return f.Path })...)
	others, err := s.ahead.Fields()
	for _, f := range others {
		if !isInOneOf(f.Path, conflicting) {
			s.fields = append(s.fields, f)
		}
	}
	slices.SortStableFunc(s.fields, func(a, b merge.TouchedField) int { return a.Path.Compare(b.Path) })
	return err
}

func (p *planner) predictApply(s *state, applied map[string]any, force bool) (*merge.Prediction, error) {
	return merge.Predict(p.schemas, p.applyOf(s, applied, force))
}

func (p *planner) applyOf(s *state, applied map[string]any, force bool) merge.Apply {
	return merge.Apply{Live: s.live, Entries: s.entries, Package: applied, Manager: s.by.Manager, Force: force || !s.hasOwners, As: p.As}
}
