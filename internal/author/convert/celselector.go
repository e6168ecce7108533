package convert

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
)

// celTargets writes the condition under which an object, as it was before the request, is selected;
// "" for all objects. It leaves the kind of the targets out where the policy matches no other.
func celTargets(targets []ruleSelector, withoutKind bool) string {
	var any []string
	for _, t := range targets {
		if withoutKind {
			t.selector.Group, t.selector.Version, t.selector.Kind = nil, nil, nil
		}
		terms := celSelector(t.selector)
		for _, exclude := range t.exclude {
			terms = append(terms, "!"+grouped(strings.Join(celSelector(exclude), " && ")))
		}
		if len(terms) == 0 {
			return ""
		}
		any = append(any, strings.Join(terms, " && "))
	}
	return oneOf(any)
}

// oneOf writes that one of some conditions holds.
func oneOf(conditions []string) string {
	if len(conditions) == 1 {
		return conditions[0]
	}
	return strings.Join(lists.Map(conditions, grouped), " || ")
}

func grouped(terms string) string {
	if !strings.Contains(terms, " ") {
		return terms
	}
	return "(" + terms + ")"
}

// celSelector writes the conditions of a selector. Those on the kind are of the request: the server
// converts the objects to the version that a policy matches.
func celSelector(s selector.Selector) []string {
	var terms []string
	text := func(value string, want *string) {
		switch {
		case want == nil || *want == "*":
		case isGlob(*want):
			terms = append(terms, value+".matches("+strconv.Quote(globPattern(*want))+")")
		default:
			terms = append(terms, value+" == "+strconv.Quote(*want))
		}
	}
	text("request.kind.group", s.Group)
	text("request.kind.version", s.Version)
	text("request.kind.kind", s.Kind)
	text("oldObject.metadata.name", s.Name)
	text(`oldObject.metadata.?namespace.orValue("")`, s.Namespace)
	text("oldObject.apiVersion", s.APIVersion)
	pairs := func(field string, pairs map[string]string, expression *string) {
		value := func(key string) string { return "oldObject.metadata.?" + field + "[?" + strconv.Quote(key) + "]" }
		for _, key := range slices.Sorted(maps.Keys(pairs)) {
			terms = append(terms, value(key)+" == optional.of("+strconv.Quote(pairs[key])+")")
		}
		if expression == nil {
			return
		}
		parsed, err := labels.Parse(*expression)
		if err != nil { // the reader has reported it
			return
		}
		requirements, _ := parsed.Requirements()
		for _, r := range requirements {
			terms = append(terms, celRequirement(value(r.Key()), r))
		}
	}
	pairs("labels", s.Labels, s.LabelSelector)
	pairs("annotations", s.Annotations, s.AnnotationSelector)
	return terms
}

// celRequirement writes a term of a label selector on an optional value, as labels.Requirement
// matches.
func celRequirement(value string, r labels.Requirement) string {
	var quoted []string
	for _, v := range slices.Sorted(maps.Keys(r.Values())) {
		quoted = append(quoted, strconv.Quote(v))
	}
	list := "[" + strings.Join(quoted, ", ") + "]"
	switch r.Operator() {
	case selection.Exists:
		return value + ".hasValue()"
	case selection.DoesNotExist:
		return "!" + value + ".hasValue()"
	case selection.NotIn, selection.NotEquals:
		return value + ".optMap(v, !(v in " + list + ")).orValue(true)"
	case selection.GreaterThan, selection.LessThan:
		operator := map[selection.Operator]string{selection.GreaterThan: ">", selection.LessThan: "<"}[r.Operator()]
		bound, _ := strconv.Unquote(quoted[0]) // labels.Parse has taken it for a number
		return value + `.optMap(v, v.matches("^[+-]?[0-9]+$") && int(v) ` + operator + " " + bound + ").orValue(false)"
	}
	return value + ".optMap(v, v in " + list + ").orValue(false)"
}

// globPattern returns the regular expression for what a glob matches.
func globPattern(glob string) string { return "^" + unanchored(glob) + "$" }
