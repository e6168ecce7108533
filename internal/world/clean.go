package world

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Clean removes from an object of a cluster what only a server sets: its fields of metadata, the
// status, annotations of kubectl and of controllers, what it has allocated, and the values that are
// the schema's defaults, so that a manifest remains. The results are about what may stay in vain,
// and about replicas that others scale, other than the pointers that a rule of the run takes out.
func Clean(o *object.Object, schemas *schema.Schemas, ruled []string) []report.Result {
	root := o.Root()
	found, unknown := allocatedIn(root)
	results := scaledResult(o, ruled)
	at := func(keys ...string) {
		if tree.Get(root, keys...) == nil {
			return
		}
		l := location.Location{}
		for _, key := range keys {
			l = l.With(location.Key(key))
		}
		found = append(found, l)
	}
	for _, name := range schema.ServerSet {
		at("metadata", name)
	}
	at("status")
	found = slices.Concat(found, nullTimes(root, nil), doubled(root), byControllers(root))
	annotations := tree.Get(root, "metadata", "annotations")
	others := 0
	for key := range tree.Entries(annotations) {
		if slices.Contains(controllerAnnotations, key) {
			at("metadata", "annotations", key)
		} else {
			others++
		}
	}
	if annotations != nil && others == 0 {
		at("metadata", "annotations")
	}
	o.Remove(found)
	data, isMap := tree.Value(o.Root()).(map[string]any)
	kind := schemas.Kind(schema.ParseGVK(tree.GetString(root, "apiVersion"), tree.GetString(root, "kind")))
	if isMap && kind != nil {
		o.Remove(defaults(kind, data))
	}
	return append(results, unknownResult(o, slices.DeleteFunc(unknown, func(pointer string) bool { return slices.Contains(ruled, pointer) }))...)
}

// controllerFinalizers are put there by the control plane alone.
var controllerFinalizers = []string{
	"kubernetes.io/pvc-protection", "kubernetes.io/pv-protection", "foregroundDeletion", "orphan",
	"service.kubernetes.io/load-balancer-cleanup", "batch.kubernetes.io/job-tracking",
}

// generatedSecret is the name of a Secret that the control plane, or that of OpenShift, makes for a
// ServiceAccount.
var generatedSecret = words.Pattern(`^-(token|dockercfg)-[a-z0-9]{5}$`)

// byControllers returns the places of list elements that only controllers add: finalizers, and the
// generated Secrets of a ServiceAccount. A list of nothing else goes as a whole.
func byControllers(root *tree.Node) []location.Location {
	found := elements(root, "/metadata/finalizers", func(n *tree.Node) bool { return slices.Contains(controllerFinalizers, n.Text()) })
	switch kindOf(root) {
	case "v1 Namespace": // which the server gives a finalizer of its own
		if spec := tree.Value(tree.Lookup(root, "spec")); reflect.DeepEqual(spec, map[string]any{"finalizers": []any{"kubernetes"}}) {
			found = append(found, location.Location{location.Key("spec")})
		}
		return found
	case "v1 ServiceAccount":
	default:
		return found
	}
	isGenerated := func(n *tree.Node) bool {
		rest, isOwn := strings.CutPrefix(tree.GetString(n, "name"), tree.GetString(root, "metadata", "name"))
		return isOwn && generatedSecret().MatchString(rest)
	}
	return slices.Concat(found, elements(root, "/secrets", isGenerated), elements(root, "/imagePullSecrets", isGenerated))
}

// elements returns the places of the elements of a list that match; that of the list if all do.
func elements(root *tree.Node, pointer string, matches func(*tree.Node) bool) (found []location.Location) {
	for _, list := range places(pointer, root) {
		all := tree.Elements(location.At(root, list))
		for i, element := range all {
			if matches(tree.Deref(element)) {
				found = append(found, list.With(location.Index(i)))
			}
		}
		if len(all) > 0 && len(found) == len(all) {
			return []location.Location{list}
		}
	}
	return found
}

// podSpecs are where kinds of Kubernetes have the spec of a Pod.
var podSpecs = []string{"/spec", "/spec/template/spec", "/spec/jobTemplate/spec/template/spec", "/template/spec"}

// doubled returns the places of the deprecated serviceAccount, which the server sets beside
// serviceAccountName.
func doubled(root *tree.Node) []location.Location {
	var found []location.Location
	for _, pointer := range podSpecs {
		for _, at := range places(pointer, root) {
			spec := location.At(root, at)
			name := tree.GetString(spec, "serviceAccountName")
			if name != "" && name == tree.GetString(spec, "serviceAccount") && tree.Lookup(spec, "containers") != nil {
				found = append(found, at.With(location.Key("serviceAccount")))
			}
		}
	}
	return found
}

// nullTimes returns the places of creationTimestamp: null, which programs in Go write.
func nullTimes(n *tree.Node, at location.Location) []location.Location {
	var found []location.Location
	for key, value := range tree.Entries(n) {
		l := at.With(location.Key(key))
		if key == "creationTimestamp" && tree.Type(value) == tree.Null && len(at) > 1 {
			found = append(found, l)
		}
		found = append(found, nullTimes(tree.Deref(value), l)...)
	}
	for i, element := range tree.Elements(n) {
		found = append(found, nullTimes(tree.Deref(element), at.With(location.Index(i)))...)
	}
	return found
}

// defaults returns the places of an object whose values the server would set again.
func defaults(kind *schema.Kind, data map[string]any) []location.Location {
	s := defaultSearch{kind: kind, filled: copyOf(data, nil, location.NewSet()).(map[string]any)}
	kind.Fill(s.filled)
	filled := copyOf(s.filled, nil, location.NewSet()) // a trial may remove what another member excludes
	s.visit(s.filled, nil)
	// One default may depend on another, such as the port of a probe on that of its container.
	for {
		rest := copyOf(data, nil, location.NewSet(s.found...)).(map[string]any)
		kind.Fill(rest)
		isBack := func(l location.Location) bool { return isEqual(valueAt(rest, l), valueAt(filled, l)) }
		kept := slices.DeleteFunc(slices.Clone(s.found), func(l location.Location) bool { return !isBack(l) })
		if len(kept) == len(s.found) {
			return kept
		}
		s.found = kept
	}
}

// defaultSearch tries which members of an object come back if they alone are missing.
type defaultSearch struct {
	kind   *schema.Kind
	filled map[string]any
	found  []location.Location
}

func (s *defaultSearch) visit(value any, at location.Location) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) { // which the defaults change meanwhile
			member := v[key]
			// A PersistentVolumeClaim has both by default, as one of volumeClaimTemplates.
			isIdentity := len(at) == 0 && (key == "apiVersion" || key == "kind")
			if member == nil || isIdentity {
				continue
			}
			l := at.With(location.Key(key))
			delete(v, key)
			s.kind.FillAt(s.filled, l)
			isDefault := isEqual(v[key], member)
			if v[key] = member; isDefault {
				s.found = append(s.found, l)
				continue
			}
			s.visit(member, l)
		}
	case []any:
		for i, element := range v {
			s.visit(element, at.With(location.Index(i)))
		}
	}
}

// isEqual compares data of an object and of a schema, whose numbers have other Go types.
func isEqual(a, b any) bool {
	return reflect.DeepEqual(a, b) || a != nil && b != nil && tree.Equal(tree.FromValue(a), tree.FromValue(b))
}

// copyOf copies a value without the members at the locations.
func copyOf(value any, at location.Location, without location.Set) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, member := range v {
			l := at.With(location.Key(key))
			if !without.HasAround(l) {
				out[key] = copyOf(member, l, without)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = copyOf(element, at.With(location.Index(i)), without)
		}
		return out
	}
	return value
}

func valueAt(value any, at location.Location) any {
	for _, step := range at {
		switch v := value.(type) {
		case map[string]any:
			value = v[step.Key]
		case []any:
			if step.Index >= len(v) {
				return nil
			}
			value = v[step.Index]
		default:
			return nil
		}
	}
	return value
}
