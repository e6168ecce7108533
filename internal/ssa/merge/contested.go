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
	before := managersOf(entries)
	all := before.list()
	owners, have, compared := ownersOf(all), texts{}, map[string]bool{}
	for _, apply := range applies {
		apply.Live, apply.Entries = live, entries
		p := &predictor{schemas: schemas, kind: kind, apply: apply, live: object, version: fieldpath.APIVersion(gvk.APIVersion())}
		all, owners := all, owners
		owned := p.own(all)
		mine := slices.DeleteFunc(slices.Clone(owned), func(m Manager) bool { // what other tools have applied, though this one takes it over
			return m.Operation == Applied && m.Name != apply.Manager
		})
		prepared := p.prepared(before)
		if prepared != nil {
			all, owners = prepared, ownersOf(prepared)
		}
		if prepared == nil && len(owned) == 1 && len(mine) == 1 {
			text := have.of(mine[0])
			if compared[text] {
				continue // it has what another one has
			}
			compared[text] = true
		}
		own, others := fieldsOf(mine), map[string]bool{}
		for _, m := range all {
			if p.isOwn(m) || !p.isServed(m) || others[have.of(m)] {
				continue
			}
			others[have.of(m)] = true
			for path := range own.Intersection(m.Fields).Leaves().All() {
				if mayChange(path) && (!kind.StatusSubresource || *path[0].FieldName != "status") {
					contested.Insert(path.Copy())
					managers[path.String()] = append(managers[path.String()], owners(path)...)
				}
			}
		}
	}
	return contestsOf(contested, managers, kind.Type, object)
}

// contestsOf makes a Contest of each field of an object that its managers contest, by its path.
func contestsOf(contested *fieldpath.Set, managers map[string][]string, t *schema.Type, object map[string]any) []Contest {
	var contests []Contest
	values := finder{}
	for path := range contested.All() {
		names := managers[path.String()]
		slices.Sort(names)
		found, _, _ := values.find(t, path, object)
		m, isMap := found.(map[string]any)
		if isMap && len(m) == 0 {
			continue // which others may fill
		}
		list, _ := found.([]any)
		contests = append(contests, Contest{path.Copy(), slices.Compact(names), len(m)+len(list) > 0})
	}
	return contests
}

// prepared are the managers once the tool has done what it does before its apply; nil where that is
// nothing.
func (p *predictor) prepared(managers *managers) []Manager {
	if len(p.apply.As.Old)+len(p.apply.As.Cleans) == 0 {
		return nil
	}
	s := state{live: p.live, config: p.live, managers: managers.copy()}
	if !p.prepare(&s) {
		return nil
	}
	return s.managers.list()
}

// texts are sets of fields as text.
type texts map[*fieldpath.Set]string

// of is what a manager has, and in which version: hundreds may have the same.
func (t texts) of(m Manager) string {
	if t[m.Fields] == "" {
		text, _ := m.Fields.ToJSON() // of fields that were read from JSON
		t[m.Fields] = string(text)
	}
	return m.APIVersion + " " + t[m.Fields]
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
