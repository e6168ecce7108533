package convert

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

var toFlux = Target{Name: "flux", Writes: "a Kustomization of Flux", write: documents(writeFlux)}

// writeFlux writes the part of a Kustomization that says what is ignored: an entry of ignore for
// each selector of a rule.
func writeFlux(s *source) *tree.Node {
	return s.entries("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "ignore", fluxEntries,
		"Copy spec.ignore into the Kustomization. In a HelmRelease the same list is spec.driftDetection.ignore.")
}

func fluxEntries(r *rule) []*tree.Node {
	return r.entries(fluxDialects, "Flux", func(t target, expressions []expression) *tree.Node {
		to, ok := fluxTargetOf(r, t)
		if !ok {
			return nil
		}
		m := newMapping()
		m.texts("paths", textsOf(expressions, jsonpointer.Dialect.Name))
		if len(to.node.Content) > 0 {
			m.add("target", to.node)
		}
		return m.node
	})
}

// fluxTargetOf writes which objects an entry is for; false if that can't be said.
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
	labelTerms, annotationTerms := termsOf(s.Labels, selection.Equals), termsOf(s.Annotations, selection.Equals)
	if s.LabelSelector != nil {
		labelTerms = append(labelTerms, term{text: *s.LabelSelector})
	}
	if s.AnnotationSelector != nil {
		annotationTerms = append(annotationTerms, term{text: *s.AnnotationSelector})
	}
	for _, exclude := range t.exclude {
		notLabels, notAnnotations, ok := inequality(exclude)
		if !ok {
			r.leaveOut(r.path+".exclude", "Flux can only exclude by one label or annotation%s", forObjects(s))
			return m, false
		}
		labelTerms, annotationTerms = append(labelTerms, notLabels...), append(annotationTerms, notAnnotations...)
	}
	return m, r.addTerms(m, "labelSelector", labelTerms) && r.addTerms(m, "annotationSelector", annotationTerms)
}

// addTerms writes a selector of labels or annotations; false if a value is none that it can have.
func (r *rule) addTerms(m mapping, field string, terms []term) bool {
	var texts []string
	for _, t := range terms {
		if t.text != "" {
			texts = append(texts, t.text)
			continue
		}
		requirement, err := labels.NewRequirement(t.key, t.operator, []string{t.value})
		if err != nil {
			r.leaveOut(r.path+".selectors", "the %s of Flux can't have %s: %s", field, config.Quote(t.value), err)
			return false
		}
		texts = append(texts, requirement.String())
	}
	if len(texts) > 0 {
		m.text(field, strings.Join(texts, ","))
	}
	return true
}

// term is one term of a selector: a whole selector as text, or a comparison.
type term struct {
	text       string
	key, value string
	operator   selection.Operator
}

// termsOf returns the terms that compare each of the pairs.
func termsOf(pairs map[string]string, operator selection.Operator) []term {
	var terms []term
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		terms = append(terms, term{key: key, value: pairs[key], operator: operator})
	}
	return terms
}

// inequality returns the terms that exclude what a selector of one label or one annotation fits;
// false for any other selector.
func inequality(exclude selector.Selector) (labelTerms, annotationTerms []term, ok bool) {
	labelTerms = termsOf(exclude.Labels, selection.NotEquals)
	annotationTerms = termsOf(exclude.Annotations, selection.NotEquals)
	exclude.Labels, exclude.Annotations = nil, nil
	return labelTerms, annotationTerms, exclude.IsEmpty() && len(labelTerms)+len(annotationTerms) == 1
}
