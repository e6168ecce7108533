package plan

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Pruned is an object that kubectl would delete.
type Pruned struct {
	// Kind is the kind as kubectl prints it: deployment.apps.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Others are the fields that other managers own, which go with the object.
	Others []OwnedField `json:"others,omitempty"`
}

// OwnedField is a field and the managers that own it.
type OwnedField struct {
	Path   string   `json:"path"`
	Owners []string `json:"owners"`
}

// AddPruned adds an object that kubectl would delete. What others own in it is known if it is one
// of the live objects, and the only one of its kind and name.
func (p *Plan) AddPruned(ref report.Ref, live []*object.Object) {
	pruned := Pruned{Kind: ref.Kind, Name: ref.Name}
	found := 0
	for _, o := range live {
		there := o.Ref()
		if there.Name != ref.Name || !strings.EqualFold(strings.TrimSuffix(there.Kind+"."+there.Group(), "."), ref.Kind) {
			continue
		}
		found++
		pruned.Others = append(pruned.Others, p.othersIn(o)...)
	}
	if found > 1 {
		pruned.Others = nil
	}
	p.Pruned = append(p.Pruned, pruned)
}

// othersIn are the fields of a live object that other managers own.
func (p *Plan) othersIn(live *object.Object) (others []OwnedField) {
	entries, _ := managedfields.Of(live.Root())
	for _, f := range managedfields.OwnedBy(entries, []string{"*"}, live.Root()) {
		if names := slices.DeleteFunc(managersOf(f.Owners), p.isOwn); len(names) > 0 {
			others = append(others, OwnedField{f.Location.String(), names})
		}
	}
	return others
}

func (p *Plan) isOwn(manager string) bool { return p.as.Own(p.manager, manager) }

func managersOf(entries []managedfields.Entry) []string {
	names := lists.Map(entries, func(e managedfields.Entry) string { return e.Manager })
	slices.Sort(names)
	return slices.Compact(names)
}

// String says that the object is deleted, with at most three fields of others.
func (p Pruned) String() string {
	return p.Kind + " " + p.Name + ": deleted by the prune" + withOthers(p.Others)
}

func withOthers(others []OwnedField) string {
	if len(others) == 0 {
		return ""
	}
	fields := lists.Map(others, func(f OwnedField) string { return f.Path + " of " + words.All(f.Owners) })
	return ", with " + words.Some(fields, 3)
}
