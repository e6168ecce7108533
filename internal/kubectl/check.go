package kubectl

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/world"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Check warns of what an apply of a package runs into: objects that are in it twice, that are being
// deleted, or whose kind or namespace neither the cluster nor the package has.
func (k Kubectl) Check(found Found) []report.Result {
	var results []report.Result
	warn := func(o *object.Object, reason, format string, args ...any) {
		results = append(results, report.New(report.SeverityWarning, reason, fmt.Sprintf(format, args...)).Of(o.Ref(), o.File()))
	}
	first := map[selector.Identity]*object.Object{}
	for _, o := range found.Objects {
		identity := selector.IdentityOf(o.Ref(), "")
		if identity.Name == "" {
			continue // kubectl refuses it
		}
		if other, ok := first[identity]; ok {
			place := cmp.Or(other.File().String(), "the input")
			warn(o, report.ReasonDuplicate, "the package has the object twice, first in %s; the last one that is applied wins", place)
			continue
		}
		first[identity] = o
	}
	for _, o := range found.Live {
		if !o.Mentions("deletionTimestamp") {
			continue // as most, which need not be parsed
		}
		if at := tree.GetString(o.Root(), "metadata", "deletionTimestamp"); at != "" {
			finalizers := lists.Map(tree.Elements(tree.Get(o.Root(), "metadata", "finalizers")), (*tree.Node).Text)
			if len(finalizers) > 0 {
				at += ", waiting for " + strings.Join(finalizers, ", ")
			}
			warn(o, report.ReasonBeingDeleted, "the object is being deleted (since %s): what is applied is deleted with it", at)
			results[len(results)-1].File = report.File{} // of the output of kubectl
		}
	}
	if unknown := found.WithoutDefinition(); len(unknown) > 0 {
		known, _ := k.Resources() // without them there is no near one
		for _, o := range unknown {
			warn(o, report.ReasonKindMissing, "the package has no CustomResourceDefinition of the kind, and %s", unknownKind(o.Ref(), known))
		}
	}
	if !found.IsAsked {
		return results
	}
	namespaces := missingNamespaces(found.Objects, found.Live)
	for _, name := range k.without("namespaces", slices.Sorted(maps.Keys(namespaces))) {
		warn(namespaces[name], report.ReasonNamespaceMissing, "%s", world.NoNamespace(name))
	}
	return results
}

// WithoutDefinition returns those of the unknown objects whose kind the package does not define.
func (f Found) WithoutDefinition() []*object.Object {
	if len(f.Unknown) == 0 {
		return nil
	}
	defined := world.MadeBy(f.Objects).Kinds
	return slices.DeleteFunc(slices.Clone(f.Unknown), func(o *object.Object) bool { return defined[kindOf(o)] })
}

// missingNamespaces returns namespaces that nothing shows to exist, with the first object of each.
func missingNamespaces(objects, live []*object.Object) map[string]*object.Object {
	missing, made, there := map[string]*object.Object{}, world.MadeBy(objects).Namespaces, map[string]bool{"": true}
	for _, o := range live {
		there[o.Ref().Namespace] = true
	}
	for _, o := range objects {
		if name := o.Ref().Namespace; !there[name] && !made[name] && missing[name] == nil {
			missing[name] = o
		}
	}
	return missing
}

// without returns those names of which the cluster has no object; none if it can't be asked.
func (k Kubectl) without(resource string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	stdout, err := k.Run(nil, append([]string{"get", "-o", "name", "--ignore-not-found", "--", resource}, names...)...)
	if err != nil {
		return nil
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(stdout)) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "/")
		there[name] = true
	}
	return slices.DeleteFunc(names, func(name string) bool { return there[name] })
}

// Definitions reads the CustomResourceDefinitions of the objects' kinds that are not of Kubernetes;
// a schema that is shipped is of one release. There are none where the cluster does not show them.
func (k Kubectl) Definitions(objects []*object.Object) []*object.Object {
	var known schema.Schemas
	custom := map[selector.GroupKind]bool{}
	for _, o := range objects {
		if known.Kind(gvkOf(o)).Origin != schema.Kubernetes {
			custom[kindOf(o)] = true
		}
	}
	if len(custom) == 0 {
		return nil
	}
	resources, _ := k.Resources() // those that can be read
	var names []string
	for _, r := range resources {
		if custom[r.GroupKind] {
			names = append(names, r.Plural+"."+r.GroupKind.Group)
		}
	}
	if names == nil {
		return nil
	}
	definitions, _ := k.read(nil, append([]string{"--", "customresourcedefinitions.apiextensions.k8s.io"}, names...)...)
	for _, o := range definitions {
		o.IsSchema = true
	}
	return definitions
}
