package kubectl

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// stdinFile is the name of stdin as a file, on systems that have one.
var stdinFile = "/dev/stdin"

const versionPath = "/metadata/resourceVersion"

// patchFile returns the file from which kubectl patch reads a patch, and its stdin: an argument
// would show the patch to all users of the machine. If stdin is not a file, it is a file that only
// this user may read, which remove deletes.
func patchFile(patch []byte) (path string, stdin []byte, remove func(), err error) {
	if _, err := os.Stat(stdinFile); err == nil {
		return stdinFile, patch, func() {}, nil
	}
	file, err := os.CreateTemp("", "krm-fields-*.json") // with mode 0600
	if err != nil {
		return "", nil, nil, err
	}
	remove = func() { _ = os.Remove(file.Name()) } // it is a temporary file in any case
	_, err = file.Write(patch)
	if err := errors.Join(err, file.Close()); err != nil {
		remove()
		return "", nil, nil, err
	}
	return file.Name(), nil, remove, nil
}

// patchRaw sends a patch as it is written, so that it succeeds however often the object changes. A
// resourceVersion that the operation asks for is part of it.
func (a *Applier) patchRaw(op applyoperations.Single, t *liveTarget) (string, error) {
	if op.IsOfStatusAlone() && a.hasStatus(op.Target) {
		a.notes = append(a.notes, op.StatusAlone())
		return NotThere, nil
	}
	op.AddPatch(t.before)
	patch, version := tree.Value(op.Raw), op.ResourceVersion
	form := "merge"
	switch body := patch.(type) {
	case []any:
		form = "json"
		if version != "" {
			patch = append([]any{replaceVersion(version)}, body...)
		}
	case map[string]any:
		if version != "" {
			metadata, _ := body["metadata"].(map[string]any)
			body["metadata"] = maps.Collect(maps.All(metadata))
			body["metadata"].(map[string]any)["resourceVersion"] = version
		}
	}
	now, err := a.patch(t, form, patch, statusOf(op))
	switch {
	case err != nil:
		return Failed, a.asConflict(err, t, version)
	case now == t.resourceVersion && tree.Get(t.before, "metadata", "deletionTimestamp") == nil: // the last finalizer goes with the object
		return Unchanged, nil
	}
	return Patched, nil
}

func replaceVersion(version string) map[string]any {
	return map[string]any{"op": "replace", "path": versionPath, "value": version}
}

// patchRead sends changes that the API server refuses if the object has changed since it was read.
func (a *Applier) patchRead(op applyoperations.Single, t *liveTarget) error {
	a.Kubectl.Mask.Add(t.object.Root())
	edits := slices.DeleteFunc(changes(t.before, t.object.Root(), ""), func(edit any) bool { // a filter may delete it, which would write unlocked
		return edit.(map[string]any)["path"] == versionPath
	})
	if redact.Of(t.object.Root()).HasSecret() {
		a.Kubectl.Mask.Add(redact.Values(madeBy(op.Filter, edits)...))
	}
	patch := append([]any{replaceVersion(t.resourceVersion)}, edits...)
	_, err := a.patch(t, "json", patch, statusOf(op))
	return a.asConflict(err, t, t.resourceVersion)
}

// madeBy returns the keys and values that a filter has made, perhaps of values of a Secret: those
// that its text does not have.
func madeBy(filter string, edits []any) (made []*tree.Node) {
	var add func(n *tree.Node)
	add = func(n *tree.Node) {
		for key, member := range tree.Entries(n) {
			add(tree.NewString(key))
			add(member)
		}
		for _, element := range tree.Elements(n) {
			add(element)
		}
		if text := n.Text(); tree.Type(n) == tree.String && !strings.Contains(filter, text) {
			made = append(made, n)
		}
	}
	for _, edit := range edits {
		edit := edit.(map[string]any)
		segments := location.PointerSegments(edit["path"].(string))
		add(tree.NewString(segments[len(segments)-1]))
		if value, ok := edit["value"]; ok {
			add(tree.FromValue(value))
		}
	}
	return made
}

// statusOf are the flags for a patch of the status.
func statusOf(op applyoperations.Single) []string {
	if !op.IsStatus {
		return nil
	}
	return []string{"--subresource=status"}
}

// patch sends a patch and returns the resourceVersion of the result.
func (a *Applier) patch(t *liveTarget, form string, patch any, more []string) (string, error) {
	text, err := tree.MarshalJSON(tree.FromValue(patch))
	if err != nil {
		return "", err
	}
	path, stdin, remove, err := patchFile(text)
	if err != nil {
		return "", err
	}
	defer remove()
	flags := slices.Concat([]string{"--type=" + form, "--patch-file=" + path, "-o", "jsonpath={.metadata.resourceVersion}"}, a.common(), more)
	now, err := a.change(stdin, t.args("patch", flags...))
	return string(now), err
}

// asConflict returns an error as a conflict where the object no longer has the resourceVersion.
func (a *Applier) asConflict(err error, t *liveTarget, version string) error {
	switch {
	case isRefused(err, "Conflict"):
		return &conflictError{cause: err}
	case err == nil || version == "" || !IsExit(err):
		return err
	}
	now, _, getErr := a.Kubectl.getNamed(report.RefOf(t.object.Root()))
	if getErr == nil && (len(now) == 0 || tree.GetString(now[0].Root(), "metadata", "resourceVersion") != version) {
		return &conflictError{cause: err}
	}
	return err
}

// isRefused tells whether the API server has refused for a reason; kubectl has it in brackets.
func isRefused(err error, reason string) bool {
	failed, ok := errors.AsType[*Error](err)
	return ok && strings.Contains(failed.Stderr, "Error from server ("+reason+")")
}

// changes returns the JSON Patch that turns one map into another.
func changes(before, after *tree.Node, at string) []any {
	was, is := maps.Collect(tree.Entries(before)), maps.Collect(tree.Entries(after))
	var operations []any
	for _, key := range slices.Sorted(maps.Keys(was)) {
		path := at + "/" + location.EscapePointer(key)
		now, ok := is[key]
		switch {
		case !ok:
			operations = append(operations, map[string]any{"op": "remove", "path": path})
		case tree.Equal(was[key], now):
		case tree.IsMap(was[key]) && tree.IsMap(now):
			operations = append(operations, changes(was[key], now, path)...)
		default:
			operations = append(operations, map[string]any{"op": "replace", "path": path, "value": tree.Value(now)})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(is)) {
		if _, ok := was[key]; !ok {
			path := at + "/" + location.EscapePointer(key)
			operations = append(operations, map[string]any{"op": "add", "path": path, "value": tree.Value(is[key])})
		}
	}
	return operations
}
