package convert

import (
	"cmp"
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fromFleet reads the diff.comparePatches of Rancher Fleet, in a fleet.yaml, which is no object,
// and in a Bundle.
var fromFleet = Source{Name: "fleet", Title: "Rancher Fleet", Holds: "a fleet.yaml with diff.comparePatches, or a Bundle of Fleet", read: readFleet}

// fleetPatch is ComparePatch of rancher/fleet
// (pkg/apis/fleet.cattle.io/v1alpha1/bundledeployment_types.go).
type fleetPatch struct {
	APIVersion   string           `json:"apiVersion"`
	Kind         string           `json:"kind"`
	Name         string           `json:"name"`
	Namespace    string           `json:"namespace"`
	JSONPointers []string         `json:"jsonPointers"`
	Operations   []fleetOperation `json:"operations"`
}

type fleetOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

const fleet = "Fleet"

func readFleet(root *tree.Node) []*source {
	o := selector.Of(root)
	switch {
	case o.Group == "fleet.cattle.io" && o.Kind == "Bundle":
		s := newSource(root)
		s.readFleetOptions(tree.Get(root, "spec"), "spec")
		return []*source{s}
	case o.Kind == "" && holdsComparePatches(root):
		s := &source{name: tree.GetString(root, "helm", "releaseName")}
		s.readFleetOptions(root, "")
		return []*source{s}
	}
	return nil
}

func holdsComparePatches(root *tree.Node) bool {
	return tree.IsList(tree.Get(root, "diff", "comparePatches")) ||
		slices.ContainsFunc(tree.Elements(tree.Lookup(root, "targetCustomizations")), holdsComparePatches)
}

// readFleetOptions reads the options of a bundle, and those for some clusters only.
func (s *source) readFleetOptions(options *tree.Node, path string) {
	list := config.Child(config.Child(path, "diff"), "comparePatches")
	for i, n := range tree.Elements(tree.Get(options, "diff", "comparePatches")) {
		s.readFleetPatch(n, config.Element(list, i))
	}
	for _, key := range []string{"targetCustomizations", "targets"} {
		for i, target := range tree.Elements(tree.Lookup(options, key)) {
			at := config.Element(config.Child(path, key), i)
			if tree.Get(target, "diff", "comparePatches") != nil {
				s.lose(at, "changed: it is only for some clusters; the converted rules are for all")
				s.readFleetOptions(target, at)
			}
		}
	}
}

// readFleetPatch reads one entry. Its jsonPointers are for all that group, kind, name and namespace
// fit, its operations for the one object that they name.
func (s *source) readFleetPatch(n *tree.Node, path string) {
	var patch fleetPatch
	s.faults = append(s.faults, config.Decode(n, path, &patch)...)
	group, version := report.GroupVersion(patch.APIVersion)
	pointers := newRule(path)
	pointers.addPaths(fleet, "jsonPointers", patch.JSONPointers)
	pointers.argoGroupKind(group, patch.Kind, words.Given(patch.Name), words.Given(patch.Namespace))
	operations := newRule(path)
	for i, operation := range patch.Operations {
		operations.addFleetOperation(config.Element(path+".operations", i), operation, patch.Name)
	}
	operations.selectors = []selector.Selector{{
		Group: &group, Version: &version, Kind: &patch.Kind, Name: &patch.Name, Namespace: &patch.Namespace,
	}}
	for _, r := range []*rule{pointers, operations} {
		if len(r.expressions)+len(r.notes) > 0 {
			texts := []string{patch.Name, patch.Namespace}
			if i := slices.IndexFunc(texts, isGlob); i >= 0 && len(r.expressions) > 0 {
				r.drop(r.path, "Fleet compares %s literally, so it matches no object; in krm-fields * would match any characters", config.Quote(texts[i]))
			}
			s.rules = append(s.rules, r.oneByOne()...)
		}
	}
}

// addFleetOperation adds an operation of a JSON Patch that Fleet does on both sides before it
// compares them.
func (r *rule) addFleetOperation(path string, operation fleetOperation, name string) {
	switch {
	case operation.Op == "ignore":
		r.leaveOut(path, "it ignores the whole object; to ignore an object, use exclude")
	case name == "":
		r.leaveOut(path, "an operation needs the name of its object, and the entry has none")
	case operation.Op == "remove":
		r.addPath(fleet, path+".path", operation.Path)
	case operation.Op == "replace":
		r.remark(path, "replaces the value on both sides, so it is never a difference")
		r.addPath(fleet, path+".path", operation.Path)
	default:
		r.leaveOut(path, "the operation %s selects no field to leave alone", config.Quote(operation.Op))
	}
}

// toFleet writes the part of a fleet.yaml that says what is ignored: an entry of comparePatches for
// each selector of a rule.
var toFleet = Form{Name: "fleet", Title: fromFleet.Title, Writes: "a fleet.yaml of Rancher Fleet", write: documents(func(s *source) *tree.Node {
	all := s.entries(func(r *rule) []*tree.Node { return r.entries(fluxDialects, fleet, r.comparePatch) })
	return all.finish(tree.NewMap("diff", tree.NewMap("comparePatches", all.list)), s, "Copy diff.comparePatches into the fleet.yaml.")
})}

func (r *rule) comparePatch(t ruleSelector, expressions []expression) *tree.Node {
	s := t.selector
	if !r.plain(t, fleet) || !r.literal("name", s.Name, fleet) || !r.literal("namespace", s.Namespace, fleet) {
		return nil
	}
	version := *cmp.Or(specific(s.Version), new("v1")) // Fleet reads the group alone
	r.noteVersion(s, fleet)
	return tree.NewMap("apiVersion", schema.GVK{Group: toArgoGlob(s.Group), Version: version}.APIVersion(), "kind", toArgoGlob(s.Kind),
		"name", specific(s.Name), "namespace", specific(s.Namespace), "jsonPointers", textsOf(expressions, jsonpointer.Dialect.Name))
}
