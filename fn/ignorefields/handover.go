package ignorefields

import (
	"fmt"
	"slices"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// handover reports a stripped field that the next apply does not leave to its owner. The text says
// why, without the values of Secrets.
type handover func(reason string, field rules.Found, text func() string)

// reportHandovers reports stripped fields that stripping does not leave to their owners: once for
// each rule, kind and reason.
func (j *job) reportHandovers() {
	severity := severityOf(j.run.config.OnHandover)
	if severity == "" {
		return
	}
	kind, about := j.kind(), ""
	if j.run.config.about != nil {
		about = j.run.config.about(j.ref)
	}
	tell := func(reason string, field rules.Found, text func() string) {
		by := field.By
		j.notice(j.keyOf(by, by.RulePath, reason, kind), func() report.Result {
			return j.result(severity, by.Path+": "+about+text(), by.Tags(reason, field.Condition)).At(j.placeOf(field))
		})
	}
	j.reportSoleOwned(tell)
	j.reportNotLeft(tell)
}

// reportSoleOwned reports the stripped fields that only one manager owns in the live object, so
// that its next apply without them removes them.
func (j *job) reportSoleOwned(tell handover) {
	if j.live == nil {
		return
	}
	managed := j.managed()
	if len(managed.entries) == 0 {
		return
	}
	shown := sync.OnceValue(func() redact.Object { return j.object.Shown(j.view.Original(), j.live) })
	there, here := managed.owners, managedfields.NewIndex(managed.entries, managed.ours)
	for _, f := range j.present() {
		if len(f.Inside) > 0 {
			continue // the string is owned as a whole
		}
		l, owners, where := f.Location, there, "on the cluster"
		if at, ok := managed.counterparts.Find(f.Location); ok {
			l = at
		} else if f.Location[0].Key == stringData && redact.IsSecret(j.ref.APIVersion, j.ref.Kind) {
			continue // the API server keeps none
		} else if j.isInEmpty(f.Location) {
			continue // who owns the empty map or list owns no more
		} else {
			owners, where = here, "in the package"
		}
		sole, ok := owners.SoleOwner(l, j.run.config.Live.FieldManager)
		if !ok || j.isLeftTo(f, sole.Manager) {
			continue
		}
		tell(report.ReasonSoleFieldManager, f, func() string {
			return fmt.Sprintf(
				"%s, %s %s, is owned by %s alone: the next apply without it removes it or resets it to its default; "+
					"let its new owner apply it first",
				f.Location, shown().Show(l, owners.At(l), maxValue), where, ownerOf(sole))
		})
	}
}

// isInEmpty tells whether the live object has, of what a location is in, an empty map or list.
func (j *job) isInEmpty(l location.Location) bool {
	for i := len(l) - 1; i > 0; i-- {
		if at, ok := j.managed().counterparts.Find(l[:i]); ok {
			n := j.managed().owners.At(at)
			return n.Kind != tree.ScalarNode && len(n.Content) == 0
		}
	}
	return false
}

// soleOwnerOf returns the only owner, in the live object, of a field that an expression names and
// the package's object does not have.
func (j *job) soleOwnerOf(h rules.Hint) (sole managedfields.Sole, ok bool) {
	if j.live == nil || h.Missing == nil || h.Expression == nil {
		return sole, false
	}
	owners, applier := j.managed().owners, j.run.config.whoApplies()
	d, _ := expr.ByName(h.Expression.Dialect().Name)
	isWhole := len(d.SegmentsIn(h.Expression.String())) == len(h.Missing) && len(h.Missing) > 0
	if l, isThere := j.findLive(h.Missing); isThere && isWhole {
		return owners.SoleOwner(l, applier)
	}
	inLive, err := h.Expression.Locate(&expr.Input{Root: j.live, WithoutHint: true})
	if err != nil {
		return sole, false
	}
	for _, l := range inLive.Locations {
		if sole, ok = owners.SoleOwner(l, applier); ok {
			return sole, true
		}
	}
	return sole, false
}

// findLive returns where the live object has a field; false if there is none.
func (j *job) findLive(l location.Location) (location.Location, bool) {
	if j.live == nil {
		return nil, false
	}
	return j.managed().counterparts.Find(l)
}

// ownerOf names a sole owner for a message.
func ownerOf(sole managedfields.Sole) string {
	if sole.TakenOverBy == "" {
		return fmt.Sprintf("%q", sole.Manager)
	}
	return fmt.Sprintf("%q (which %q takes over)", sole.Manager, sole.TakenOverBy)
}

// reportNotLeft reports the stripped fields that stripping can't leave to another owner, by the
// schema of the object's kind: those inside an atomic list or map, and those that the API server
// requires.
func (j *job) reportNotLeft(tell handover) {
	for _, f := range j.present() {
		if len(f.Inside) > 0 {
			tell(report.ReasonAtomicParent, f, func() string {
				return fmt.Sprintf("%s is inside the string %s: whoever applies the string owns all of it, "+
					"so a field in it can't be left to another owner; leave out the string itself, '%s'%s",
					j.placeOf(f), f.Location, f.Location.Pointer(), j.orTakeLive())
			})
			continue
		}
		place := j.run.place(f, j.ref)
		if place.Atomic != nil && !j.isGranular(f.Location, place.kind) {
			tell(report.ReasonAtomicParent, f, func() string { return j.atomicText(f.Location, place) })
		}
		if place.Required == nil {
			continue
		}
		if _, keepsParent := j.object.EditedLocation(f.Location[:len(f.Location)-1]); keepsParent && !j.isOthers(f) {
			tell(report.ReasonRequiredField, f, func() string { return j.requiredText(f.Location, place) })
		}
	}
}

// isOthers tells whether managers other than the applier own all of a field on the cluster, so that
// an apply without it leaves it there.
func (j *job) isOthers(f rules.Found) bool {
	at, isThere := j.findLive(f.Location)
	if !isThere {
		return false
	}
	if sole, ok := j.managed().owners.SoleOwner(at, j.run.config.Live.FieldManager); ok && j.isLeftTo(f, sole.Manager) {
		return true
	}
	lost, _, isOwned := j.notOthers(at)
	return isOwned && lost == nil
}

// isLeftTo tells whether the rule names a manager that is not the applier itself.
func (j *job) isLeftTo(f rules.Found, manager string) bool {
	return f.By.LeavesTo(manager) && manager != j.run.config.whoApplies()
}

// isGranular tells whether managedFields show that the lists around a field of a kind without a
// schema are not atomic.
func (j *job) isGranular(l location.Location, kind *schema.Kind) bool {
	if kind.Origin != schema.Assumed {
		return false
	}
	at, isThere := j.findLive(l)
	if !isThere {
		return false
	}
	_, isAtomic := unownedList(j.managed().entries, at, j.live)
	return !isAtomic
}

// placeKey identifies the objects in which an expression usually finds the same field.
type placeKey struct {
	by               *rules.Source
	apiVersion, kind string
}

// knownPlace is the schema's answer for the last location at which an expression was found.
type knownPlace struct {
	location location.Location
	kind     *schema.Kind
	schema.FieldSchema
}

// place returns the schema's answer for a field of a kind. It is cached, since most expressions
// find the same field in all objects of a kind.
func (r *run) place(f rules.Found, ref report.Ref) *knownPlace {
	key := placeKey{by: f.By, apiVersion: ref.APIVersion, kind: ref.Kind}
	if last, ok := r.places.Load(key); ok {
		isAlike := func(a, b location.Step) bool { return a.IsIndex == b.IsIndex && a.Key == b.Key } // except the index
		if known := last.(*knownPlace); slices.EqualFunc(known.location, f.Location, isAlike) {
			return known
		}
	}
	kind := r.schemas.kind(schema.ParseGVK(ref.APIVersion, ref.Kind))
	place := &knownPlace{location: f.Location, kind: kind, FieldSchema: kind.At(f.Location)}
	if place.Atomic != nil && kind.At(place.Atomic).Known == schema.Excluded {
		place.Atomic = nil // the API server drops fields without a schema
	}
	r.places.Store(key, place)
	return place
}

// orTakeLive is the advice to take the live value, which the rules of a work can't.
func (j *job) orTakeLive() string {
	if j.run.config.rulePaths != nil {
		return ""
	}
	return ", or use action: TakeLive"
}

func (j *job) atomicText(l location.Location, place *knownPlace) string {
	atomic := l[:len(place.Atomic)]
	collection := "map"
	if place.AtomicType.List != nil {
		collection = "list"
	}
	if place.kind.Origin == schema.Assumed {
		return fmt.Sprintf("%s may be inside an atomic list, %s: no schema of %s %s is known, so its lists count as atomic; add its "+
			"CustomResourceDefinition to the items or, on the command line, give it with --crds PATH; if the list is atomic, whoever applies "+
			"it owns all of it: leave out '%s'%s", l, atomic, place.kind.Kind, place.kind.APIVersion(), atomic.Pointer(), j.orTakeLive())
	}
	advice := fmt.Sprintf("leave out the %s itself, '%s'%s", collection, atomic.Pointer(), j.orTakeLive())
	if place.kind.IsImmutable(atomic) {
		advice = fmt.Sprintf("use action: TakeLive, since an update must leave the %s as it is", collection)
	}
	return fmt.Sprintf("%s is inside the atomic %s %s (schema: %s): whoever applies the %s owns all of it, so a field in it can't be left to another owner; %s",
		l, collection, atomic, place.kind.Source, collection, advice)
}

func (j *job) requiredText(l location.Location, place *knownPlace) string {
	by, source := "schema: "+place.kind.Source, ""
	if place.Required.Source != "" {
		by, source = "Kubernetes' validation", "; source: "+place.Required.Source
	}
	when := ", as when the object is created"
	if j.run.config.rulePaths != nil {
		when = "" // since the agent creates it whole
	}
	return fmt.Sprintf("%s is required (%s): the API server refuses the object if nobody else owns the field%s; keep the field%s%s",
		l, by, when, j.orTakeLive(), source)
}
