package merge

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v6/merge"

	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// The operations of an entry.
const (
	Applied = "Apply"
	Update  = "Update"
)

// A Manager is one entry of an object's managedFields.
type Manager struct {
	Name        string
	Operation   string
	APIVersion  string
	Subresource string
	// Time is "" where the entry has none, and that of later where it is the apply's own.
	Time   string
	Fields *fieldpath.Set
}

// identity is what tells managers apart, and what the API server orders conflicts by.
type identity struct {
	Manager     string `json:"manager,omitempty"`
	Operation   string `json:"operation,omitempty"`
	APIVersion  string `json:"apiVersion,omitempty"`
	Subresource string `json:"subresource,omitempty"`
}

// identity is what tells the manager apart. An applier is one in all versions.
func (m Manager) identity() identity {
	is := identity{m.Name, m.Operation, m.APIVersion, m.Subresource}
	if m.Operation == Applied {
		is.APIVersion = ""
	}
	return is
}

// id is the identity of a manager as text.
func (m Manager) id() string {
	text, err := json.Marshal(m.identity())
	if err != nil {
		panic(err) // strings only
	}
	return string(text)
}

// isSameManager tells whether entries are of one manager. The API server does not take their times
// for a change, but their order, which follows from these.
func isSameManager(a, b Manager) bool { return a.identity() == b.identity() }

// managers are the managers of an object, by their ids: what they have, and the rest of the
// entries.
type managers struct {
	fields fieldpath.ManagedFields
	heads  map[string]Manager
}

// managersOf are the managers of the entries of an object.
func managersOf(entries []managedfields.Entry) *managers {
	all := &managers{fields: fieldpath.ManagedFields{}, heads: map[string]Manager{}}
	for _, e := range entries {
		m := Manager{Name: e.Manager, Operation: e.Operation, APIVersion: e.APIVersion, Subresource: e.Subresource, Time: e.Time}
		id := m.id()
		all.fields[id] = fieldpath.NewVersionedSet(e.Fields(), fieldpath.APIVersion(m.APIVersion), m.Operation == Applied)
		all.heads[id] = m
	}
	return all
}

func (m *managers) copy() *managers {
	return &managers{fields: m.fields.Copy(), heads: maps.Clone(m.heads)}
}

// list are the managers in the order of the API server's entries.
func (m *managers) list() []Manager {
	var all []Manager
	for id, set := range m.fields {
		manager := m.heads[id]
		manager.APIVersion, manager.Fields = string(set.APIVersion()), set.Set()
		all = append(all, manager)
	}
	slices.SortStableFunc(all, compareManagers)
	return all
}

// compareManagers orders entries as the API server does: appliers first, then by time, name,
// version and subresource.
func compareManagers(a, b Manager) int {
	return cmp.Or(strings.Compare(a.Operation, b.Operation), cmp.Compare(seconds(a.Time), seconds(b.Time)),
		strings.Compare(a.Name, b.Name), strings.Compare(a.APIVersion, b.APIVersion), strings.Compare(a.Subresource, b.Subresource))
}

// seconds is an entry's time. One without a time comes first.
func seconds(text string) int64 {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0
	}
	return t.Unix()
}

// conflictsOf are the conflicts, ordered by manager and path.
func conflictsOf(conflicts smd.Conflicts, managers *managers) []Conflict {
	conflicts = slices.Clone(conflicts)
	slices.SortStableFunc(conflicts, func(a, b smd.Conflict) int {
		return cmp.Or(strings.Compare(a.Manager, b.Manager), a.Path.Compare(b.Path))
	})
	all := make([]Conflict, len(conflicts))
	for i, conflict := range conflicts {
		all[i] = Conflict{Manager: managers.heads[conflict.Manager], Path: conflict.Path}
	}
	return all
}

// systemFields are fields that no manager has.
var systemFields = func() *fieldpath.Set {
	set := fieldpath.NewSet(fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"), fieldpath.MakePathOrDie("metadata"))
	for _, name := range []string{
		"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion",
	} {
		set.Insert(fieldpath.MakePathOrDie("metadata", name))
	}
	return set
}()

// strip takes the system's fields from a manager, and the manager out if it has none left.
func strip(fields fieldpath.ManagedFields, id string) {
	set, ok := fields[id]
	if !ok {
		return
	}
	rest := set.Set().Difference(systemFields)
	if rest.Empty() {
		delete(fields, id)
		return
	}
	fields[id] = fieldpath.NewVersionedSet(rest, set.APIVersion(), set.Applied())
}

// Stored is what would be stored, with managedFields; nil where there is no object.
func (p *Prediction) Stored() map[string]any {
	if p.Object == nil {
		return nil
	}
	return withMetadata(p.Object, func(metadata map[string]any) {
		entries, _ := tree.Value(tree.Get(p.live, "metadata", "managedFields")).([]any)
		if p.Changed {
			entries = nil
			for _, manager := range p.After {
				entries = append(entries, manager.Entry())
			}
		}
		if entries != nil {
			metadata["managedFields"] = entries
		}
	})
}

// Entry is the manager as an object has it. The time of the apply itself is left out.
func (m Manager) Entry() map[string]any {
	out := map[string]any{"manager": m.Name, "operation": m.Operation, "apiVersion": m.APIVersion, "fieldsType": "FieldsV1"}
	if m.Subresource != "" {
		out["subresource"] = m.Subresource
	}
	if m.Time != "" && m.Time != later {
		out["time"] = m.Time
	}
	text, err := m.Fields.ToJSON()
	var fields any
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err == nil {
		out["fieldsV1"] = fields
	}
	return out
}
