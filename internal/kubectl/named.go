package kubectl

import (
	"encoding/json"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// GetNamed reads the live object of a name, whose kind may be any name of it, and returns the kinds
// that are meant. Without an apiVersion these are those of all groups that have the kind. There is
// none if the object does not exist. The error may be an *UnknownKindError.
func (k Kubectl) GetNamed(ref report.Ref) ([]*object.Object, []report.Ref, error) {
	if ref.APIVersion != "" {
		found, err := k.Get([]*object.Object{object.NewDocument(Named(ref))})
		switch {
		case err != nil:
			return nil, nil, err
		case len(found.Failures) > 0:
			return nil, nil, found.Failures[0].Err
		case len(found.Unknown) == 0:
			return found.Live, []report.Ref{ref}, nil
		}
	}
	resources, err := k.Resources()
	var live []*object.Object
	var kinds []report.Ref
	for _, r := range resources {
		if !r.IsNamed(ref.Kind) || ref.APIVersion != "" && groupOf(ref.APIVersion) != r.Group {
			continue
		}
		kind := ref
		if kind.Kind = r.Kind.Kind; kind.APIVersion == "" {
			kind.APIVersion = r.APIVersion
		}
		kinds = append(kinds, kind)
		found, err := k.getOf(kind)
		if err != nil {
			return nil, kinds, err
		}
		live = append(live, found...)
	}
	if kinds == nil && err == nil {
		err = unknownKind(ref, resources)
	}
	return live, kinds, err
}

// getOf reads the object of a name.
func (k Kubectl) getOf(ref report.Ref) ([]*object.Object, error) {
	get := []string{"get", "-o", "yaml", "--show-managed-fields", "--ignore-not-found"}
	if ref.Namespace != "" {
		get = append(get, "--namespace="+ref.Namespace)
	}
	get = append(get, k.namespaceArgs(ref.Namespace)...)
	stdout, err := k.Run(nil, append(get, "--", KindArg(ref), ref.Name)...)
	if err != nil {
		return nil, err
	}
	return parse(stdout)
}

// Names returns the names of at most limit objects that the cluster has of a kind; none where they
// can't be read.
func (k Kubectl) Names(ref report.Ref, limit int) []report.Ref {
	const form = `jsonpath={range .items[*]}{.metadata.namespace}{" "}{.metadata.name}{"\n"}{end}`
	stdout, err := k.Run(nil, "get", "--all-namespaces", "-o", form, "--", KindArg(ref))
	if err != nil {
		return nil
	}
	var names []report.Ref
	for line := range strings.Lines(string(stdout)) {
		if len(names) == limit {
			break
		}
		named := ref
		named.Namespace, named.Name, _ = strings.Cut(strings.TrimRight(line, "\n"), " ")
		names = append(names, named)
	}
	return names
}

// HasSubresource tells whether a kind has a subresource; false where the API server does not say.
func (k Kubectl) HasSubresource(ref report.Ref, subresource string) bool {
	path := "/apis/" + ref.APIVersion
	if groupOf(ref.APIVersion) == "" {
		path = "/api/" + ref.APIVersion
	}
	stdout, err := k.Run(nil, "get", "--raw="+path)
	if err != nil {
		return false
	}
	var list struct{ Resources []struct{ Name, Kind string } }
	if json.Unmarshal(stdout, &list) != nil {
		return false
	}
	for _, r := range list.Resources {
		if r.Kind == ref.Kind && strings.HasSuffix(r.Name, "/"+subresource) {
			return true
		}
	}
	return false
}

// Named returns an object that has only its name.
func Named(ref report.Ref) *tree.Node {
	metadata := map[string]any{"name": ref.Name}
	if ref.Namespace != "" {
		metadata["namespace"] = ref.Namespace
	}
	return tree.FromValue(map[string]any{"apiVersion": ref.APIVersion, "kind": ref.Kind, "metadata": metadata})
}

// KindArg names a kind for kubectl: `Deployment.v1.apps`, `ConfigMap.v1.`.
func KindArg(ref report.Ref) string {
	_, version, found := strings.Cut(ref.APIVersion, "/")
	if !found {
		version = ref.APIVersion
	}
	return ref.Kind + "." + version + "." + groupOf(ref.APIVersion)
}

func groupOf(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}
