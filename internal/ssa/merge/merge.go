// Package merge predicts a server-side apply: the merged object, who manages which of its fields,
// and the conflicts. The merge itself is structured-merge-diff's, as in the API server; the
// tracking of managers follows k8s.io/apimachinery/pkg/util/managedfields, which can't be used
// itself because it depends on all of apimachinery's types.
//
// It does not predict admission, validation beyond that of Invalid, and conversion between
// versions.
package merge

import (
	"errors"
	"reflect"
	"slices"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// An Apply is one server-side apply to an object, not to a subresource.
type Apply struct {
	// Live is the object on the cluster, nil if there is none, and Entries are those of its
	// managedFields.
	Live    *tree.Node
	Entries []managedfields.Entry
	// ShowsManagers tells that the managedFields were read: without entries, the live object has
	// no managers, while else nobody knows them.
	ShowsManagers bool
	// Package is what is applied, as tree.Value has it. It is not changed.
	Package map[string]any
	Manager string
	Force   bool
	// As is the tool that applies; nil for a request and nothing beside it.
	As *managedfields.Tool
	// Now is the time of the apply, which only plays a part in the order of the entries. If it is
	// zero, it is later than every entry's.
	Now time.Time
}

// A Prediction is the outcome of an apply. If Conflicts or Refused is set, the object stays as it
// is. Objects are without managedFields.
type Prediction struct {
	// Live is the object on the cluster, nil if there is none, and Object what would be stored.
	Live, Object map[string]any
	// Changed tells that the API server would write the object, be it only because a manager has
	// come or gone.
	Changed bool
	// Before and After are the managers, in the order of the entries.
	Before, After []Manager
	Conflicts     []Conflict
	// Refused says why the API server would refuse the package, whatever the live object is.
	Refused error

	live    *tree.Node
	schemas *schema.Schemas
	kind    *schema.Kind
	details *details
	values  finder
	// bare is the object that comes out without what the API server adds.
	bare    map[string]any
	removed *fieldpath.Set // the fields that Fields found removed
}

// A Conflict is a field that another manager has and the apply would change.
type Conflict struct {
	Manager Manager
	Path    fieldpath.Path
}

// Field returns the field as the API server writes it in its message.
func (c Conflict) Field() string { return c.Path.String() }

// ErrVersions is the error of a live object that was read in another version than that of the
// package.
var ErrVersions = words.Errorf("the live object must be read in the version of the package; " +
	"conversion between versions is the API server's")

// ErrNoKind is the error of a package that doesn't say what it is.
var ErrNoKind = words.Errorf("the package must have an apiVersion and a kind")

// Predict predicts an apply. An error means that there is no prediction.
func Predict(schemas *schema.Schemas, apply Apply) (*Prediction, error) {
	gvk := kindOf(apply.Package)
	if gvk.Version == "" || gvk.Kind == "" {
		return nil, ErrNoKind
	}
	kind, live := schemas.Kind(gvk), dataOf(apply.Live)
	if live != nil && kindOf(live) != gvk {
		if kind.Origin == schema.Kubernetes || kind.Origin == schema.Assumed || kind.HasWebhook || kindOf(live).Group != gvk.Group {
			return nil, ErrVersions
		}
		// Versions of a custom kind that no webhook converts differ only in their fields.
		live, _ = known(live, kind.Type).(map[string]any)
		live["apiVersion"] = gvk.APIVersion()
	}
	p := &predictor{schemas: schemas, kind: kind, apply: apply, live: live, version: fieldpath.APIVersion(gvk.APIVersion())}
	return p.predict()
}

func kindOf(object map[string]any) schema.GVK {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	return schema.ParseGVK(apiVersion, kind)
}

// A predictor predicts one apply.
type predictor struct {
	schemas *schema.Schemas
	kind    *schema.Kind
	apply   Apply
	live    map[string]any // the object on the cluster without managedFields
	version fieldpath.APIVersion
	reset   map[fieldpath.APIVersion]fieldpath.Filter
	updater *smd.Updater

	converter *converter
}

func (p *predictor) predict() (*Prediction, error) {
	p.converter, p.reset = &converter{schemas: p.schemas, gvk: p.kind.GVK}, p.resetFields()
	p.updater = (&smd.UpdaterBuilder{Converter: p.converter, IgnoreFilter: p.reset}).BuildUpdater()

	before := managersOf(p.apply.Entries)
	prediction := &Prediction{Live: p.live, Object: p.live, bare: p.live, Before: before.list(), live: p.apply.Live, schemas: p.schemas, kind: p.kind}
	prediction.After = prediction.Before
	config, _ := schema.Numbers(p.apply.Package).(map[string]any)
	if err := refuse(config, p.live); err != nil {
		refused, ok := errors.AsType[*RefusedError](err)
		if !ok {
			return nil, err
		}
		prediction.Refused = refused
		return prediction, nil
	}
	for _, manager := range prediction.Before {
		if err := p.unknown(manager); err != nil {
			return nil, err
		}
	}
	live := p.live
	if live == nil {
		live = zeroObject(p.kind)
	}
	state := state{live: live, config: config, managers: before.copy()}
	state.isPrepared = p.prepare(&state)
	if err := p.firstApply(&state); err != nil {
		return nil, err
	}
	if err := p.read(&state); err != nil {
		prediction.Refused = err
		return prediction, nil
	}
	merged, after, err := p.applyAs(state)
	// Where the managers are not known, nobody knows who has applied on the client's side.
	isKnown := p.live == nil || len(before.fields) > 0 || p.apply.ShowsManagers
	if p.apply.As != nil && p.apply.As.Migrates && err == nil && isKnown {
		merged, after, err = p.applyAgain(state, merged, after)
	}
	conflicts, isConflict := errors.AsType[smd.Conflicts](err)
	switch {
	case isConflict:
		prediction.Conflicts = conflictsOf(conflicts, state.managers)
		prediction.details = p.details(state, state.config)
		return prediction, nil
	case err != nil:
		return nil, err
	}
	p.conclude(prediction, state, merged, before, after)
	return prediction, nil
}

// conclude says what is stored of what an apply has merged, nil where that is the live object, and
// which managers there are before and after.
func (p *predictor) conclude(prediction *Prediction, state state, merged map[string]any, before, after *managers) {
	if prediction.bare = merged; merged == nil {
		prediction.bare = state.live
	}
	if p.live != nil && merged == nil && !state.isPrepared && after.fields.Equals(before.fields) { // as for most
		prediction.details = p.details(state, state.live)
		return
	}
	stored := p.stored(prediction.bare)
	switch {
	case p.live != nil && merged == nil:
		state.live = stored
	case p.live != nil:
		state.live = p.stored(state.live)
	}
	if p.apply.As != nil && p.apply.As.SkipsSame && !state.isPrepared && p.live != nil && isSame(stored, state.live) {
		stored, after, prediction.bare = state.live, before, state.live
	}
	prediction.After = after.list()
	// What is not stored, such as a status, is no change.
	isSameObject := p.live != nil && !state.isCleaned && (merged == nil || p.writesNothing(merged) && reflect.DeepEqual(stored, state.live))
	if !isSameObject || !after.fields.Equals(before.fields) || !slices.EqualFunc(prediction.Before, prediction.After, isSameManager) {
		prediction.Changed, prediction.Object = true, stored
	}
	prediction.details = p.details(state, stored)
}

// details are those of an apply that would make merged of the live object.
func (p *predictor) details(s state, merged map[string]any) *details {
	d := &details{converter: p.converter, kind: p.kind, live: s.live, merged: merged, sent: s.config, config: s.fields, own: fieldsOf(p.own(s.managers.list()))}
	if d.old = s.live; p.live == nil {
		d.old = nil
	} else if s.isCleaned {
		d.old, d.isCleaned = p.stored(p.live), true
	}
	return d
}

// isOwn tells whether a manager is the applier, or its tool under another name.
func (p *predictor) isOwn(m Manager) bool {
	isTool := p.apply.As != nil && p.apply.As.Own(p.apply.Manager, m.Name)
	return m.Subresource == "" && (isTool || m.Name == p.apply.Manager && m.Operation == Applied)
}

// own are those of the managers that are the applier.
func (p *predictor) own(managers []Manager) (own []Manager) {
	for _, m := range managers {
		if p.isOwn(m) {
			own = append(own, m)
		}
	}
	return own
}

// applier is the manager that applies.
func (p *predictor) applier() Manager { return Manager{Name: p.apply.Manager, Operation: Applied} }

// state is what an apply starts from.
type state struct {
	live, config map[string]any
	managers     *managers
	// isPrepared is true if the tool has changed something before its apply, and isCleaned if it
	// has removed something from the live object.
	isPrepared, isCleaned bool
	// typed and fields are the package as the merge has it.
	typed  *typed.TypedValue
	fields *fieldpath.Set
}

// read reads the package. The error is a *RefusedError.
func (p *predictor) read(s *state) (err error) {
	if s.typed, err = p.converter.typed(s.config, false); err == nil {
		s.fields, err = s.typed.ToFieldSet()
	}
	if err == nil {
		err = p.checkBytes(s.config)
	}
	if err != nil {
		return &RefusedError{Cause: err}
	}
	if filter := p.reset[p.version]; filter != nil {
		s.fields = filter.Filter(s.fields)
	}
	return nil
}

// resetFields are the fields that an apply to the object itself leaves alone: in every version of a
// kind of Kubernetes, in that of the request alone of a custom one.
func (p *predictor) resetFields() map[fieldpath.APIVersion]fieldpath.Filter {
	if !p.kind.StatusSubresource {
		return nil
	}
	reset := fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
	if p.kind.Group == "certificates.k8s.io" && p.kind.Kind == "CertificateSigningRequest" {
		reset.Insert(fieldpath.MakePathOrDie("spec"))
	}
	sets := map[fieldpath.APIVersion]*fieldpath.Set{p.version: reset}
	if p.kind.Origin == schema.Kubernetes {
		for _, version := range p.kind.Versions {
			gvk := schema.GVK{Group: p.kind.Group, Version: version}
			sets[fieldpath.APIVersion(gvk.APIVersion())] = reset
		}
	}
	return fieldpath.NewExcludeFilterSetMap(sets)
}

// firstApply gives the fields of an object that has no managers to one of its own.
func (p *predictor) firstApply(s *state) error {
	if len(s.managers.fields) > 0 {
		return nil
	}
	zero := zeroObject(p.kind)
	empty, err := p.converter.typed(zero, true)
	if err != nil {
		return err
	}
	live, err := p.converter.typed(s.live, true)
	if err != nil {
		return &LiveError{err}
	}
	// The operation has a name of its own until it is known to have changed something, as in the
	// API server.
	const self = "current-operation"
	_, fields, err := p.updater.Update(empty, live, p.version, s.managers.fields, self)
	if err != nil {
		return err
	}
	strip(fields, self)
	if set, ok := fields[self]; ok {
		delete(fields, self)
		first := Manager{Name: managedfields.BeforeFirstApply, Operation: Update, APIVersion: string(p.version), Time: p.now()}
		fields[first.id()], s.managers.heads[first.id()] = set, first
	}
	s.managers.fields = fields
	return nil
}

// applyAs applies as the manager, and forgives kubectl the conflicts with what it applied on the
// client's side.
func (p *predictor) applyAs(s state) (map[string]any, *managers, error) {
	merged, after, err := p.applyOnce(s, p.apply.Force)
	if p.apply.Manager != managedfields.Kubectl {
		return merged, after, err
	}
	if conflicts, ok := errors.AsType[smd.Conflicts](err); ok {
		allowed, allowedErr := lastAppliedFields(p.converter, s.live, p.version)
		if allowedErr != nil {
			return nil, nil, err
		}
		conflicts = slices.DeleteFunc(conflicts, func(c smd.Conflict) bool { return allowed.Has(c.Path) })
		if len(conflicts) > 0 {
			return nil, nil, conflicts
		}
		merged, after, err = p.applyOnce(s, true)
	}
	if err != nil {
		return nil, nil, err
	}
	return p.syncLastApplied(s, merged), after, nil
}

// applyAgain applies once more where kubectl takes over managers after its first apply.
func (p *predictor) applyAgain(s state, merged map[string]any, after *managers) (map[string]any, *managers, error) {
	now := merged
	if now == nil {
		now = s.live
	}
	s.managers = after
	if annotations(now)[managedfields.LastApplied] == nil {
		return merged, s.managers, nil
	}
	if merged != nil {
		s.live = p.stored(merged)
	}
	again, err := p.migrate(&s)
	if err != nil || !again {
		return merged, s.managers, err
	}
	second, after, err := p.applyAs(s)
	_, isConflict := errors.AsType[smd.Conflicts](err)
	switch {
	case isConflict, err == nil && p.isRefused(s, second, after):
		return s.live, s.managers, nil // which kubectl only warns of
	case second == nil:
		return s.live, after, err
	}
	return second, after, err
}

// isRefused tells whether validation would refuse what an apply to a state has merged.
func (p *predictor) isRefused(s state, merged map[string]any, after *managers) bool {
	prediction := &Prediction{Object: s.live, live: p.apply.Live, schemas: p.schemas, kind: p.kind}
	p.conclude(prediction, s, merged, s.managers, after)
	return len(prediction.faults()) > 0
}

// applyOnce returns the merged object, nil if it is equal to the live one.
func (p *predictor) applyOnce(s state, force bool) (map[string]any, *managers, error) {
	live, err := p.converter.typed(s.live, true)
	if err != nil {
		return nil, nil, &LiveError{err}
	}
	if p.isUnchanged(s, live) {
		return nil, s.managers.copy(), nil
	}
	return p.merge(s, live, force)
}

// merge is applyOnce where something may change.
func (p *predictor) merge(s state, live *typed.TypedValue, force bool) (map[string]any, *managers, error) {
	applier := p.applier()
	id, after := applier.id(), s.managers.copy()
	applier.Time = after.heads[id].Time
	last := after.fields[id]
	if last != nil && last.APIVersion() == p.version && last.Set().Difference(s.fields).Empty() {
		delete(after.fields, id) // all of it is applied again: to look for what is not costs more than the merge
	}
	object, fields, err := p.updater.Apply(live, s.typed, p.version, after.fields, id, force)
	if err != nil {
		return nil, nil, err
	}
	strip(fields, id)
	after.fields, after.heads[id] = fields, applier
	if object == nil {
		return nil, after, nil
	}
	applier.Time = p.now()
	after.heads[id] = applier
	merged, _ := object.AsValue().Unstructured().(map[string]any)
	return merged, after, nil
}

// later is a time that no entry has.
const later = "9999-12-31T23:59:59Z"

// now is the time of the apply as an entry has it.
func (p *predictor) now() string {
	if p.apply.Now.IsZero() {
		return later
	}
	return p.apply.Now.UTC().Format(time.RFC3339)
}
