package merge

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// A TouchedField is a field that an apply touches: one that it sets or would set, one that its
// manager owned and gives up, and one that is removed with either. Applied fields that the manager
// already had unchanged are not among them.
type TouchedField struct {
	// Location is where it is in the object that comes out, or in the live one where it is removed.
	Location location.Location
	Path     fieldpath.Path
	// Old and New are nil if there is no field; HasOld and HasNew tell that from null.
	Old, New       any
	HasOld, HasNew bool
	// Before and After are the names of the managers that have it, each once, in the order of the
	// entries.
	Before, After []string
	Why           Why
	// Reordered tells that the field is a list whose elements change their order; Old and New are
	// their names.
	Reordered bool
}

// A Why says what an apply does with a field.
type Why string

// A field is Set if the applier is its only manager afterwards, and Shared if there are others. It
// is Removed if the applier gives it up, and Left if its value then stays. It is Conflicting if
// another manager would lose it.
const (
	Set         Why = "set"
	Removed     Why = "removed"
	Left        Why = "left"
	Shared      Why = "shared"
	Conflicting Why = "conflict"
)

// details are what Fields needs of a prediction.
type details struct {
	converter    *converter
	kind         *schema.Kind
	old          map[string]any // the live object, nil where there is none
	isCleaned    bool           // live is the live object without what the tool removes from it first
	live, merged map[string]any // as they were merged; merged is the package's where there are conflicts
	sent         map[string]any // the package
	config       *fieldpath.Set // its fields
	own          *fieldpath.Set // what the applier had
}

// InPackage returns where the package has a field; false if it lacks it.
func (p *Prediction) InPackage(path fieldpath.Path) (location.Location, bool) {
	_, at, ok := p.values.find(p.details.kind.Type, path, p.details.sent)
	return at, ok
}

// States returns the object before and after the apply, as the API server stores it, without
// managedFields.
func (p *Prediction) States() (before, after map[string]any) { return p.details.live, p.details.merged }

// Fields returns the fields that the apply touches, in the order of their paths. Where there are
// conflicts, those are the conflicting ones. There are none where the package is refused.
func (p *Prediction) Fields() ([]TouchedField, error) {
	d := p.details
	if d == nil {
		return nil, nil
	}
	conflicts := map[string][]string{} // from the path to the managers
	touched := fieldpath.NewSet()
	for _, conflict := range p.Conflicts {
		touched.Insert(conflict.Path)
		conflicts[conflict.Path.String()] = append(conflicts[conflict.Path.String()], conflict.Manager.Name)
	}
	if len(conflicts) == 0 {
		var err error
		if touched, err = p.touched(); err != nil {
			return nil, err
		}
	}
	p.removed = fieldpath.NewSet()
	before, after := p.ownersOf(p.Before), p.ownersOf(p.After)
	var all []TouchedField
	for path := range touched.All() {
		field := d.field(path.Copy(), &p.values)
		field.Before, field.After = before(field.Path), after(field.Path)
		if field.turns() {
			field.Before = ownersInside(p.Before, field.Path)
		}
		if len(conflicts) > 0 {
			field.conflict(conflicts[field.Path.String()])
		} else {
			field.Why = d.why(field)
		}
		if field.Why != Conflicting && (slices.Equal(field.Before, field.After) && field.sameValue() || !field.HasOld && !field.HasNew) {
			continue
		}
		all = append(all, field)
		if field.Why == Removed {
			p.removed.Insert(field.Path)
		}
	}
	if len(conflicts) == 0 && p.Changed {
		all = append(all, d.reordered(d.old, d.merged, TouchedField{Why: Set, HasOld: true, HasNew: true, Reordered: true}, d.kind.Type)...)
	}
	return all, nil
}

// A Difference is a field that two applies to a live object store differently.
type Difference struct{ Before, After TouchedField }

// Differing returns the fields that another apply to the same live object stores differently, be it
// only in another order of elements.
func (p *Prediction) Differing(other *Prediction) (all []Difference, err error) {
	d := p.details
	if d == nil || other.details == nil {
		return nil, nil // one of them is not sent
	}
	was, err := d.converter.typed(other.Object, true)
	if err != nil {
		return nil, err
	}
	is, err := d.converter.typed(p.Object, true)
	if err != nil {
		return nil, err
	}
	different, err := d.different(was, is)
	if err != nil {
		return nil, err
	}
	ofOther, own := other.ownersOf(other.After), p.ownersOf(p.After)
	for path := range different.Difference(systemFields).Leaves().Difference(lastAppliedSet).All() {
		before, after := other.details.field(path.Copy(), &other.values), d.field(path.Copy(), &p.values)
		before.Why, after.Why = Set, Set
		if !after.HasNew {
			after.Why = Left
		}
		before.After, after.After = ofOther(path), own(path)
		all = append(all, Difference{before, after})
	}
	for _, after := range d.reordered(other.Object, p.Object, TouchedField{Why: Set, HasNew: true, Reordered: true}, d.kind.Type) {
		before := after
		before.New = after.Old
		live, _, isThere := p.values.find(d.kind.Type, after.Path, d.old)
		list, _ := live.([]any)
		if before.Old, before.HasOld = nil, isThere; isThere {
			names, _, _ := Order(list, list, d.kind.At(after.Location).Type)
			before.Old = strings.Join(names, "")
		}
		after.Old, after.HasOld = before.Old, before.HasOld
		all = append(all, Difference{before, after})
	}
	return all, nil
}

// different returns the fields that differ between two states of the object.
func (d *details) different(before, after *typed.TypedValue) (*fieldpath.Set, error) {
	comparison, err := before.Compare(after)
	if err != nil {
		return nil, err
	}
	different := comparison.Removed.Union(comparison.Modified).Union(comparison.Added)
	if d.kind.StatusSubresource {
		different = different.RecursiveDifference(fieldpath.NewSet(fieldpath.MakePathOrDie("status")))
	}
	return different, nil
}

// reordered returns the lists in a value, at a place, of which elements change their order.
func (d *details) reordered(before, after any, at TouchedField, t *schema.Type) (all []TouchedField) {
	below := func(step location.Step, element fieldpath.PathElement) TouchedField {
		inner := at
		inner.Location, inner.Path = at.Location.With(step), append(slices.Clip(at.Path), element)
		return inner
	}
	switch old := before.(type) {
	case map[string]any:
		now, _ := after.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(old)) {
			if value, ok := now[key]; ok && isNested(value) {
				all = append(all, d.reordered(old[key], value, below(location.Key(key), fieldpath.PathElement{FieldName: &key}), t.Member(key))...)
			}
		}
	case []any:
		now, _ := after.([]any)
		if t == nil || t.List == nil || t.List.Kind == schema.Atomic {
			return nil
		}
		if was, is, ok := Order(old, now, t); ok {
			at.Old, at.New = strings.Join(was, ""), strings.Join(is, "")
			all = append(all, at)
		}
		indices := Index(old, t)
		for i, element := range now {
			if from, ok := indices[Name(element, t)]; ok && isNested(element) {
				all = append(all, d.reordered(old[from], element, below(location.Index(i), elementOf(t, i, element)), t.Element())...)
			}
		}
	}
	return all
}

func isNested(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// field is the field at a path, without its managers.
func (d *details) field(path fieldpath.Path, values *finder) TouchedField {
	field := TouchedField{Path: path}
	field.New, field.Location, field.HasNew = values.find(d.kind.Type, path, d.merged)
	var location location.Location
	field.Old, location, field.HasOld = values.find(d.kind.Type, path, d.old)
	if !field.HasNew {
		field.Location = location
	}
	return field
}

// conflict makes the field one that those managers have and would lose. The one of an object
// without managers is not among those before.
func (f *TouchedField) conflict(managers []string) {
	f.Why = Conflicting
	for _, name := range managers {
		if !slices.Contains(f.Before, name) {
			f.Before = append(f.Before, name)
		}
	}
	f.After = f.Before
}

// touched returns the fields that are in the package, that the applier owned or that differ,
// without those whose value and managers stay.
func (p *Prediction) touched() (*fieldpath.Set, error) {
	d := p.details
	switch {
	case d.old == nil:
		return p.asStored(d.config.Difference(systemFields).Leaves()), nil
	case !p.Changed && !d.isCleaned:
		return fieldpath.NewSet(), nil
	}
	live, err := d.converter.typed(d.live, true)
	if err != nil {
		return nil, err
	}
	merged, err := d.converter.typed(d.merged, true)
	if err != nil {
		return nil, err
	}
	different, err := d.different(live, merged)
	if err != nil {
		return nil, err
	}
	all := d.config.Union(d.own).Union(different).Difference(systemFields).Leaves().Difference(lastAppliedSet)
	if turned := p.turned(different); !turned.Empty() {
		all = all.RecursiveDifference(turned).Union(turned)
	}
	if d.isCleaned {
		return all, nil
	}
	return all.Intersection(different.Union(movedFields(p.Before, p.After))), nil
}

// turned are the fields, of those that differ, that hold something else now than a map or list, or
// a map or list in the place of something else: they change as a whole.
func (p *Prediction) turned(different *fieldpath.Set) *fieldpath.Set {
	turned := fieldpath.NewSet()
	for path := range different.Difference(different.Leaves()).All() {
		if f := p.details.field(path.Copy(), &p.values); f.turns() {
			turned.Insert(f.Path)
		}
	}
	return turned
}

// movedFields are those that a manager has only before, or only after the apply.
func movedFields(before, after []Manager) *fieldpath.Set {
	var moved []*fieldpath.Set
	add := func(these, those []Manager) {
		others := map[string][]*fieldpath.Set{}
		for _, other := range those {
			others[other.Name] = append(others[other.Name], other.Fields)
		}
		for _, manager := range these {
			fields := manager.Fields
			for _, other := range others[manager.Name] {
				fields = fields.Difference(other)
			}
			moved = append(moved, fields)
		}
	}
	add(before, after)
	add(after, before)
	return unionOf(moved)
}

// fieldsOf are those that any of the managers has.
func fieldsOf(managers []Manager) *fieldpath.Set {
	return unionOf(lists.Map(managers, func(m Manager) *fieldpath.Set { return m.Fields }))
}

// unionOf joins sets in pairs: to add one after the other would go through what is there each time.
func unionOf(sets []*fieldpath.Set) *fieldpath.Set {
	switch half := len(sets) / 2; len(sets) {
	case 0:
		return fieldpath.NewSet()
	case 1:
		return sets[0]
	default:
		return unionOf(sets[:half]).Union(unionOf(sets[half:]))
	}
}

func (d *details) why(field TouchedField) Why {
	isSent := d.config.Has(field.Path)
	switch {
	case !field.HasNew, !isSent && d.own.Has(field.Path) && !field.sameValue():
		return Removed // or reset to its default
	case !isSent && field.sameValue():
		return Left
	case len(field.After) > 1:
		return Shared
	}
	return Set
}

// Changes tells whether the value changes.
func (f TouchedField) Changes() bool { return f.Reordered || !f.sameValue() }

// turns tells whether a map or list takes the place of something else, or the other way round.
func (f *TouchedField) turns() bool {
	return f.HasOld && f.HasNew && (isNested(f.Old) || isNested(f.New)) && reflect.TypeOf(f.Old) != reflect.TypeOf(f.New)
}

func (f *TouchedField) sameValue() bool {
	return f.HasOld == f.HasNew && value.Equals(value.NewValueInterface(f.Old), value.NewValueInterface(f.New))
}

// ownersOf returns what finds the managers that own a path, also as part of what is atomic in
// their version.
func (p *Prediction) ownersOf(managers []Manager) func(fieldpath.Path) []string {
	if !slices.ContainsFunc(p.Before, func(m Manager) bool { return m.APIVersion != p.kind.APIVersion() }) {
		return ownersOf(managers)
	}
	types := lists.Map(managers, func(m Manager) *schema.Type {
		return p.schemas.Kind(schema.ParseGVK(m.APIVersion, p.kind.GVK.Kind)).Type
	})
	return func(path fieldpath.Path) (names []string) {
		for i, m := range managers {
			if (m.Fields.Has(path) || hasAround(m.Fields, path, types[i])) && !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
		return names
	}
}

// ownersInside are the managers that own a path, or something in it.
func ownersInside(managers []Manager, path fieldpath.Path) (names []string) {
	for _, m := range managers {
		inside := m.Fields
		for _, element := range path {
			if inside.Members.Has(element) {
				break
			}
			inside = inside.WithPrefix(element)
		}
		if !inside.Empty() && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// hasAround tells whether fields have an atomic list or map of the type around a path.
func hasAround(fields *fieldpath.Set, path fieldpath.Path, t *schema.Type) bool {
	for i, element := range path[:len(path)-1] {
		if t = memberOf(t, element); t == nil {
			return false
		}
		isAtomic := t.Map != nil && t.Map.Atomic || t.List != nil && t.List.Kind == schema.Atomic
		if isAtomic && fields.Has(path[:i+1]) {
			return true
		}
	}
	return false
}

// memberOf is the type one step further.
func memberOf(t *schema.Type, element fieldpath.PathElement) *schema.Type {
	if element.FieldName != nil {
		return t.Member(*element.FieldName)
	}
	return t.Element()
}

// ownersOf returns what finds the managers that own a path: of many, those that own one with its
// text.
func ownersOf(managers []Manager) func(fieldpath.Path) []string {
	const many = 16
	byText := map[string][]Manager{}
	for _, manager := range managers {
		if len(managers) < many {
			break
		}
		for path := range manager.Fields.All() {
			byText[path.String()] = append(byText[path.String()], manager)
		}
	}
	return func(path fieldpath.Path) []string {
		owners := managers
		if len(managers) >= many {
			owners = byText[path.String()]
		}
		var names []string
		for _, manager := range owners {
			if manager.Fields.Has(path) && !slices.Contains(names, manager.Name) {
				names = append(names, manager.Name)
			}
		}
		return names
	}
}
