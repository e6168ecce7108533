package kubectl

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// GetNamed reads the live object of a name. Without an apiVersion it reads those of all groups that
// have the kind. It returns none if the object does not exist, or the cluster does not have the
// kind.
func (k Kubectl) GetNamed(ref report.Ref) ([]*object.Object, error) {
	if ref.APIVersion == "" {
		return k.getInGroups(ref)
	}
	metadata := map[string]any{"name": ref.Name}
	if ref.Namespace != "" {
		metadata["namespace"] = ref.Namespace
	}
	live, failures, err := k.Get([]*object.Object{object.NewDocument(tree.FromValue(map[string]any{
		"apiVersion": ref.APIVersion, "kind": ref.Kind, "metadata": metadata,
	}))})
	if len(failures) > 0 {
		return nil, failures[0].Err
	}
	return live, err
}

func (k Kubectl) getInGroups(ref report.Ref) ([]*object.Object, error) {
	known, err := k.kinds()
	if err != nil {
		return nil, err
	}
	var args []string
	for kind := range known {
		if kind.Kind == ref.Kind {
			args = append(args, kind.String())
		}
	}
	slices.Sort(args)
	var live []*object.Object
	for _, kind := range args {
		get := []string{"get", "-o", "yaml", "--show-managed-fields", "--ignore-not-found"}
		if ref.Namespace != "" {
			get = append(get, "--namespace="+ref.Namespace)
		}
		get = append(get, k.namespaceArgs(ref.Namespace)...)
		stdout, err := k.Run(nil, append(get, "--", kind, ref.Name)...)
		if err != nil {
			return nil, err
		}
		found, err := parse(stdout)
		if err != nil {
			return nil, err
		}
		live = append(live, found...)
	}
	return live, nil
}
