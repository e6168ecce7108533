package convert

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
)

// ruleSelector is one selector of a rule, with the exclude entries that can take objects from it.
// The empty selector stands for all objects.
type ruleSelector struct {
	selector selector.Selector
	exclude  []selector.Selector
}

// targets returns the selectors of the rule one by one, apiVersion taken apart into group and
// version.
func (r *rule) targets() []ruleSelector {
	selectors := r.selectors
	if len(selectors) == 0 {
		selectors = []selector.Selector{{}}
	}
	var targets []ruleSelector
	for _, selector := range selectors {
		t := ruleSelector{selector: split(selector)}
		for _, exclude := range r.exclude {
			if exclude = split(exclude); !areApart(t.selector, exclude) {
				t.exclude = append(t.exclude, exclude)
			}
		}
		targets = append(targets, t)
	}
	return targets
}

// split returns the selector with group and version in the place of apiVersion, where it has none
// of its own.
func split(s selector.Selector) selector.Selector {
	if s.APIVersion == nil || s.Group != nil || s.Version != nil {
		return s
	}
	group, version := report.GroupVersion(*s.APIVersion)
	s.APIVersion, s.Group, s.Version = nil, &group, &version
	return s
}

// isWholeKind tells whether a selector holds for all objects of its kinds.
func isWholeKind(s selector.Selector) bool {
	s.APIVersion, s.Group, s.Version, s.Kind = nil, nil, nil, nil
	s.Name, s.Namespace = specific(s.Name), specific(s.Namespace)
	return s.IsEmpty()
}

var fieldNames = []string{"group", "version", "kind", "name", "namespace"}

// fields are the fields of a selector that are globs, in the order of fieldNames.
func fields(s *selector.Selector) []**string {
	return []**string{&s.Group, &s.Version, &s.Kind, &s.Name, &s.Namespace}
}

// areApart tells whether no object can fit both selectors, as far as that can be seen.
func areApart(a, b selector.Selector) bool {
	_, possible, _ := both(a, b)
	return !possible
}

// both returns the selector that fits what a and b both fit. It is not possible where no object
// does, and not known where one selector can't say it.
func both(a, b selector.Selector) (merged selector.Selector, possible, known bool) {
	a, b = split(a), split(b)
	merged, known = a, true
	into, from := fields(&merged), fields(&b)
	for i := range into {
		text, fits, sure := bothTexts(*into[i], *from[i])
		if !fits {
			return selector.Selector{}, false, true
		}
		*into[i], known = text, known && sure
	}
	for _, pairs := range []struct{ into, from *map[string]string }{
		{&merged.Labels, &b.Labels}, {&merged.Annotations, &b.Annotations},
	} {
		union, fits := bothPairs(*pairs.into, *pairs.from)
		if !fits {
			return selector.Selector{}, false, true
		}
		*pairs.into = union
	}
	switch {
	case merged.APIVersion == nil:
		merged.APIVersion = b.APIVersion
	case b.APIVersion != nil && *b.APIVersion != *merged.APIVersion:
		return selector.Selector{}, false, true
	}
	merged.LabelSelector = bothTerms(merged.LabelSelector, b.LabelSelector)
	merged.AnnotationSelector = bothTerms(merged.AnnotationSelector, b.AnnotationSelector)
	return merged, true, known
}

// bothTerms returns the selector of labels or annotations that has the terms of both.
func bothTerms(a, b *string) *string {
	if a == nil || b == nil || *a == *b {
		return cmp.Or(a, b)
	}
	return new(*a + "," + *b)
}

// bothTexts returns the glob for what two globs both match. It is not sure where both have a `*`.
func bothTexts(a, b *string) (text *string, fits, sure bool) {
	switch {
	case a == nil || b != nil && *a == "*":
		return b, true, true
	case b == nil || *a == *b || *b == "*":
		return a, true, true
	case !isGlob(*a):
		return a, selector.Glob(*b, *a), true
	case !isGlob(*b):
		return b, selector.Glob(*a, *b), true
	}
	return a, true, false
}

func bothPairs(a, b map[string]string) (union map[string]string, fits bool) {
	if len(a) == 0 {
		return b, true
	}
	union = maps.Clone(a)
	for key, value := range b {
		if other, ok := union[key]; ok && other != value {
			return nil, false
		}
		union[key] = value
	}
	return union, true
}

func isGlob(text string) bool { return strings.Contains(text, "*") }

// isAny tells whether a field of a selector holds for any object.
func isAny(text *string) bool { return text == nil || *text == "*" }

// specific returns nil for a field that holds for any object, else the field.
func specific(text *string) *string {
	if isAny(text) {
		return nil
	}
	return text
}

// product returns a selector for each combination of the alternatives for group, version, kind,
// name and namespace. An alternative that is nil holds for any object. Without a selector, all
// objects are meant.
func product(alternatives [5][]*string) []selector.Selector {
	selectors := []selector.Selector{{}}
	for i, texts := range alternatives {
		var next []selector.Selector
		for _, s := range selectors {
			for _, text := range texts {
				extended := s
				*fields(&extended)[i] = text
				next = append(next, extended)
			}
		}
		selectors = next
	}
	if slices.ContainsFunc(selectors, selector.Selector.IsEmpty) {
		return nil
	}
	return selectors
}
