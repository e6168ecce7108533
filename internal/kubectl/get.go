package kubectl

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/parallel"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Failure is an object that could not be read.
type Failure struct {
	Object *object.Object
	Err    error
}

// Found is what a cluster has of a package.
type Found struct {
	// Objects are those of the package that are for a cluster, and Live those of the cluster.
	Objects, Live []*object.Object
	// Failures are objects that could not be read, for example without permission.
	Failures []Failure
	// IsAsked is true if the cluster was asked, so that what is not found is not there.
	IsAsked bool
	// Unknown are objects of kinds that the cluster does not have.
	Unknown []*object.Object
}

// Err is the error of the objects that could not be read; nil if all could.
func (f Found) Err() error {
	var faults []error
	for _, failure := range f.Failures {
		faults = append(faults, fmt.Errorf("%s: %w", report.RefOf(failure.Object.Root()), failure.Err))
	}
	return errors.Join(faults...)
}

// Get reads the live objects of a package, with their managedFields. Objects that do not exist are
// left out. The error is that of a cluster that can't be reached.
func (k Kubectl) Get(objects []*object.Object) (Found, error) {
	named := slices.DeleteFunc(slices.Clone(objects), func(o *object.Object) bool { return report.RefOf(o.Root()).Name == "" })
	live, named, err := k.getLists(named)
	if err != nil {
		return Found{}, err
	}
	groups := k.groups(named, max(maxObjects, shareOf(len(named), maxNames)))
	parts := make([]Found, len(groups))
	err = parallel.EachBy(atOnce, len(groups), func(i int) (err error) {
		parts[i], err = k.getGroup(groups[i])
		return err
	}, func() {})
	if err != nil {
		return Found{}, err
	}
	found := Found{IsAsked: true, Live: live}
	for _, part := range parts {
		found.Live, found.Failures = append(found.Live, part.Live...), append(found.Failures, part.Failures...)
		found.Unknown = append(found.Unknown, part.Unknown...)
	}
	return found, nil
}

// Group is the objects of one call of kubectl, with their arguments.
type Group struct {
	Objects []*object.Object
	Args    []string
}

// maxObjects bounds the objects of one call of kubectl, and maxNames those that one reads.
const (
	maxObjects = 100
	maxNames   = 250
)

// groups splits objects into those of calls with the same arguments, at most a number each: kubectl
// refuses a namespace for those that have one. In a group, the order stays.
func (k Kubectl) groups(objects []*object.Object, most int) []Group {
	var groups []Group
	last := map[int]int{} // of the groups with a number of arguments
	for _, o := range objects {
		var args []string
		if report.RefOf(o.Root()).Namespace == "" {
			args = Option("--namespace=", k.Namespace)
		}
		i, ok := last[len(args)]
		if !ok || len(groups[i].Objects) == most {
			i = len(groups)
			last[len(args)], groups = i, append(groups, Group{Args: args})
		}
		groups[i].Objects = append(groups[i].Objects, o)
	}
	return groups
}

// getGroup reads all objects at once. If that fails, it reads them again without those of kinds
// that the cluster does not have, since kubectl stops at them, and then each missing one
// separately, so that each has its own error.
func (k Kubectl) getGroup(g Group) (found Found, err error) {
	live, err := k.get(g)
	if err == nil || !IsExit(err) {
		return Found{Live: live}, err
	}
	known, kindsErr := k.Resources()
	if len(known) == 0 {
		return found, err
	}
	if kindsErr == nil {
		all := g.Objects
		g.Objects = nil
		for _, o := range all {
			if slices.ContainsFunc(known, func(r Resource) bool { return r.GroupKind == kindOf(o) }) {
				g.Objects = append(g.Objects, o)
			} else {
				found.Unknown = append(found.Unknown, o)
			}
		}
		if len(g.Objects) == 0 {
			return found, nil
		}
		if len(g.Objects) < len(all) {
			if live, err = k.get(g); err == nil {
				found.Live = live
				return found, nil
			}
		}
	}
	found.Live = live
	find := Finder(live, k.Namespace)
	for _, o := range g.Objects {
		if find(o) != nil {
			continue
		}
		live, err := k.get(Group{Objects: []*object.Object{o}, Args: g.Args})
		if err != nil {
			found.Failures = append(found.Failures, Failure{Object: o, Err: err})
			continue
		}
		found.Live = append(found.Live, live...)
	}
	return found, nil
}

// Finder returns a function that finds the live object for one of a package, nil if there is none.
func Finder(live []*object.Object, namespace string) func(*object.Object) *object.Object {
	index := selector.NewLive()
	for _, o := range live {
		index.Add(selector.IdentityOf(o.Ref(), ""), o.Root)
	}
	return func(o *object.Object) *object.Object {
		i, found, err := index.Find(selector.Of(o.Root()).Identity(namespace))
		if !found || err != nil {
			return nil
		}
		return live[i]
	}
}

// get runs kubectl get with the names of objects, which is all that it needs. It returns the
// objects in the output even if it failed.
func (k Kubectl) get(g Group) ([]*object.Object, error) {
	var names bytes.Buffer
	for _, o := range g.Objects {
		line, err := tree.MarshalJSON(Named(report.RefOf(o.Root())))
		if err != nil {
			return nil, err
		}
		names.Write(append(line, '\n'))
	}
	return k.read(names.Bytes(), g.Args...)
}

// read reads objects by kubectl get, with their managedFields: those that stdin names, if it does.
func (k Kubectl) read(stdin []byte, args ...string) ([]*object.Object, error) {
	get := []string{"get"}
	if stdin != nil {
		get = append(get, "-f", "-")
	}
	get = append(get, "-o", "json", "--show-managed-fields", "--ignore-not-found") // in YAML, kubectl takes three times as long
	stdout, err := k.Run(stdin, append(get, args...)...)
	objects, readErr := k.objectsIn(stdout, "get")
	return objects, cmp.Or(err, readErr)
}

// objectsIn returns the objects that a command of kubectl has printed.
func (k Kubectl) objectsIn(stdout []byte, command string) ([]*object.Object, error) {
	if len(bytes.TrimSpace(stdout)) == 0 {
		return nil, nil
	}
	read, err := manifests.ReadPackage([]string{manifests.Stdin}, bytes.NewReader(stdout), manifests.Options{NeedObjects: true})
	if err != nil {
		return nil, fmt.Errorf("kubectl %s must print objects in YAML; is the kubectl on the PATH the one of Kubernetes? %w", command, err)
	}
	objects := manifests.Objects(read.Files)
	for _, o := range objects {
		o.AddTo(k.Mask)
	}
	return objects, nil
}

// getNamed reads the live object of a name, whose kind may be any name of it, and returns the kinds
// that are meant. Without an apiVersion these are those of all groups that have the kind. There is
// none if the object does not exist. The error may be an *UnknownKindError.
func (k Kubectl) getNamed(ref report.Ref) ([]*object.Object, []report.Ref, error) {
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
		if !r.isMeant(ref) {
			continue
		}
		kind := ref
		kind.Kind, kind.APIVersion = r.GroupKind.Kind, cmp.Or(ref.APIVersion, r.APIVersion)
		kinds = append(kinds, kind)
		namespace := Option("--namespace=", cmp.Or(ref.Namespace, k.Namespace))
		found, err := k.read(nil, append(namespace, "--", kindArg(kind), kind.Name)...)
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

// Names returns at most limit names of a kind; none where they can't be read.
func (k Kubectl) Names(ref report.Ref, limit int) []report.Ref {
	const form = `jsonpath={range .items[*]}{.metadata.namespace}{" "}{.metadata.name}{"\n"}{end}`
	stdout, err := k.Run(nil, "get", "--all-namespaces", "-o", form, "--", kindArg(ref))
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

// HasStatus tells whether a kind has the subresource status; false where the API server does not
// say.
func (k Kubectl) HasStatus(ref report.Ref) bool {
	stdout, _ := k.Run(nil, "get", "--raw="+apiPath(ref)) // an error is on stderr, and stdout is no JSON
	var list struct{ Resources []struct{ Name, Kind string } }
	_ = json.Unmarshal(stdout, &list)
	return slices.ContainsFunc(list.Resources, func(r struct{ Name, Kind string }) bool {
		return r.Kind == ref.Kind && strings.HasSuffix(r.Name, "/status")
	})
}

// apiPath is that of an API version on an API server: /api/v1, /apis/apps/v1.
func apiPath(ref report.Ref) string {
	group, version := report.GroupVersion(ref.APIVersion)
	if group == "" {
		return "/api/" + url.PathEscape(version)
	}
	return "/apis/" + url.PathEscape(group) + "/" + url.PathEscape(version)
}

// Named returns an object that has only its name.
func Named(ref report.Ref) *tree.Node {
	metadata := map[string]any{"name": ref.Name}
	if ref.Namespace != "" {
		metadata["namespace"] = ref.Namespace
	}
	return tree.FromValue(map[string]any{"apiVersion": ref.APIVersion, "kind": ref.Kind, "metadata": metadata})
}

// kindArg names a kind for kubectl: `Deployment.v1.apps`, `ConfigMap.v1.`.
func kindArg(ref report.Ref) string {
	gvk := schema.ParseGVK(ref.APIVersion, ref.Kind)
	return gvk.Kind + "." + gvk.Version + "." + gvk.Group
}

// gvkOf is the kind of an object with its version, and kindOf the same without.
func gvkOf(o *object.Object) schema.GVK {
	ref := report.RefOf(o.Root())
	return schema.ParseGVK(ref.APIVersion, ref.Kind)
}

func kindOf(o *object.Object) selector.GroupKind { return selector.KindOf(report.RefOf(o.Root())) }
