package merge

import (
	"maps"
	"reflect"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// prepare is what the tool does before its apply: it sets its labels, adds to the package what it
// adds itself, if the live object has that, and takes over old entries. It tells whether that
// changes the live object.
func (p *predictor) prepare(s *state) bool {
	t := p.apply.As
	if t == nil {
		return false
	}
	if len(t.Labels) > 0 {
		s.config = withAdded(s.config, map[string]any{"metadata": map[string]any{"labels": t.Labels}}, slices.Sorted(maps.Keys(t.Labels)))
	}
	if p.live == nil {
		return false
	}
	s.config = withNamespace(withAdded(s.config, s.live, t.Adds), s.live)
	s.live, s.isCleaned = s.clean(t.Cleans)
	changed := s.isCleaned
	for _, manager := range s.managers.list() {
		if manager.Subresource == "" && t.TakesOverFirst(manager.Name, manager.Operation) {
			changed = s.managers.takeOver(manager, p.applier(), t.AnyVersion) || changed
		}
	}
	return changed
}

// isSame tells whether objects are the same. The status does not count, and of the metadata only
// labels and annotations do.
func isSame(a, b map[string]any) bool {
	labelled := func(object map[string]any) map[string]any {
		object = maps.Clone(object)
		delete(object, "status")
		object["metadata"] = []any{metadata(object)["labels"], metadata(object)["annotations"]}
		return object
	}
	return reflect.DeepEqual(labelled(a), labelled(b))
}

// withAdded is the package with those labels and annotations of another object.
func withAdded(config, live map[string]any, keys []string) map[string]any {
	for _, field := range []string{"labels", "annotations"} {
		old, _ := metadata(live)[field].(map[string]any)
		for _, key := range keys {
			own, isMap := metadata(config)[field].(map[string]any)
			text, isThere := old[key]
			if _, isOwn := own[key]; isThere && !isOwn && (isMap || metadata(config)[field] == nil) {
				config = withMember(config, field, func(own map[string]any) { own[key] = text })
			}
		}
	}
	return config
}

// withNamespace is the package with the namespace of the live object, which every tool sends.
func withNamespace(config, live map[string]any) map[string]any {
	namespace := metadata(live)["namespace"]
	if namespace == nil || metadata(config)["namespace"] != nil {
		return config
	}
	return withMetadata(config, func(metadata map[string]any) { metadata["namespace"] = namespace })
}

// clean removes labels and annotations from the live object and from all managers. It returns the
// object, and whether it had any of them.
func (s *state) clean(keys []string) (live map[string]any, changed bool) {
	live = s.live
	for _, field := range []string{"labels", "annotations"} {
		for _, key := range keys {
			all, _ := metadata(live)[field].(map[string]any)
			if _, ok := all[key]; !ok {
				continue
			}
			changed = true
			live = withMember(live, field, func(all map[string]any) { delete(all, key) })
			gone := fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", field, key))
			if len(all) == 1 {
				delete(metadata(live), field)
				gone.Insert(fieldpath.MakePathOrDie("metadata", field))
			}
			for id, set := range s.managers.fields {
				s.managers.fields[id] = fieldpath.NewVersionedSet(set.Set().Difference(gone), set.APIVersion(), set.Applied())
				strip(s.managers.fields, id)
			}
		}
	}
	return live, changed
}

// takeOver makes the fields of an entry the applier's own, as k8s.io/client-go/util/csaupgrade
// does: if it is of the version of the applier's entry, or of any, or the applier has none yet. It
// tells whether the entry is another than the applier's.
func (m *managers) takeOver(old, applier Manager, anyVersion bool) bool {
	id := applier.id()
	if old.id() == id {
		return false
	}
	target := m.fields[id]
	if target == nil {
		target = fieldpath.NewVersionedSet(fieldpath.NewSet(), fieldpath.APIVersion(old.APIVersion), true)
		applier.Time = old.Time
		m.heads[id] = applier
	}
	if anyVersion || old.APIVersion == string(target.APIVersion()) {
		target = fieldpath.NewVersionedSet(target.Set().Union(old.Fields), target.APIVersion(), true)
	}
	m.fields[id] = target
	delete(m.fields, old.id())
	return true
}

var (
	lastAppliedPath = fieldpath.MakePathOrDie("metadata", "annotations", managedfields.LastApplied)
	lastAppliedSet  = fieldpath.NewSet(lastAppliedPath)
)

// migrate is what kubectl does after its apply: it keeps the annotation of client-side apply, takes
// over who has written it, and tells whether it applies again.
func (p *predictor) migrate(s *state) (bool, error) {
	text := annotations(s.live)[managedfields.LastApplied]
	var names []string
	isKept := false
	for _, manager := range s.managers.list() {
		switch {
		case !manager.Fields.Has(lastAppliedPath):
		case manager.Operation == Applied:
			isKept = true
		default:
			names = append(names, manager.Name)
		}
	}
	if !isKept && p.apply.Manager == managedfields.Kubectl {
		keeper := &predictor{schemas: p.schemas, kind: p.kind, version: p.version, reset: p.reset, updater: p.updater, converter: p.converter,
			live: p.live, apply: Apply{Manager: managedfields.LastAppliedKeeper, Now: p.apply.Now}}
		only := map[string]any{"apiVersion": s.live["apiVersion"], "kind": s.live["kind"],
			"metadata": map[string]any{"annotations": map[string]any{managedfields.LastApplied: text}}}
		kept := state{live: s.live, config: only, managers: s.managers}
		if err := keeper.read(&kept); err != nil {
			return false, err
		}
		_, after, err := keeper.applyOnce(kept, false)
		if err != nil {
			return false, err
		}
		s.managers = after
	}
	changed := false
	for _, manager := range s.managers.list() {
		if manager.Operation == Update && manager.Subresource == "" && slices.Contains(names, manager.Name) {
			changed = s.managers.takeOver(manager, p.applier(), false) || changed
		}
	}
	return changed, nil
}

// A Leftover is a field that an old entry of the tool keeps, or that of another tool that applied
// before, although the package does not have it: no apply removes it.
type Leftover struct {
	Manager  Manager
	Path     fieldpath.Path
	Location location.Location
	Value    any
}

// Leftovers returns the fields that old entries of the tool, and those of other tools, keep, but
// for defaults.
func (p *Prediction) Leftovers(t *managedfields.Tool, applier string) []Leftover {
	if p.details == nil || p.details.old == nil {
		return nil
	}
	var all []Leftover
	var former []Manager
	stored := []*fieldpath.Set{p.asStored(p.details.config)} // what somebody has who may still write it
	writers := []Manager{{APIVersion: p.kind.APIVersion(), Fields: stored[0]}}
	for _, m := range p.After {
		// What an apply in conflict would have taken over is not told.
		isOld := m.Operation == Update && m.Subresource == "" && t.Own(applier, m.Name) && len(p.Conflicts) == 0
		if isOld || t.IsOfOther(applier, m.Name, m.Operation, m.Subresource) {
			former = append(former, m)
		} else {
			stored, writers = append(stored, p.asStored(m.Fields)), append(writers, m)
		}
	}
	stays := p.details.merged
	if len(p.Conflicts) > 0 {
		stays = p.details.old
	}
	others, writersOf := unionOf(stored), p.ownersOf(writers)
	for _, m := range former {
		fields := p.asStored(m.Fields)
		for _, l := range p.unsent(fields, others, stays) {
			if l.Manager = m; len(writersOf(l.Path)) == 0 {
				all = append(all, l)
			}
		}
		others = others.Union(fields) // of several former ones that have a field, the first is named
	}
	return all
}

// LiveLeftovers returns the Leftovers of an apply that can't be predicted, by the live object as
// it is. A package of another version says nothing of it, and one that is nil is not known.
func LiveLeftovers(schemas *schema.Schemas, apply Apply) []Leftover {
	p := NotSent(schemas, apply.Live, apply.Entries)
	d := &details{converter: &converter{schemas: schemas, gvk: p.kind.GVK}, kind: p.kind, old: p.Live, merged: p.Object, config: fieldpath.NewSet()}
	if p.details = d; apply.Package != nil {
		d.sent, _ = schema.Numbers(apply.Package).(map[string]any)
		value, err := d.converter.typed(d.sent, true)
		if err == nil {
			d.config, err = value.ToFieldSet()
		}
		if err != nil || kindOf(d.sent) != p.kind.GVK {
			return nil
		}
	}
	return p.Leftovers(apply.As, apply.Manager)
}

// unsent returns the fields of an object that others do not have, except defaults, and what the API
// server requires.
func (p *Prediction) unsent(fields, others *fieldpath.Set, in map[string]any) (all []Leftover) {
	var bare map[string]any
	told, left := fieldpath.NewSet(), fields.Leaves().Difference(others)
	for path := range left.All() {
		path = wholeElement(path, others)
		found, at, ok := p.values.find(p.kind.Type, path, in)
		m, _ := found.(map[string]any)
		isOthers := len(m) > 0 && path[len(path)-1].FieldName != nil // what is in it
		if !ok || isOthers || path.Equals(lastAppliedPath) || told.Has(path) || p.isRequired(path, at, in) {
			continue
		}
		if bare == nil {
			bare = p.withDefaults(in, left)
		}
		if byDefault, _, _ := p.values.find(p.kind.Type, path, bare); !reflect.DeepEqual(byDefault, found) {
			all = append(all, Leftover{Path: path.Copy(), Location: at, Value: found})
			told.Insert(path.Copy())
		}
	}
	return all
}

// FormerLeftovers returns the fields of a live object that other tools keep than the one whose
// entry is the newest. A field of a tool that shares the object with that one is among them.
func FormerLeftovers(schemas *schema.Schemas, live *tree.Node, entries []managedfields.Entry) []Leftover {
	var last Manager
	for _, m := range managersOf(entries).list() {
		isTool := managedfields.AppliesPackages(m.Name) && m.Subresource == "" && (m.Operation == Applied || m.Name != managedfields.Kubectl)
		if isTool && (last.Name == "" || seconds(m.Time) >= seconds(last.Time)) {
			last = m
		}
	}
	tool := managedfields.ToolOf(last.Name)
	all := LiveLeftovers(schemas, Apply{Live: live, Entries: entries, Manager: last.Name, As: tool})
	return slices.DeleteFunc(all, func(l Leftover) bool {
		m := l.Manager
		return m.Time == "" || seconds(m.Time) >= seconds(last.Time) || m.Name == managedfields.ClientSideApply || tool.Own(last.Name, m.Name)
	})
}

// isRequired tells whether the API server refuses an object without a place: the schema requires
// it, or it is the only element of a list that must have one.
func (p *Prediction) isRequired(path fieldpath.Path, at location.Location, in map[string]any) bool {
	last := len(at) - 1
	if !at[last].IsIndex {
		return p.kind.At(at).Required != nil
	}
	around, _, _ := p.values.find(p.kind.Type, path[:last], in)
	list, _ := around.([]any)
	return len(list) == 1 && p.kind.At(at[:last]).Required != nil
}

// withDefaults returns the package with its defaults; where that is not known, what stays of an
// object without the fields that are left.
func (p *Prediction) withDefaults(in map[string]any, left *fieldpath.Set) map[string]any {
	sent := any(p.details.sent)
	if p.details.sent == nil {
		value, err := p.details.converter.typed(in, true)
		if err != nil {
			return nil // every field counts
		}
		sent = value.RemoveItems(left).AsValue().Unstructured()
	}
	bare, _ := schema.Numbers(sent).(map[string]any)
	p.kind.Fill(bare)
	return bare
}

// wholeElement returns the path to the outermost list element around a field of which others have
// nothing; that of the field for none.
func wholeElement(path fieldpath.Path, others *fieldpath.Set) fieldpath.Path {
	for i, element := range path {
		if element.FieldName == nil && !holds(others, path[:i+1]) {
			return path[:i+1]
		}
	}
	return path
}
