package kubectl

import (
	"bytes"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Failure is an object that could not be read.
type Failure struct {
	Object *object.Object
	Err    error
}

// Get reads the live objects of a package, with their managedFields. Objects that do not exist, and
// those of kinds that the cluster does not have, are left out. Objects that could not be read, for
// example without permission, are Failures. The error is that of a cluster that can't be reached:
// an *Error, a *NotFoundError or an *OutputError.
func (k Kubectl) Get(objects []*object.Object) ([]*object.Object, []Failure, error) {
	named := slices.DeleteFunc(slices.Clone(objects), func(o *object.Object) bool { return report.RefOf(o.Root()).Name == "" })
	var live []*object.Object
	var failures []Failure
	for _, group := range k.Groups(named) {
		found, failed, err := k.getGroup(group)
		if err != nil {
			return nil, nil, err
		}
		live, failures = append(live, found...), append(failures, failed...)
	}
	return live, failures, nil
}

// Group is the objects of one call of kubectl, with their arguments.
type Group struct {
	Objects []*object.Object
	Args    []string
}

// Groups splits objects if there is a namespace for those that have none: kubectl refuses the flag
// for the others. The order stays.
func (k Kubectl) Groups(objects []*object.Object) []Group {
	var groups []Group
	for _, o := range objects {
		args := k.namespaceArgs(report.RefOf(o.Root()).Namespace)
		if last := len(groups) - 1; last >= 0 && len(groups[last].Args) == len(args) {
			groups[last].Objects = append(groups[last].Objects, o)
			continue
		}
		groups = append(groups, Group{Objects: []*object.Object{o}, Args: args})
	}
	return groups
}

// namespaceArgs are the arguments for an object in a namespace, or in none.
func (k Kubectl) namespaceArgs(namespace string) []string {
	if k.Namespace == "" || namespace != "" {
		return nil
	}
	return []string{"--namespace=" + k.Namespace}
}

// getGroup reads all objects at once. If that fails, it reads them again without those of kinds
// that the cluster does not have, since kubectl stops at them, and then each missing one
// separately, so that each has its own error.
func (k Kubectl) getGroup(g Group) ([]*object.Object, []Failure, error) {
	live, err := k.get(g)
	if err == nil || !IsExit(err) {
		return live, nil, err
	}
	known, kindsErr := k.kinds()
	if len(known) == 0 {
		return nil, nil, err
	}
	if kindsErr == nil {
		all := len(g.Objects)
		g.Objects = slices.DeleteFunc(slices.Clone(g.Objects), func(o *object.Object) bool { return !known[kindOf(o)] })
		if len(g.Objects) == 0 {
			return nil, nil, nil
		}
		if len(g.Objects) < all {
			if live, err = k.get(g); err == nil {
				return live, nil, nil
			}
		}
	}
	var failures []Failure
	for _, o := range missingIn(live, g.Objects, k.Namespace) {
		found, err := k.get(Group{Objects: []*object.Object{o}, Args: g.Args})
		if err != nil {
			failures = append(failures, Failure{Object: o, Err: err})
			continue
		}
		live = append(live, found...)
	}
	return live, failures, nil
}

func kindOf(o *object.Object) selector.Kind {
	identity := selector.Of(o.Root())
	return selector.Kind{Group: identity.Group, Kind: identity.Kind}
}

// missingIn returns the objects that have no live object.
func missingIn(live, objects []*object.Object, namespace string) []*object.Object {
	names := make([]selector.Identity, len(live))
	for i, o := range live {
		names[i] = selector.Of(o.Root()).Identity("")
	}
	index := selector.NewLive(names)
	return slices.DeleteFunc(slices.Clone(objects), func(o *object.Object) bool {
		_, found, err := index.Find(selector.Of(o.Root()).Identity(namespace))
		return found && err == nil
	})
}

// get runs kubectl get. It returns the objects in the output even if it failed.
func (k Kubectl) get(g Group) ([]*object.Object, error) {
	names, err := namesOf(g.Objects)
	if err != nil {
		return nil, err
	}
	args := append([]string{"get", "-f", "-", "-o", "yaml", "--show-managed-fields", "--ignore-not-found"}, g.Args...)
	stdout, err := k.Run(names, args...)
	live, readErr := parse(stdout)
	if err == nil {
		err = readErr
	}
	return live, err
}

// namesOf writes the names of the objects, which is all that kubectl get needs.
func namesOf(objects []*object.Object) ([]byte, error) {
	var text bytes.Buffer
	for _, o := range objects {
		ref := report.RefOf(o.Root())
		metadata := map[string]any{"name": ref.Name}
		if ref.Namespace != "" {
			metadata["namespace"] = ref.Namespace
		}
		line, err := tree.MarshalJSON(tree.FromValue(map[string]any{
			"apiVersion": ref.APIVersion, "kind": ref.Kind, "metadata": metadata,
		}))
		if err != nil {
			return nil, err
		}
		text.Write(line)
		text.WriteByte('\n')
	}
	return text.Bytes(), nil
}

// OutputError is output of kubectl get that can't be parsed.
type OutputError struct {
	Cause error
}

func (e *OutputError) Error() string {
	return "kubectl get must print objects in YAML; is the kubectl on the PATH the one of Kubernetes? " + e.Cause.Error()
}

func (e *OutputError) Unwrap() error { return e.Cause }

// parse returns the objects that kubectl wrote: a List, a document, or nothing.
func parse(stdout []byte) ([]*object.Object, error) {
	if len(bytes.TrimSpace(stdout)) == 0 {
		return nil, nil
	}
	read, err := manifests.ReadPackage([]string{manifests.Stdin}, bytes.NewReader(stdout), manifests.Options{NeedObjects: true})
	if err != nil {
		return nil, &OutputError{Cause: err}
	}
	return manifests.Objects(read.Files), nil
}

// kinds returns the kinds of the cluster. If some of its groups can't be read, it returns the
// others and the error.
func (k Kubectl) kinds() (map[selector.Kind]bool, error) {
	stdout, err := k.Run(nil, "api-resources", "--no-headers")
	kinds := map[selector.Kind]bool{}
	for line := range strings.Lines(string(stdout)) {
		// The last columns are APIVERSION, NAMESPACED and KIND; the one of short names may be
		// empty.
		columns := strings.Fields(line)
		if len(columns) < 4 {
			continue
		}
		apiVersion, kind := columns[len(columns)-3], columns[len(columns)-1]
		group, _, hasGroup := strings.Cut(apiVersion, "/")
		if !hasGroup {
			group = ""
		}
		kinds[selector.Kind{Group: group, Kind: kind}] = true
	}
	return kinds, err
}
