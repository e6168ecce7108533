package plan

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/livevalue"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// A judgement is what becomes of a field of a rule: the verdict of the JSON form, the text, with %s
// for managers, and the reason for krm-fields explain.
type judgement struct{ verdict, text, reason string }

// judgements are in the order of their weight: of several fields in one object the first counts.
var judgements = []*judgement{
	inString, inAtomic, inAssumed, required, removed, takenOver, inConflict, takenAlone, takenShared, leftAlone, leftUnknown, leftTo, recorded, notNeeded,
}

var (
	inString = &judgement{NoEffectAtomic, "no effect: the field is inside a string, which is one field to the API server", report.ReasonAtomicParent}
	inAtomic = &judgement{NoEffectAtomic,
		"no effect: server-side apply owns the list or map around the field as a whole, so one field in it can't be handed over", report.ReasonAtomicParent}
	inAssumed = &judgement{NoEffectAtomic,
		"no effect if the list around the field is atomic, as every list without a schema counts; give the CustomResourceDefinition by --crds",
		report.ReasonAtomicParent}
	required = &judgement{Required, "the API server requires the field, and nobody else owns it", report.ReasonRequiredField}
	removed  = &judgement{Removed, "removed, or reset to its default, since nobody else owns it", report.ReasonSoleFieldManager}
	// Fields that are applied with their live values.
	takenOver   = &judgement{HandedOver, "has its live value; taken over from %s", report.ReasonFieldsTaken}
	inConflict  = &judgement{HandedOver, "has its live value; in conflict with %s", report.ReasonFieldsTaken}
	takenAlone  = &judgement{HandedOver, "has its live value; nobody else owns it", report.ReasonFieldsTaken}
	takenShared = &judgement{HandedOver, "has its live value; shared with %s", report.ReasonFieldsTaken}
	// Fields that are not applied.
	leftAlone      = &judgement{HandedOver, "left as it is on the cluster: nobody else owns it", report.ReasonHandedOver}
	leftUnknown    = &judgement{HandedOver, "left as it is on the cluster, where its owner is not known", report.ReasonHandedOver}
	leftTo         = &judgement{HandedOver, "handed over to %s", report.ReasonHandedOver}
	recorded       = &judgement{NotNeeded, "only recorded in an annotation: the apply still sets the field", report.ReasonNotNeeded}
	notNeeded      = &judgement{NotNeeded, "no effect on this apply: without the rule, it does the same", report.ReasonNotNeeded}
	matchedNothing = &judgement{MatchedNothing, "matched nothing", report.ReasonNoMatch}
)

// ReasonOf returns the reason that explains a verdict, which has no name of a reason; else "".
func ReasonOf(verdict string) string {
	for _, j := range []*judgement{inAtomic, required, matchedNothing} {
		if j.verdict == verdict {
			return j.reason
		}
	}
	return ""
}

// worst is the most serious of the judgements on several fields, with the managers that it names.
type worst struct {
	*judgement
	managers []string
}

func (w *worst) add(j *judgement, managers []string) {
	switch {
	case w.judgement == nil || slices.Index(judgements, j) < slices.Index(judgements, w.judgement):
		w.judgement, w.managers = j, slices.Clone(managers)
	case j == w.judgement:
		w.managers = append(w.managers, managers...)
	}
}

// field returns what becomes of one field that a rule has found at a location of an object, and the
// managers that this names.
func (j *judge) field(s *state, object map[string]any, l location.Location) (*judgement, []string) {
	if s.live == nil {
		return notNeeded, nil // the object is created whole
	}
	place := s.kind.At(l)
	if place.Atomic != nil && j.strips() {
		return s.inAtomic(), nil
	}
	holding := s.ahead.Holding(object, l)
	// What the run or the tool adds to a stripped map, such as the hash, is no field of the rule.
	isLeftOut := j.strips() || j.effect() == ignorefields.LeftOut && !holding.IsSent
	if isLeftOut {
		s.leftOut = append(s.leftOut, holding.Path)
	}
	own := func(name string) bool { return j.As.Own(s.by.Manager, name) || !s.hasOwners }
	others := slices.DeleteFunc(slices.Clone(holding.After), own)
	if isLeftOut && !holding.WasThere {
		others = append(others, slices.DeleteFunc(s.holdersElsewhere(holding.InLive), own)...)
	}
	isOurs := slices.ContainsFunc(holding.Before, own)
	isSent := s.pair.isSent
	isLost := isOurs && len(holding.After) == 0
	switch {
	case isSent && isLeftOut && place.Required != nil && (isLost || len(others) == 0 && !holding.IsThere):
		return required, nil
	case isSent && isLeftOut && (holding.Removed || isLost):
		return removed, nil
	case holding.IsSent && !isLeftOut && !holding.WasThere:
		return notNeeded, nil // applied as the package has it
	case holding.IsSent && !isLeftOut:
		return j.taken(s, holding.Path, others, slices.DeleteFunc(holding.Before, own))
	case len(others) > 0:
		return leftTo, others
	case isSent && (!isOurs || len(holding.After) > 0):
		return s.alone(), nil
	}
	return notNeeded, nil
}

// holdersElsewhere returns who has the value of a field that the live object lacks under another
// name.
func (s *state) holdersElsewhere(field location.Location) []string {
	if s.reader == nil {
		s.reader = location.NewReader(s.live)
	}
	at := livevalue.MovedTo(s.reader, field)
	if at == nil {
		return nil
	}
	return s.ahead.Holding(s.prediction.Live, at).Before
}

// alone tells of a field that is left to nobody who is known.
func (s *state) alone() *judgement {
	if !s.hasOwners {
		return leftUnknown
	}
	return leftAlone
}

// inAtomic tells of a field inside an atomic list or map.
func (s *state) inAtomic() *judgement {
	if s.kind.Origin == schema.Assumed {
		return inAssumed
	}
	return inAtomic
}

// taken returns the judgement on a field that is applied with its live value: who else owns it, or
// its parent, after the apply or before.
func (j *judge) taken(s *state, path fieldpath.Path, after, before []string) (*judgement, []string) {
	var conflicting []string
	for _, c := range s.prediction.Conflicts {
		if c.Path.Equals(path) {
			conflicting = append(conflicting, c.Manager.Name)
		}
	}
	switch {
	case len(conflicting) > 0:
		s.takenInto = append(s.takenInto, path)
		return inConflict, conflicting
	case len(after) > 0:
		return takenShared, after
	case len(before) == 0:
		return takenAlone, nil
	}
	return takenOver, before
}
