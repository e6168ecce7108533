package convert

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/match"
)

// writeFlux writes the part of a Kustomization that says what is ignored: an
// entry of ignore for each selector of a rule.
func writeFlux(s *source) *yaml.Node {
	ignore := newEntries()
	for _, r := range s.rules {
		ignore.add(r, fluxEntries(r)...)
	}
	spec := newMapping()
	spec.add("ignore", ignore.list)
	document := newDocument("kustomize.toolkit.fluxcd.io/v1", "Kustomization", s.name)
	document.add("spec", spec.node)
	return ignore.finish(document, s, "Put spec.ignore into the Kustomization. In a HelmRelease the same list stands in "+
		"spec.driftDetection.ignore.")
}

func fluxEntries(r *rule) []*yaml.Node {
	expressions := dialects{}.translated(r)
	if len(expressions) == 0 {
		return nil
	}
	var nodes []*yaml.Node
	for _, t := range r.targets() {
		to, ok := fluxTargetOf(r, t)
		if !ok {
			continue
		}
		m := newMapping()
		m.texts("paths", textsOf(expressions, locate.JSONPointer))
		if len(to.node.Content) > 0 {
			m.add("target", to.node)
		}
		nodes = append(nodes, m.node)
	}
	if len(nodes) > 0 {
		r.noteChange("Flux")
	}
	return nodes
}

// fluxTargetOf writes which objects an entry is for; false where that can't be
// said.
func fluxTargetOf(r *rule, t target) (mapping, bool) {
	m := newMapping()
	s := t.selector
	if s.APIVersion != nil {
		r.leaveOut(r.path+".selectors", "Flux can't select by apiVersion beside group or version")
		return m, false
	}
	for _, field := range []struct {
		name string
		glob *string
	}{{"group", s.Group}, {"version", s.Version}, {"kind", s.Kind}, {"name", s.Name}, {"namespace", s.Namespace}} {
		if text := toRegex(field.glob); text != "" {
			m.text(field.name, text)
		}
	}
	labelTerms, annotationTerms := equalities(s.Labels), equalities(s.Annotations)
	if s.LabelSelector != nil {
		labelTerms = append(labelTerms, *s.LabelSelector)
	}
	for _, exclude := range t.exclude {
		notLabels, notAnnotations, ok := inequality(exclude)
		if !ok {
			r.leaveOut(r.path+".exclude", "Flux can exclude by one label or annotation only%s", forObjects(s))
			return m, false
		}
		labelTerms, annotationTerms = append(labelTerms, notLabels...), append(annotationTerms, notAnnotations...)
	}
	return m, r.addTerms(m, "labelSelector", labelTerms) && r.addTerms(m, "annotationSelector", annotationTerms)
}

// addTerms writes a selector of labels or annotations; false where a value is
// none that it can have.
func (r *rule) addTerms(m mapping, field string, terms []string) bool {
	if len(terms) == 0 {
		return true
	}
	text := strings.Join(terms, ",")
	if _, err := labels.Parse(text); err != nil {
		r.leaveOut(r.path+".selectors", "the %s of Flux can't be %s: %s", field, text, err)
		return false
	}
	m.text(field, text)
	return true
}

// equalities returns the terms of a selector that asks for all the pairs.
func equalities(pairs map[string]string) []string {
	var terms []string
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		terms = append(terms, fmt.Sprintf("%s=%s", key, pairs[key]))
	}
	return terms
}

// inequality returns the terms that exclude what a selector of one label or one
// annotation fits; false for any other selector.
func inequality(exclude match.Selector) (labelTerms, annotationTerms []string, ok bool) {
	for key, value := range exclude.Labels {
		labelTerms = append(labelTerms, fmt.Sprintf("%s!=%s", key, value))
	}
	for key, value := range exclude.Annotations {
		annotationTerms = append(annotationTerms, fmt.Sprintf("%s!=%s", key, value))
	}
	exclude.Labels, exclude.Annotations = nil, nil
	return labelTerms, annotationTerms, exclude.IsEmpty() && len(labelTerms)+len(annotationTerms) == 1
}
