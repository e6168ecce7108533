package kubectl

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var (
	managedFieldsAt = location.Location{location.Key("metadata"), location.Key("managedFields")}
	namespaceAt     = location.Location{location.Key("metadata"), location.Key("namespace")}
)

// liveTarget is a live object that an operation names.
type liveTarget struct {
	object *object.Object
	before *tree.Node
	// kind and the rest name it for kubectl.
	kind, namespace, name, resourceVersion string
}

// targets reads the live objects of a name: one, none or, without apiVersion, one for each group.
// It also returns the name with the kind and apiVersion that the cluster has for it.
func (a *Applier) targets(ref report.Ref) ([]*liveTarget, report.Ref, error) {
	if ref.Name == "" {
		return nil, ref, nil // the API server makes it
	}
	live, kinds, err := a.Kubectl.getNamed(ref)
	if len(kinds) == 1 {
		ref.APIVersion, ref.Kind = kinds[0].APIVersion, kinds[0].Kind
	}
	if err != nil {
		return nil, ref, err
	}
	var targets []*liveTarget
	for _, there := range live {
		t, err := newTarget(there, ref)
		if err != nil {
			return nil, ref, err
		}
		targets = append(targets, t)
	}
	if len(targets) > 0 {
		ref.Kind = report.RefOf(live[0].Root()).Kind
	}
	return targets, ref, nil
}

func newTarget(there *object.Object, ref report.Ref) (*liveTarget, error) {
	root := there.Root()
	named := report.RefOf(root)
	t := &liveTarget{
		kind: kindArg(named), namespace: named.Namespace, name: named.Name,
		resourceVersion: tree.GetString(root, "metadata", "resourceVersion"),
	}
	gone := []location.Location{managedFieldsAt}
	if ref.Namespace == "" {
		gone = append(gone, namespaceAt) // the operation names none, and means kubectl's
	}
	gone = slices.DeleteFunc(gone, func(l location.Location) bool { return location.At(root, l) == nil })
	o := object.NewDocument(tree.Copy(root))
	if len(gone) > 0 {
		o.Remove(gone)
	}
	text, err := o.Text()
	if err != nil {
		return nil, err
	}
	if t.object, err = object.ParseDocument(text); err != nil {
		return nil, err
	}
	t.before = tree.Copy(t.object.Root())
	return t, nil
}

func (a *Applier) hasStatus(ref report.Ref) bool {
	var known schema.Schemas
	if kind := known.Kind(schema.ParseGVK(ref.APIVersion, ref.Kind)); kind.Origin == schema.Kubernetes {
		return kind.StatusSubresource
	}
	return a.Kubectl.HasStatus(ref)
}

// args are those of a command on the object, whose name can't be taken for a flag.
func (t *liveTarget) args(command string, flags ...string) []string {
	return slices.Concat([]string{command}, flags, Option("--namespace=", t.namespace), []string{"--", t.kind, t.name})
}
