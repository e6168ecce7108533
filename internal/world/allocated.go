package world

import (
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// allocated are the fields, by kind, that the server fills where a manifest leaves them out, and
// that a manifest may set, too.
var allocated = map[string][]string{
	"v1 Service": {"/spec/clusterIP", "/spec/clusterIPs", "/spec/ipFamilies", "/spec/ipFamilyPolicy",
		"/spec/healthCheckNodePort", "/spec/ports/*/nodePort"},
	"v1 PersistentVolumeClaim": {"/spec/volumeName"},
	"v1 Pod":                   {"/spec/nodeName"},
}

// ofJobs are the labels that the server gives to a Job and its Pods, with its selector, unless the
// manifest has a selector of its own.
var ofJobs = []string{"controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name"}

// controlPlane are the managers that fill fields for the server.
var controlPlane = []string{"kube-controller-manager", "kube-scheduler"}

// allocatedIn returns the places of an object that the server has filled, and the pointers of those
// where that is not known, since nothing in the object tells what its manifest has set.
func allocatedIn(root *tree.Node) (filled []location.Location, unknown []string) {
	entries, _ := managedfields.Of(root)                                                                         // what no server writes counts as missing
	applied, _ := tree.Parse([]byte(tree.GetString(root, "metadata", "annotations", managedfields.LastApplied))) // nil for none
	isHeadless := tree.GetString(root, "spec", "clusterIP") == "None"
	isOther := func(e managedfields.Entry) bool { return !slices.Contains(controlPlane, e.Manager) }
	for _, pointer := range allocated[kindOf(root)] {
		for _, l := range places(pointer, root) {
			isKnown, isOurs := true, false
			switch {
			case isHeadless && pointer == "/spec/clusterIP":
				isOurs = true
			case len(entries) > 0:
				isOurs = slices.ContainsFunc(managedfields.NewIndex(entries, root).Owners(l), isOther)
			case applied != nil:
				isOurs = places(pointer, applied) != nil
			default:
				isKnown = isHeadless && pointer == "/spec/clusterIPs"
			}
			if isKnown && !isOurs {
				filled = append(filled, l)
			}
			if !isKnown && !slices.Contains(unknown, pointer) {
				unknown = append(unknown, pointer)
			}
		}
	}
	return append(filled, ofJob(root)...), unknown
}

// ofJob returns the places of what the server gives to a Job without a selector of its own. Labels
// that become empty go, too.
func ofJob(root *tree.Node) []location.Location {
	if kindOf(root) != "batch/v1 Job" || tree.GetString(root, "spec", "manualSelector") == "true" {
		return nil
	}
	found := places("/spec/selector", root)
	for _, metadata := range []string{"/metadata", "/spec/template/metadata"} {
		for _, labels := range places(metadata+"/labels", root) {
			others := 0
			for key := range tree.Entries(location.At(root, labels)) {
				if slices.Contains(ofJobs, key) {
					found = append(found, labels.With(location.Key(key)))
				} else {
					others++
				}
			}
			if others == 0 {
				found = append(found, labels)
			}
		}
	}
	return found
}

func kindOf(root *tree.Node) string {
	return tree.GetString(root, "apiVersion") + " " + tree.GetString(root, "kind")
}

// places are those of a pointer in an object; nil for none.
func places(pointer string, root *tree.Node) []location.Location {
	expression, err := jsonpointer.Parse(pointer)
	if err != nil {
		return nil // a test parses them all
	}
	found, _ := expression.Locate(&dialect.Input{Root: root, WithoutHint: true}) // a pointer does not fail
	return found.Locations
}

// unknownResult tells of fields that stay, although the server may have filled them; nil for none.
func unknownResult(o *object.Object, unknown []string) []report.Result {
	if len(unknown) == 0 {
		return nil
	}
	var flags []string
	for _, pointer := range unknown {
		flags = append(flags, "--pointer", pointer)
	}
	return []report.Result{report.New(report.SeverityWarning, report.ReasonNoManagedFields, fmt.Sprintf(
		"%s: not taken out, since without managedFields it is not known whether the server or a manifest has set it; "+
			"add --show-managed-fields to kubectl get, or %s",
		words.All(unknown), words.Shell(flags))).Of(report.RefOf(o.Root()), o.File())}
}

// scaledResult tells who scales an object: a manifest with its replicas would scale it back.
func scaledResult(o *object.Object, ruled []string) []report.Result {
	const pointer = "/spec/replicas"
	entries, _ := managedfields.Of(o.Root())
	owners := managedfields.NewIndex(entries, o.Root()).Owners(location.Location{location.Key("spec"), location.Key("replicas")})
	by := slices.IndexFunc(owners, func(e managedfields.Entry) bool { return e.Subresource == "scale" && !e.IsHandEdit() })
	if by < 0 || slices.Contains(ruled, pointer) {
		return nil
	}
	return []report.Result{report.New(report.SeverityInfo, report.ReasonFromOwners, fmt.Sprintf(
		"spec.replicas: scaled by %q, so a manifest should not set it; --pointer %s takes it out, too", owners[by].Manager, pointer,
	)).Of(report.RefOf(o.Root()), o.File())}
}
