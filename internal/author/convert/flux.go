package convert

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
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
var fromFlux = Source{Name: "flux", Title: "Flux", Holds: "a Kustomization or a HelmRelease of Flux", read: readPathRules("Flux", map[selector.Kind][]string{
	{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization"}: {"spec", "ignore"},
	{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"}:        {"spec", "driftDetection", "ignore"},
})}

// readPathRules returns what reads the rules of a program: a list of paths with targets, at a place
// in objects of some kinds.
func readPathRules(program string, places map[selector.Kind][]string) func(root *tree.Node) []*source {
	return func(root *tree.Node) []*source {
		o := selector.Of(root)
		at, ok := places[selector.Kind{Group: o.Group, Kind: o.Kind}]
		if !ok {
			return nil
		}
		s := newSource(root)
		list, entries := strings.Join(at, "."), tree.Get(root, at...)
		if entries != nil && !tree.IsList(entries) && tree.Type(entries) != tree.Null {
			s.fault(list, "must be a list, found %s", config.Found(entries))
		}
		for i, n := range tree.Elements(entries) {
			var entry fluxRule
			r := &rule{path: element(list, i), condition: rules.OnSpokePresent}
			if faults := config.Decode(n, r.path, &entry); len(faults) > 0 {
				s.faults = append(s.faults, faults...)
				continue
			}
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
		r.selectors[i].LabelSelector, r.selectors[i].AnnotationSelector = given(t.LabelSelector), given(t.AnnotationSelector)
	}
}

// drop leaves the whole rule out.
func (r *rule) drop(path, format string, args ...any) {
	r.expressions = nil
	r.leaveOut(path, format, args...)
}

// fromSveltos reads the driftExclusions of Sveltos, which have the form of Flux's rules
// (libsveltos, api/v1beta1, DriftExclusion, and addon-controller, api/v1beta1/spec.go).
var fromSveltos = Source{
	Name: "sveltos", Title: "Sveltos", Holds: "a ClusterProfile or a Profile of Sveltos",
	read: readPathRules("Sveltos", map[selector.Kind][]string{
		{Group: "config.projectsveltos.io", Kind: "ClusterProfile"}: {"spec", "driftExclusions"},
		{Group: "config.projectsveltos.io", Kind: "Profile"}:        {"spec", "driftExclusions"},
	}),
}

// toFlux writes the part of a Kustomization that says what is ignored: an entry of ignore for each
// selector of a rule.
var toFlux = Target{Name: "flux", Writes: "a Kustomization of Flux", write: documents(func(s *source) *tree.Node {
	return s.entries("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "ignore", fluxEntries,
		"Copy spec.ignore into the Kustomization. In a HelmRelease the same list is spec.driftDetection.ignore.")
})}

func fluxEntries(r *rule) []*tree.Node {
	return r.entries(fluxDialects, "Flux", func(t target, expressions []expression) *tree.Node {
		to, ok := fluxTargetOf(r, t)
		if !ok {
			return nil
		}
		if len(to.Content) == 0 {
			to = nil
		}
		return tree.NewMap("paths", textsOf(expressions, jsonpointer.Dialect.Name), "target", to)
	})
}

// fluxTargetOf writes which objects an entry is for; false if that can't be said.
func fluxTargetOf(r *rule, t target) (*tree.Node, bool) {
	m := tree.NewMap()
	s := t.selector
	if s.APIVersion != nil {
		r.leaveOut(r.path+".selectors", "Flux can't select by apiVersion beside group or version")
		return m, false
	}
	for i, glob := range fields(&s) {
		if text := toRegex(*glob); text != "" {
			m.Content = append(m.Content, tree.NewString(fieldNames[i]), tree.NewString(text))
		}
	}
	var terms [2][]string
	for i, side := range sidesOf(s) {
		texts, err := side.terms(nil)
		if err != nil {
			r.leaveOut(r.path+".selectors", "the %s of Flux can't express this: %s", side.field, err)
			return m, false
		}
		terms[i] = texts
	}
	for _, exclude := range t.exclude {
		before, rest := len(terms[0])+len(terms[1]), exclude
		rest.Labels, rest.Annotations, rest.LabelSelector, rest.AnnotationSelector = nil, nil, nil, nil
		isKnown := rest.IsEmpty()
		for i, side := range sidesOf(exclude) {
			texts, err := side.terms(opposites)
			terms[i], isKnown = append(terms[i], texts...), isKnown && err == nil
		}
		if !isKnown || len(terms[0])+len(terms[1]) != before+1 {
			r.leaveOut(r.path+".exclude", "Flux can only exclude by one label or annotation%s", forObjects(s))
			return m, false
		}
	}
	for i, side := range sidesOf(s) {
		if len(terms[i]) > 0 {
			m.Content = append(m.Content, tree.NewString(side.field), tree.NewString(strings.Join(terms[i], ",")))
		}
	}
	return m, true
}

// side is what a selector asks of labels, or of annotations.
type side struct {
	field    string
	pairs    map[string]string
	selector *string
}

func sidesOf(s selector.Selector) [2]side {
	return [2]side{{"labelSelector", s.Labels, s.LabelSelector}, {"annotationSelector", s.Annotations, s.AnnotationSelector}}
}

// opposites are the operators that hold where others do not.
var opposites = map[selection.Operator]selection.Operator{
	selection.Equals: selection.NotEquals, selection.DoubleEquals: selection.NotEquals, selection.NotEquals: selection.Equals,
	selection.In: selection.NotIn, selection.NotIn: selection.In, selection.Exists: selection.DoesNotExist, selection.DoesNotExist: selection.Exists,
}

// terms returns the terms of the side, with other operators where a table is given.
func (s side) terms(operators map[selection.Operator]selection.Operator) (texts []string, err error) {
	add := func(key string, operator selection.Operator, values []string) {
		if operators != nil {
			operator = operators[operator]
		}
		requirement, fault := labels.NewRequirement(key, operator, values)
		if fault != nil {
			err = fault
			return
		}
		texts = append(texts, requirement.String())
	}
	for _, key := range slices.Sorted(maps.Keys(s.pairs)) {
		add(key, selection.Equals, []string{s.pairs[key]})
	}
	switch {
	case s.selector == nil:
	case operators == nil:
		texts = append(texts, *s.selector)
	default:
		requirements, _ := labels.ParseToRequirements(*s.selector) // which a run accepts
		for _, r := range requirements {
			add(r.Key(), r.Operator(), r.Values().List())
		}
	}
	return texts, err
}
