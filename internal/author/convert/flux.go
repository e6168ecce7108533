package convert

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fluxRule is one entry of spec.ignore of a Kustomization (kustomize.toolkit.fluxcd.io/v1) and of
// spec.driftDetection.ignore of a HelmRelease (helm.toolkit.fluxcd.io/v2).
type fluxRule struct {
	Paths  []string   `json:"paths" required:"true"`
	Target fluxTarget `json:"target"`
}

// fluxTarget is Selector of fluxcd/pkg/apis/kustomize. The first five fields are regular
// expressions for the whole text; an empty one holds for any.
type fluxTarget struct {
	Group              string `json:"group"`
	Version            string `json:"version"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	Namespace          string `json:"namespace"`
	AnnotationSelector string `json:"annotationSelector"`
	LabelSelector      string `json:"labelSelector"`
}

// fromFlux reads the rules of kustomize-controller and helm-controller.
var fromFlux = Source{Name: "flux", Title: "Flux", Holds: "a Kustomization or a HelmRelease of Flux",
	read: readPathRules("Flux", decodeFluxRule, map[selector.GroupKind][]string{
		{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization"}: {"spec", "ignore"},
		{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"}:        {"spec", "driftDetection", "ignore"},
	})}

func decodeFluxRule(n *tree.Node, path string) (rule fluxRule, faults []report.Fault) {
	faults = config.Decode(n, path, &rule)
	return rule, faults
}

// readPathRules returns what reads the rules of a program: a list of paths with targets, at a place
// in objects of some kinds.
func readPathRules(
	program string, decode func(*tree.Node, string) (fluxRule, []report.Fault), places map[selector.GroupKind][]string,
) func(root *tree.Node) []*source {
	return func(root *tree.Node) []*source {
		o := selector.Of(root)
		at, ok := places[selector.GroupKind{Group: o.Group, Kind: o.Kind}]
		if !ok {
			return nil
		}
		s := newSource(root)
		list, entries := strings.Join(at, "."), tree.Get(root, at...)
		if entries != nil && !tree.IsList(entries) && tree.Type(entries) != tree.Null {
			s.fault(list, "must be a list, found %s", config.Found(entries))
		}
		for i, n := range tree.Elements(entries) {
			r := newRule(config.Element(list, i))
			entry, faults := decode(n, r.path)
			s.faults = append(s.faults, faults...)
			r.addPaths(program, "paths", entry.Paths)
			r.readTarget(entry.Target)
			s.rules = append(s.rules, r.oneByOne()...)
		}
		return []*source{s}
	}
}

var errTemplate = errors.New("it is a template, whose result is unknown")

// readTarget gives the rule the selectors for a target.
func (r *rule) readTarget(t fluxTarget) {
	var alternatives [5][]*string
	for i, text := range []string{t.Group, t.Version, t.Kind, t.Name, t.Namespace} {
		globs, dots, err := fromRegex(text)
		path := r.path + ".target." + fieldNames[i]
		if isTemplate(text) {
			err = errTemplate
		}
		if err != nil {
			r.drop(path, "%s: %s", config.Quote(text), err)
			return
		}
		if dots {
			r.remark(path, "a dot in %s matches any character there, but only a dot in krm-fields", config.Quote(text))
		}
		alternatives[i] = globs
	}
	r.selectors = product(alternatives)
	for _, field := range []struct{ name, text string }{{"labelSelector", t.LabelSelector}, {"annotationSelector", t.AnnotationSelector}} {
		if isTemplate(field.text) {
			r.drop(r.path+".target."+field.name, "%s is a template, whose result is unknown", config.Quote(field.text))
			return
		}
	}
	if len(r.selectors) == 0 && t.LabelSelector+t.AnnotationSelector != "" {
		r.selectors = []selector.Selector{{}}
	}
	for i := range r.selectors {
		r.selectors[i].LabelSelector, r.selectors[i].AnnotationSelector = words.Given(t.LabelSelector), words.Given(t.AnnotationSelector)
	}
}

// drop leaves the whole rule out.
func (r *rule) drop(path, format string, args ...any) {
	r.expressions, r.managers, r.fromOwners = nil, nil, false
	r.leaveOut(path, format, args...)
}

// fromSveltos reads the driftExclusions of Sveltos, which have the form of Flux's rules
// (libsveltos, api/v1beta1, DriftExclusion, and addon-controller, api/v1beta1/spec.go).
var fromSveltos = Source{
	Name: "sveltos", Title: "Sveltos", Holds: "a ClusterProfile or a Profile of Sveltos",
	read: readPathRules("Sveltos", decodeFluxRule, map[selector.GroupKind][]string{
		{Group: "config.projectsveltos.io", Kind: "ClusterProfile"}: {"spec", "driftExclusions"},
		{Group: "config.projectsveltos.io", Kind: "Profile"}:        {"spec", "driftExclusions"},
	}),
}

const greenhouseGroup = "greenhouse.sap"

// fromGreenhouse reads the ignoreDifferences of a Plugin, which Greenhouse hands to Flux
// (cloudoperators/greenhouse, api/v1alpha1/plugin_types.go).
var fromGreenhouse = Source{
	Name: "greenhouse", Title: "Greenhouse", Holds: "a Plugin or a PluginPreset of Greenhouse",
	read: readPathRules("Greenhouse", decodeGreenhouseRule, map[selector.GroupKind][]string{
		{Group: greenhouseGroup, Kind: "Plugin"}:       {"spec", "ignoreDifferences"},
		{Group: greenhouseGroup, Kind: "PluginPreset"}: {"spec", "plugin", "ignoreDifferences"},
	}),
}

// decodeGreenhouseRule decodes an entry, whose target is not a map of its own.
func decodeGreenhouseRule(n *tree.Node, path string) (fluxRule, []report.Fault) {
	var entry struct {
		Paths   []string `json:"paths" required:"true"`
		Group   string   `json:"group"`
		Version string   `json:"version"`
		Kind    string   `json:"kind"`
		Name    string   `json:"name"`
	}
	faults := config.Decode(n, path, &entry)
	return fluxRule{Paths: entry.Paths, Target: fluxTarget{Group: entry.Group, Version: entry.Version, Kind: entry.Kind, Name: entry.Name}}, faults
}

// toFlux writes the part of a Kustomization that says what is ignored: an entry of ignore for each
// selector of a rule.
var toFlux = Form{Name: "flux", Title: fromFlux.Title, Writes: "a Kustomization of Flux", write: documents(func(s *source) *tree.Node {
	all := s.entries(func(r *rule) []*tree.Node { return r.entries(fluxDialects, "Flux", r.fluxEntry) })
	spec := tree.NewMap("ignore", all.list)
	return all.finish(newDocument("kustomize.toolkit.fluxcd.io/v1", "Kustomization", s.name, "spec", spec), s,
		"Copy spec.ignore into the Kustomization. In a HelmRelease the same list is spec.driftDetection.ignore.")
})}

// fluxEntry writes an entry for a target; nil if Flux can't select its objects.
func (r *rule) fluxEntry(t ruleSelector, expressions []expression) *tree.Node {
	s := t.selector
	if s.APIVersion != nil {
		r.leaveOut(r.path+".selectors", "Flux can't select by apiVersion beside group or version")
		return nil
	}
	var members []any
	for i, glob := range fields(&s) {
		members = append(members, fieldNames[i], words.Given(toRegex(*glob)))
	}
	for _, exclude := range t.exclude {
		rest := exclude
		if rest.Labels, rest.Annotations = nil, nil; !rest.IsEmpty() || len(exclude.Labels)+len(exclude.Annotations) != 1 {
			r.leaveOut(r.path+".exclude", "Flux can only exclude by one label or annotation%s", forObjects(s))
			return nil
		}
	}
	for _, side := range []struct {
		field  string
		pairs  func(selector.Selector) map[string]string
		others *string
	}{
		{"labelSelector", func(s selector.Selector) map[string]string { return s.Labels }, s.LabelSelector},
		{"annotationSelector", func(s selector.Selector) map[string]string { return s.Annotations }, s.AnnotationSelector},
	} {
		all, err := terms(side.pairs(s), selection.Equals)
		if side.others != nil {
			all = append(all, *side.others)
		}
		for _, exclude := range t.exclude {
			more, fault := terms(side.pairs(exclude), selection.NotEquals)
			all, err = append(all, more...), cmp.Or(err, fault)
		}
		if err != nil {
			r.leaveOut(r.path+".selectors", "the %s of Flux can't express this: %s", side.field, err)
			return nil
		}
		if len(all) > 0 {
			members = append(members, side.field, strings.Join(all, ","))
		}
	}
	target := tree.NewMap(members...)
	if len(target.Content) == 0 {
		target = nil
	}
	return tree.NewMap("paths", textsOf(expressions, jsonpointer.Dialect.Name), "target", target)
}

// terms returns the terms of a selector for labels or annotations.
func terms(pairs map[string]string, operator selection.Operator) (all []string, err error) {
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		requirement, fault := labels.NewRequirement(key, operator, []string{pairs[key]})
		if fault != nil {
			return nil, fault
		}
		all = append(all, requirement.String())
	}
	return all, nil
}
