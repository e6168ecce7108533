package manifestwork

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// The condition of works and of their manifests, and what the agent writes into it
// (buildAppliedStatusCondition and reconcile in
// pkg/work/spoke/controllers/manifestcontroller/manifestwork_reconciler.go).
const (
	appliedType             = "Applied"
	appliedManifestComplete = "AppliedManifestComplete"
	manifestApplied         = "Apply manifest complete"
	manifestFailed          = "Failed to process ignoreFields: "
	workApplied             = "Apply manifest work complete"
	workFailed              = "Failed to apply manifest work"
)

// writeStatus writes the outcome to the status of the work: a condition for each manifest, and one
// for the work. Conditions of other types stay. As the agent, it leaves the status of a work
// without manifests as it is.
func (t *trial) writeStatus(item *object.Object) {
	if len(t.manifests) == 0 {
		return
	}
	status := tree.Lookup(item.Root(), "status")
	message := workApplied
	if len(t.failed) > 0 {
		message = workFailed
	}
	conditions := t.applied(tree.Elements(tree.Lookup(status, "conditions")), len(t.failed) > 0, message)
	status = with(status, "conditions", conditions)
	if !t.work.isReplicaSet {
		resourceStatus := tree.Lookup(status, "resourceStatus")
		entries := t.manifestStatus(tree.Elements(tree.Lookup(resourceStatus, "manifests")))
		status = with(status, "resourceStatus", with(resourceStatus, "manifests", entries))
	}
	item.ReplaceData(with(item.Root(), "status", status))
}

// manifestStatus returns the list of the status of each manifest, based on the existing entries.
// Like the agent, it drops those that belong to no manifest.
func (t *trial) manifestStatus(entries []*tree.Node) *tree.Node {
	list := &tree.Node{Kind: tree.SequenceNode, Tag: tree.ListTag}
	for _, m := range t.manifests {
		entry := entryOf(entries, m)
		err := t.failed[m.ordinal]
		message := manifestApplied
		if err != nil {
			message = manifestFailed + t.options.Mask.Error(err, t.shown.HasSecret())
		}
		conditions := t.applied(tree.Elements(tree.Lookup(entry, "conditions")), err != nil, message)
		entry = with(entry, "resourceMeta", resourceMeta(tree.Lookup(entry, "resourceMeta"), m))
		list.Content = append(list.Content, with(entry, "conditions", conditions))
	}
	return list
}

// entryOf returns the entry of the manifest, nil for none: the one with its ordinal if several are
// for its object.
func entryOf(entries []*tree.Node, m workManifest) *tree.Node {
	var same []*tree.Node
	for _, entry := range entries {
		meta := tree.Lookup(entry, "resourceMeta")
		if tree.GetString(meta, "group") == m.Group && tree.GetString(meta, "version") == m.Version &&
			tree.GetString(meta, "kind") == m.Kind && tree.GetString(meta, "namespace") == m.Namespace &&
			tree.GetString(meta, "name") == m.Name {
			same = append(same, entry)
		}
	}
	if len(same) == 0 {
		return nil
	}
	ordinal := slices.IndexFunc(same, func(entry *tree.Node) bool {
		return tree.Equal(tree.Get(entry, "resourceMeta", "ordinal"), tree.NewInt(m.ordinal))
	})
	return same[max(ordinal, 0)]
}

// resourceMeta returns the existing resourceMeta with the ordinal of the manifest, or what the
// agent writes for it.
func resourceMeta(there *tree.Node, m workManifest) *tree.Node {
	if there != nil {
		return with(there, "ordinal", tree.NewInt(m.ordinal))
	}
	meta := with(nil, "ordinal", tree.NewInt(m.ordinal))
	for _, field := range [][2]string{
		{"group", m.Group}, {"version", m.Version}, {"kind", m.Kind}, {"resource", words.Plural(m.Kind)},
		{"name", m.Name}, {"namespace", m.Namespace},
	} {
		meta = with(meta, field[0], tree.NewString(field[1]))
	}
	return meta
}

// applied returns the conditions with the one of type Applied set. A new status has no
// lastTransitionTime, since there is no clock.
func (t *trial) applied(conditions []*tree.Node, isFailed bool, message string) *tree.Node {
	status, reason := "True", appliedManifestComplete
	if isFailed {
		status, reason = "False", report.ReasonSSAIgnoreFieldError
	}
	list := &tree.Node{Kind: tree.SequenceNode, Tag: tree.ListTag, Content: slices.Clone(conditions)}
	at := slices.IndexFunc(conditions, func(c *tree.Node) bool { return tree.GetString(c, "type") == appliedType })
	var condition *tree.Node
	if at >= 0 {
		condition = conditions[at]
		if tree.GetString(condition, "status") != status {
			condition = with(condition, "lastTransitionTime", nil)
		}
	} else {
		at = len(list.Content)
		list.Content = append(list.Content, nil)
		condition = with(nil, "type", tree.NewString(appliedType))
	}
	condition = with(condition, "status", tree.NewString(status))
	condition = with(condition, "reason", tree.NewString(reason))
	condition = with(condition, "message", tree.NewString(message))
	if generation := tree.Get(t.root, "metadata", "generation"); generation != nil {
		condition = with(condition, "observedGeneration", tree.Copy(generation))
	}
	list.Content[at] = condition
	return list
}

// with returns a copy of the map m, nil for an empty one, in which key has the value; nil for none.
func with(m *tree.Node, key string, value *tree.Node) *tree.Node {
	changed := &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag}
	isDone := value == nil
	for k, v := range tree.Entries(m) {
		if k == key && value == nil {
			continue
		} else if k == key {
			v, isDone = value, true
		}
		changed.Content = append(changed.Content, tree.NewString(k), v)
	}
	if !isDone {
		changed.Content = append(changed.Content, tree.NewString(key), value)
	}
	return changed
}
