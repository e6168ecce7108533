package handover

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// kindOfFile tells a file of Saved from others.
const kindOfFile = "Handover"

// Saved is what objects had before handovers, in their order, so that it can be put back. A file
// may have several handovers of an object.
type Saved struct {
	Kind    string   `json:"kind"`
	Objects []Record `json:"objects"`
}

// Record is one object: its entries, without and with the handover, and what was removed.
type Record struct {
	report.Ref
	UID    string `json:"uid,omitempty"`
	Before []any  `json:"before"`
	After  []any  `json:"after"`
	// Removed are `labels` and `annotations`.
	Removed map[string]map[string]string `json:"removed,omitempty"`
}

// UndoManager is the field manager that puts labels and annotations back, until the entries are.
const UndoManager = "krm-fields-handover"

// record is what is kept of the object.
func (o *Object) record() Record {
	r := Record{
		Ref: o.Ref, UID: tree.GetString(o.live, "metadata", "uid"), Before: entriesOf(o.live), After: o.sent(),
		Removed: map[string]map[string]string{},
	}
	for _, m := range o.forgotten() {
		field, key := m.at[1].Key, m.at[2].Key
		if r.Removed[field] == nil {
			r.Removed[field] = map[string]string{}
		}
		r.Removed[field][key] = tree.GetString(o.live, "metadata", field, key)
	}
	return r
}

func entriesOf(live *tree.Node) []any {
	entries, _ := tree.Value(tree.Get(live, "metadata", "managedFields")).([]any)
	return entries
}

// ReadSaved reads a file that WriteFile has written.
func ReadSaved(path string) (*Saved, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	saved := &Saved{}
	if err := json.Unmarshal(text, saved); err != nil {
		return nil, fmt.Errorf("%s must be a file of krm-fields handover --save: %w", path, err)
	}
	if saved.Kind != kindOfFile {
		return nil, fmt.Errorf("%s must be a file of krm-fields handover --save, with kind: %s, found kind: %q", path, kindOfFile, saved.Kind)
	}
	return saved, nil
}

// With is what was saved, and what the objects to hand over have.
func (s *Saved) With(h *Handover) *Saved {
	all := &Saved{Kind: kindOfFile, Objects: slices.Clone(s.Objects)}
	for _, o := range h.Objects {
		if o.isPatched() {
			all.Objects = append(all.Objects, o.record())
		}
	}
	return all
}

// WriteFile replaces a file, which only this user may read: annotations may have a Secret's values.
func (s *Saved) WriteFile(path string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return manifests.WriteFile(path, append(text, '\n'), 0o600)
}

// Undo returns the patches that put back what the object had: first labels and annotations, then
// the entries. There are none where it has all of it, or all that it had before an earlier record.
// The error says who has written since.
func (r Record) Undo(live *tree.Node, earlier []Record) (removed, entries []any, err error) {
	if uid := tree.GetString(live, "metadata", "uid"); r.UID != "" && uid != r.UID {
		return nil, nil, fmt.Errorf("the object has been deleted and created since: its uid was %s, found %s", r.UID, uid)
	}
	now := entriesOf(live)
	isBack := len(differing(now, r.Before)) == 0
	wasUndone := func(e Record) bool { return e.Ref == r.Ref && e.UID == r.UID && len(differing(now, e.Before)) == 0 }
	switch others := differing(now, r.After); {
	case len(others) == 0 || isBack:
	case slices.ContainsFunc(earlier, wasUndone):
		return nil, nil, nil
	default:
		return nil, nil, fmt.Errorf("the entries of %s are not as the handover wrote them, so nothing is put back", words.All(others))
	}
	for _, field := range []string{"annotations", "labels"} {
		there := tree.Get(live, "metadata", field)
		var missing []any
		for _, key := range slices.Sorted(maps.Keys(r.Removed[field])) {
			if tree.Lookup(there, key) == nil {
				path := "/metadata/" + field + "/" + location.EscapePointer(key)
				missing = append(missing, map[string]any{"op": "add", "path": path, "value": r.Removed[field][key]})
			}
		}
		if there == nil && missing != nil {
			removed = append(removed, map[string]any{"op": "add", "path": "/metadata/" + field, "value": map[string]any{}})
		}
		removed = append(removed, missing...)
	}
	if isBack && removed == nil {
		return nil, nil, nil
	}
	kept := slices.DeleteFunc(slices.Clone(now), func(e any) bool { return subresource(e) == "" })
	back := slices.DeleteFunc(slices.Clone(r.Before), func(e any) bool { return subresource(e) != "" })
	return removed, []any{replaceEntries(append(back, kept...))}, nil
}

func subresource(entry any) string {
	fields, _ := entry.(map[string]any)
	name, _ := fields["subresource"].(string)
	return name
}

// differing names the managers whose entries for the object itself differ, times and order apart.
func differing(a, b []any) []string {
	count := map[string]int{}
	names := map[string]string{}
	add := func(entries []any, by int) {
		for _, e := range entries {
			fields, _ := e.(map[string]any)
			name, _ := fields["manager"].(string)
			if len(fields) == 0 || subresource(e) != "" || name == UndoManager {
				continue
			}
			timeless := maps.Clone(fields)
			delete(timeless, "time")
			text, _ := json.Marshal(timeless) // of JSON
			count[string(text)] += by
			names[string(text)] = name
		}
	}
	add(a, 1)
	add(b, -1)
	var all []string
	for text, n := range count {
		if n != 0 && !slices.Contains(all, names[text]) {
			all = append(all, names[text])
		}
	}
	slices.Sort(all)
	return all
}

// FreeName returns a name for a file that does not exist.
func FreeName(from, to string) string {
	name := fmt.Sprintf("handover-%s-to-%s.json", from, to)
	for i := 2; ; i++ {
		if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
			return name
		}
		name = fmt.Sprintf("handover-%s-to-%s-%d.json", from, to, i)
	}
}
