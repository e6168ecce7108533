package handover

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/author/plan"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// split says what becomes of the fields of the old tool on one object.
type split struct {
	from []EntryName
	// others are the entries of neither tool, and target is the new tool's.
	others []merge.Manager
	target merge.Manager
	owned  *fieldpath.Set // by the target before
	moved  *fieldpath.Set
	stale  []merge.Leftover
	// asked are the stale fields that the new tool gets, so that it removes them.
	asked    *fieldpath.Set
	released []released
	marks    []location.Location
	// emptied are the maps that the API server drops with the marks.
	emptied *fieldpath.Set
}

type released struct {
	path fieldpath.Path
	to   []string
}

// split sorts out the fields. The prediction is that of the new tool's apply.
func (o *Options) split(p *merge.Prediction, l *plan.Looked) *split {
	s := &split{
		owned: fieldpath.NewSet(), asked: fieldpath.NewSet(), emptied: fieldpath.NewSet(), from: []EntryName{},
		target: merge.Manager{Name: o.Manager, Operation: merge.Applied, APIVersion: l.APIVersion, Fields: fieldpath.NewSet()},
	}
	old, isNew, last := fieldpath.NewSet(), true, ""
	for _, m := range p.Before {
		switch {
		case m.Name == o.Manager && m.Operation == merge.Applied && m.Subresource == "":
			s.target, s.owned, isNew = m, m.Fields, false
		case m.Subresource == "" && o.isOld(m):
			s.from = append(s.from, EntryName{m.Name, m.Operation, m.APIVersion})
			old, last = old.Union(m.Fields), max(last, m.Time)
		default:
			s.others = append(s.others, m)
		}
	}
	if isNew {
		s.target.Time = last
	}
	if len(s.from) == 0 && (isNew || o.From != o.As && !o.From.HasName(o.Manager)) {
		s.target.Fields = s.owned
		return s
	}
	sent, others := p.Sent(), fieldpath.NewSet()
	for _, m := range s.others {
		others = others.Union(m.Fields)
	}
	marks := s.markedBy(o, p, sent.Union(others), l.Live.Root())
	if o.Forget {
		s.emptied = emptiedBy(s.marks, l.Live.Root())
		marks = marks.Union(s.emptied)
	}
	available := p.AsSent(old).RecursiveDifference(l.Left).Difference(marks)
	s.moved = available.Intersection(sent)
	s.stale = p.Unsent(available, others)
	// A removal moves the elements behind it, so the last one comes first.
	slices.SortStableFunc(s.stale, func(a, b merge.Leftover) int { return location.Compare(b.Location, a.Location) })
	stale := fieldpath.NewSet()
	for _, f := range s.stale {
		stale.Insert(f.Path)
	}
	s.target.Fields = s.owned.RecursiveDifference(l.Left).Union(s.moved)
	if o.RemoveStale {
		s.asked = stale
		s.target.Fields = s.target.Fields.Union(available.Difference(available.RecursiveDifference(stale)))
	} else {
		s.target.Fields = s.target.Fields.RecursiveDifference(stale)
	}
	s.release(p.AsSent(old).Difference(marks), l.Left, sent)
	return s
}

// isOld tells whether a manager is the old tool. What keeps the annotation of client-side apply
// stays where the new tool would make it again. Under any name, kubectl has applied on the client's
// side who owns that annotation by update.
func (o *Options) isOld(m merge.Manager) bool {
	if m.Name == managedfields.LastAppliedKeeper && o.As.Migrates && !o.Forget {
		return false
	}
	isClientSide := m.Operation == merge.Update && m.Fields.Has(lastApplied) && !managedfields.AppliesPackages(m.Name)
	return o.From.HasName(m.Name) || o.From.Manager == managedfields.Kubectl && isClientSide
}

var lastApplied = fieldpath.MakePathOrDie("metadata", "annotations", managedfields.LastApplied)

// markedBy finds the labels and annotations of the old tool that nobody else has.
func (s *split) markedBy(o *Options, p *merge.Prediction, others *fieldpath.Set, live *tree.Node) *fieldpath.Set {
	marks := fieldpath.NewSet()
	for _, field := range []string{"labels", "annotations"} {
		for _, key := range o.From.Marks() {
			path := fieldpath.MakePathOrDie("metadata", field, key)
			isKept := slices.Contains(o.As.Adds, key) // since the new tool sets it, too
			if tree.Get(live, "metadata", field, key) != nil && !others.Has(path) && !isKept {
				marks.Insert(path)
				s.marks = append(s.marks, location.Location{location.Key("metadata"), location.Key(field), location.Key(key)})
			}
		}
	}
	return marks
}

// release notes the fields that go to neither tool.
func (s *split) release(old, left, sent *fieldpath.Set) {
	all := old.Union(s.owned)
	for path := range all.Difference(all.RecursiveDifference(left)).Leaves().All() { // what a rule leaves
		s.released = append(s.released, released{path.Copy(), s.ownersOf(path)})
	}
	for path := range old.RecursiveDifference(left).Leaves().Difference(sent).All() {
		if to := s.ownersOf(path); len(to) > 0 {
			s.released = append(s.released, released{path.Copy(), to})
		}
	}
}

// ownersOf are the managers of neither tool that own a field.
func (s *split) ownersOf(path fieldpath.Path) []string {
	names := []string{}
	for _, m := range s.others {
		if m.Fields.Has(path) && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// changes tells whether the entries change.
func (s *split) changes() bool { return len(s.from) > 0 || !s.target.Fields.Equals(s.owned) }

// entries are those afterwards, the new tool's first, as the API server stores them.
func (s *split) entries() []merge.Manager {
	all := []merge.Manager{}
	for _, m := range slices.Concat([]merge.Manager{s.target}, s.others) {
		if m.Fields = m.Fields.Difference(s.emptied); !m.Fields.Empty() {
			all = append(all, m)
		}
	}
	return all
}

// emptiedBy are the maps of labels and annotations that are empty without the marks: the API server
// drops them, and their owners with them.
func emptiedBy(marks []location.Location, live *tree.Node) *fieldpath.Set {
	emptied := fieldpath.NewSet()
	for _, field := range []string{"labels", "annotations"} {
		gone := slices.DeleteFunc(slices.Clone(marks), func(l location.Location) bool { return l[1].Key != field })
		if there := tree.Get(live, "metadata", field); len(gone) > 0 && len(there.Content) == 2*len(gone) {
			emptied.Insert(fieldpath.MakePathOrDie("metadata", field))
		}
	}
	return emptied
}
