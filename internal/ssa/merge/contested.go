package merge

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// A Contest is a field that a tool has and others have, too: the next apply of the tool that
// changes the field is in conflict with them, or takes it over from them.
type Contest struct {
	Path     fieldpath.Path
	Managers []string
	// IsWhole is true for a list or map with content that has its owners as a whole.
	IsWhole bool
}

// Contested returns the fields of a live object that a next apply of a tool that has applied it may
// be in conflict about.
func Contested(schemas *schema.Schemas, live *tree.Node, entries []managedfields.Entry) []Contest {
	applies := appliers(entries)
	if len(applies) == 0 {
		return nil // as for most, of which the entries need not be read
	}
	object := dataOf(live)
	gvk := kindOf(object)
	kind := schemas.Kind(gvk)
	contested, managers := fieldpath.NewSet(), map[string][]string{}
	for _, apply := range applies {
		apply.Live, apply.Entries = live, entries
		p := &predictor{schemas: schemas, kind: kind, apply: apply, live: object, version: fieldpath.APIVersion(gvk.APIVersion())}
		s := state{live: object, config: object, managers: managersOf(entries)}
		own := fieldpath.NewSet() // without what other tools have applied, though this one takes it over
		for _, m := range s.managers.list() {
			if p.isOwn(m) && (m.Operation != Applied || m.Name == apply.Manager) {
				own = own.Union(m.Fields)
			}
		}
		p.prepare(&s)
		all := s.managers.list()
		owners := ownersOf(all)
		for _, m := range all {
			if p.isOwn(m) || !p.isServed(m) {
				continue
			}
			for path := range own.Intersection(m.Fields).Leaves().All() {
				if mayChange(path) && (!kind.StatusSubresource || *path[0].FieldName != "status") {
					contested.Insert(path.Copy())
					managers[path.String()] = append(managers[path.String()], owners(path)...)
				}
			}
		}
	}
	var contests []Contest
	values := finder{}
	for path := range contested.All() {
		names := managers[path.String()]
		slices.Sort(names)
		found, _, _ := values.find(kind.Type, path, object)
		m, isMap := found.(map[string]any)
		if isMap && len(m) == 0 {
			continue // which others may fill
		}
		list, _ := found.([]any)
		contests = append(contests, Contest{path.Copy(), slices.Compact(names), len(m)+len(list) > 0})
	}
	return contests
}

// mayChange tells whether an apply can change what is at a path: elements of lists only come and
// go, and so does what names them.
func mayChange(path fieldpath.Path) bool {
	last := len(path) - 1
	if path[last].FieldName == nil || last == 0 || path[last-1].Key == nil {
		return path[last].FieldName != nil
	}
	return !slices.ContainsFunc(*path[last-1].Key, func(k value.Field) bool { return k.Name == *path[last].FieldName })
}

// appliers are the applies of the tools that have applied an object.
func appliers(entries []managedfields.Entry) []Apply {
	var all []Apply
	for _, e := range entries {
		if !e.Applies() {
			continue
		}
		apply := Apply{Manager: e.Manager, As: managedfields.ToolWith(e.Manager)}
		if apply.As == nil {
			apply.As = managedfields.ToolOf(e.Manager)
		} else if e.Operation == Update {
			apply.Manager = apply.As.Manager
		}
		if !slices.ContainsFunc(all, func(known Apply) bool { return known.Manager == apply.Manager }) {
			all = append(all, apply)
		}
	}
	return all
}
