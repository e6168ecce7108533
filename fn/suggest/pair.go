package suggest

import (
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
)

// pairOfObjects is an object of the package and the one on the cluster.
type pairOfObjects struct {
	desired, live *yaml.Node
	ref           report.Ref
	file          report.File
	mask          redact.Mask
	differences   []difference
	// remarks say what has no rule, and why.
	remarks []string
}

// key names an object on a cluster. The version is no part of it.
type key struct {
	group, kind, namespace, name string
}

func keyOf(root *yaml.Node) key {
	o := match.Of(root)
	return key{o.Group, o.Kind, o.Namespace, o.Name}
}

// pair finds the live object for each object of the package. One that names no
// namespace is found in the only namespace that has it.
func pair(desired, live []*object.Object) ([]*pairOfObjects, []report.Result) {
	byKey := map[key]*yaml.Node{}
	byName := map[key][]*yaml.Node{}
	for _, o := range live {
		k := keyOf(o.Root())
		byKey[k] = o.Root()
		k.namespace = ""
		byName[k] = append(byName[k], o.Root())
	}
	var pairs []*pairOfObjects
	var results []report.Result
	for _, o := range desired {
		if isLocal(o.Root()) {
			continue
		}
		k := keyOf(o.Root())
		there := byKey[k]
		if there == nil && k.namespace == "" && len(byName[k]) == 1 {
			there = byName[k][0]
		}
		ref := report.RefOf(o.Root())
		if there == nil {
			results = append(results, report.Result{
				Severity: report.Info, Message: "not among the live objects", Ref: ref, File: o.File(),
			})
			continue
		}
		pairs = append(pairs, &pairOfObjects{
			desired: o.Root(), live: there, ref: ref, file: o.File(), mask: redact.New(o.Root(), there),
		})
	}
	return pairs, results
}

// isLocal tells whether an object is for the tools that work on a package and
// not for a cluster.
func isLocal(root *yaml.Node) bool {
	o := match.Of(root)
	switch {
	case o.Kind == "Kptfile" && o.Group == "kpt.dev", o.Group == "kustomize.config.k8s.io", o.APIVersion == "fn.kpt.dev/v1alpha1":
		return true
	}
	return tree.GetString(root, "metadata", "annotations", "config.kubernetes.io/local-config") == "true"
}
