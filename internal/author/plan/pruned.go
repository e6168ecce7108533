package plan

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
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
		for _, f := range managedfields.OwnedBy(managedfields.Of(o.Root()), []string{"*"}, o.Root()) {
			if others := slices.DeleteFunc(managersOf(f.Owners), p.isOwn); len(others) > 0 {
				pruned.Others = append(pruned.Others, OwnedField{f.Location.String(), others})
			}
		}
	}
	if found > 1 {
		pruned.Others = nil
	}
	p.Pruned = append(p.Pruned, pruned)
}

func (p *Plan) isOwn(manager string) bool { return p.as.Own(p.manager, manager) }

func managersOf(entries []managedfields.Entry) []string {
	names := words.Of(entries, func(e managedfields.Entry) string { return e.Manager })
	slices.Sort(names)
	return slices.Compact(names)
}

// String says that the object is deleted, with at most three fields of others.
func (p Pruned) String() string {
	text := p.Kind + " " + p.Name + ": deleted by the prune"
	if len(p.Others) == 0 {
		return text
	}
	fields := words.Of(p.Others, func(f OwnedField) string { return f.Path + " of " + words.All(f.Owners) })
	return text + ", with " + words.Some(fields, 3)
}
