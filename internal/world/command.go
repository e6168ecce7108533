package world

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// RemoveCommand is the command that removes a field of an object from the cluster.
func RemoveCommand(ref report.Ref, field location.Location) string {
	patch, _ := tree.MarshalJSON(tree.FromValue([]any{map[string]any{"op": "remove", "path": field.Pointer()}}))
	kind := strings.ToLower(ref.Kind)
	if gvk := schema.ParseGVK(ref.APIVersion, ref.Kind); gvk.Group != "" {
		kind += "." + gvk.Version + "." + gvk.Group
	}
	command := []string{"kubectl", "patch", kind, ref.Name}
	if ref.Namespace != "" {
		command = append(command, "--namespace", ref.Namespace)
	}
	return words.Shell(append(command, "--type", "json", "--patch", string(patch)))
}
