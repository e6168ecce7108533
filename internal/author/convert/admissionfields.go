package convert

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/owners"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// compiled returns the fields of a rule that CEL can express, and notes the others.
func (w *admissionWriter) compiled(r *rule, fields []guarded) (compiled []guarded) {
	for _, g := range fields {
		var err error
		if g.unchanged, err = celUnchanged(g.dialect, g.text, w.types(g.targets)); err != nil {
			r.leaveOut(g.rule, "%s", err)
			continue
		}
		compiled = append(compiled, g)
	}
	return compiled
}

// guardedBy returns the fields of a rule, and notes what can't be expressed.
func (w *admissionWriter) guardedBy(r *rule) []guarded {
	switch {
	case r.condition == rules.OnSpokeChange:
		r.leaveOut(r.path+".condition", "with OnSpokeChange the package may write the field, too, and a policy does not see what it has changed")
		return nil
	case r.fromOwners:
		return w.guardedByOwners(r)
	case len(r.managers) > 0:
		return w.guardedByManagers(r)
	}
	var all []guarded
	targets, selected := r.targets(), w.selected(r)
	for _, e := range r.expressions {
		translated, err := celDialects.translate(r, e)
		if err != nil {
			r.leaveOut(e.path, "%s", err)
			continue
		}
		managers := w.ownersOf(selected, e)
		if len(managers) == 0 {
			managers = w.Owners
		}
		all = append(all, guarded{rule: e.path, field: e.text, targets: targets, dialect: translated.dialect, text: translated.text, managers: managers})
	}
	return all
}

// selected are the objects of the input that a rule selects.
func (w *admissionWriter) selected(r *rule) []*object.Object {
	selection, faults := selector.NewSelection(r.selectors, r.exclude, r.path+".selectors", r.path+".exclude")
	if len(faults) > 0 { // the reader has reported them
		return nil
	}
	return slices.DeleteFunc(slices.Clone(w.objects), func(o *object.Object) bool { return !selection.Selects(selector.Of(o.Root())) })
}

// ownedIn returns the fields of an object that other objects of the input own at present.
func (w *admissionWriter) ownedIn(o *object.Object) []owners.Ownership {
	if fields, isKnown := w.owned[o]; isKnown {
		return fields
	}
	candidate := selector.Of(o.Root())
	kind := w.schemas.Kind(schema.ParseGVK(candidate.APIVersion, candidate.Kind))
	var fields []owners.Ownership
	for _, claim := range w.owners.Of(candidate, o.AssumedNamespace, "") {
		fields = append(fields, owners.WithoutAtomic(claim.Locate(o.Root(), kind), kind)...)
	}
	w.owned[o] = slices.DeleteFunc(fields, func(f owners.Ownership) bool { return f.Left != "" })
	return w.owned[o]
}

// guardedByOwners returns the fields that objects of the input own in others.
func (w *admissionWriter) guardedByOwners(r *rule) []guarded {
	fields := guardedFields{rule: r.path + ".fromOwners", at: map[string]int{}}
	for _, o := range w.selected(r) {
		for _, f := range w.ownedIn(o) {
			managers := f.Claim.Entry.Managers
			if len(managers) == 0 {
				managers = w.Owners
			}
			fields.add(o, f.Pointer, managers)
		}
	}
	if len(fields.all) == 0 {
		r.leaveOut(r.path+".fromOwners", "no object of the input shows an owner of a field of another one; give the package beside the rules")
	}
	return fields.all
}

// guardedByManagers returns the fields that some managers own in the live objects of the input.
func (w *admissionWriter) guardedByManagers(r *rule) []guarded {
	fields := guardedFields{rule: r.path + ".managedFieldsManagers", at: map[string]int{}}
	for _, o := range w.selected(r) {
		entries, faults := managedfields.Of(o.Root())
		for _, fault := range faults {
			r.leaveOut(r.path+".managedFieldsManagers", "%s: %s", fault.Ref, fault.Message)
		}
		for _, f := range managedfields.OwnedBy(entries, r.managers, o.Root()) {
			fields.add(o, f.Location.Pointer(), r.managers)
		}
	}
	if len(fields.all) == 0 {
		r.leaveOut(r.path+".managedFieldsManagers", "no object of the input has a field that %s owns; give the live objects "+
			"(kubectl get -o yaml --show-managed-fields) beside the rules", words.List(r.managers))
	}
	return fields.all
}

// guardedFields collects fields of single objects, each once for all objects that have it.
type guardedFields struct {
	rule string
	all  []guarded
	at   map[string]int
}

func (f *guardedFields) add(o *object.Object, pointer string, managers []string) {
	key := pointer + " " + strings.Join(managers, " ")
	i, isKnown := f.at[key]
	if !isKnown {
		i, f.at[key] = len(f.all), len(f.all)
		f.all = append(f.all, guarded{rule: f.rule, field: pointer, dialect: jsonpointer.Dialect.Name, text: pointer, managers: managers})
	}
	f.all[i].targets = append(f.all[i].targets, ruleSelector{selector: selector.Naming(report.RefOf(o.Root()))})
}

// ownersOf returns the field managers of those that own what an expression finds in some objects.
func (w *admissionWriter) ownersOf(objects []*object.Object, e expression) []string {
	d, _ := expr.ByName(e.dialect)
	compiled, err := d.Parse(e.text, jq.Limits{})
	if err != nil {
		return nil
	}
	var managers []string
	for _, o := range objects {
		found, err := compiled.Locate(&expr.Input{Root: o.Root(), WithoutHint: true})
		if err != nil {
			continue // on this object the rule fails, so it finds no owner in it
		}
		for _, f := range w.ownedIn(o) {
			isOwned := func(l location.Location) bool { return l.Contains(f.Location) || f.Location.Contains(l) }
			if slices.ContainsFunc(found.Locations, isOwned) {
				managers = append(managers, f.Claim.Entry.Managers...)
			}
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(managers)))
}
