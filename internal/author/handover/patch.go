package handover

import (
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/ssa/merge"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
	"io"
)

// Patch is the JSON patch that hands over the object.
func (o *Object) Patch() []any {
	patch := []any{replaceEntries(o.sent())}
	for _, m := range o.forgotten() {
		patch = append(patch, map[string]any{"op": "remove", "path": m.at.Pointer()})
	}
	return patch
}

// sent are the entries afterwards, as they are sent and kept.
func (o *Object) sent() (entries []any) {
	for _, m := range o.entries {
		entries = append(entries, m.Entry())
	}
	return entries
}

// forgotten are the marks that go.
func (o *Object) forgotten() []Mark {
	if !o.maker.Forget {
		return nil
	}
	return o.Marks
}

// WritePatches writes the patches as operations, which krm-fields apply --operations carries out:
// the API server refuses one whose object has changed since it was read.
func (h *Handover) WritePatches(out io.Writer) error {
	for _, o := range h.Objects {
		if o.Outcome != HandOver {
			continue
		}
		var patch []any
		if version := tree.GetString(o.live, "metadata", "resourceVersion"); version != "" {
			patch = append(patch, map[string]any{"op": "replace", "path": "/metadata/resourceVersion", "value": version})
		}
		operation := map[string]any{"operation": "JSONPatch", "apiVersion": o.APIVersion, "kind": o.Kind, "name": o.Name,
			"jsonPatch": append(patch, o.Patch()...)}
		if o.Namespace != "" {
			operation["namespace"] = o.Namespace
		}
		if _, err := io.WriteString(out, "---\n"); err != nil {
			return err
		}
		if err := explain.WriteNode(out, tree.FromValue(operation)); err != nil {
			return err
		}
	}
	return nil
}

// replaceEntries replaces managedFields. To the API server, a list with an empty entry stands for
// none, since an older client may send an empty list without meaning it.
func replaceEntries(entries []any) map[string]any {
	if len(entries) == 0 {
		entries = []any{map[string]any{}}
	}
	return map[string]any{"op": "replace", "path": "/metadata/managedFields", "value": entries}
}

// after is a live object after the handover.
func (o *Object) after(live *tree.Node) *tree.Node {
	after := object.NewDocument(merge.WithManagers(live, o.entries))
	for _, m := range o.forgotten() {
		gone := m.at
		if len(location.At(after.Root(), gone[:2]).Content) == 2 {
			gone = gone[:2] // the API server drops an empty map
		}
		after.Remove([]location.Location{gone})
	}
	return after.Root()
}
