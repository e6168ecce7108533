package convert

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/krm-fields/krm-fields/fn/config"
	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/tree"
)

// fluxRule is one entry of spec.ignore of a Kustomization
// (kustomize.toolkit.fluxcd.io/v1) and of spec.driftDetection.ignore of a
// HelmRelease (helm.toolkit.fluxcd.io/v2).
type fluxRule struct {
	Paths  []string   `json:"paths" required:"true"`
	Target fluxTarget `json:"target"`
}

// fluxTarget is Selector of fluxcd/pkg/apis/kustomize. The first five fields
// are regular expressions for the whole text; an empty one holds for any.
type fluxTarget struct {
	Group              string `json:"group"`
	Version            string `json:"version"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	Namespace          string `json:"namespace"`
	AnnotationSelector string `json:"annotationSelector"`
	LabelSelector      string `json:"labelSelector"`
}

func readFlux(root *yaml.Node) (*source, bool) {
	o := match.Of(root)
	s := newSource(root)
	var list struct {
		Ignore []fluxRule `json:"ignore"`
	}
	path := "spec"
	switch {
	case o.Group == "kustomize.toolkit.fluxcd.io" && o.Kind == "Kustomization":
		s.decode(tree.Get(root, "spec"), path, "ignore", &list)
	case o.Group == "helm.toolkit.fluxcd.io" && o.Kind == "HelmRelease":
		path = "spec.driftDetection"
		s.decode(tree.Get(root, "spec", "driftDetection"), path, "ignore", &list)
	default:
		return nil, false
	}
	for i, entry := range list.Ignore {
		r := &rule{path: element(path+".ignore", i), condition: onSpokePresent}
		s.readFluxPaths(r, entry.Paths)
		r.readTarget(entry.Target)
		s.rules = append(s.rules, r)
	}
	return s, true
}

// readFluxPaths reads the pointers; what they mean elsewhere is noted.
func (s *source) readFluxPaths(r *rule, paths []string) {
	for i, text := range paths {
		path := element(r.path+".paths", i)
		switch segments := strings.Split(text, "/"); {
		case text == "":
			r.leaveOut(path, "an empty path ignores the whole object; here exclude does that")
			continue
		case slices.ContainsFunc(segments, isNegative):
			r.leaveOut(path, "%s counts from the end of a list; here a jq expression does that", text)
			continue
		case slices.Contains(segments, "*"):
			r.change(path, asteriskIsKey, text)
		}
		if _, err := locate.ParseJSONPointer(text); err != nil {
			s.fault(path, "%s", err)
			continue
		}
		r.expressions = append(r.expressions, expression{dialect: locate.JSONPointer, text: text, path: path})
	}
}

// isNegative tells whether a segment counts from the end of a list.
func isNegative(segment string) bool {
	digits, ok := strings.CutPrefix(segment, "-")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// readTarget gives the rule the selectors for a target.
func (r *rule) readTarget(t fluxTarget) {
	var alternatives [5][]*string
	for i, field := range []struct{ name, text string }{
		{"group", t.Group}, {"version", t.Version}, {"kind", t.Kind}, {"name", t.Name}, {"namespace", t.Namespace},
	} {
		globs, dots, err := fromRegex(field.text)
		path := r.path + ".target." + field.name
		if err != nil {
			r.drop(path, "%s: %s", config.Quote(field.text), err)
			return
		}
		if dots {
			r.remark(path, "a dot in %s is any character there, and taken for a dot here", config.Quote(field.text))
		}
		alternatives[i] = globs
	}
	r.selectors = product(alternatives)
	if t.LabelSelector != "" {
		r.narrow(func(s *match.Selector) { s.LabelSelector = &t.LabelSelector })
	}
	if t.AnnotationSelector != "" {
		if err := r.readAnnotations(t.AnnotationSelector); err != nil {
			r.drop(r.path+".target.annotationSelector", "%s: %s", config.Quote(t.AnnotationSelector), err)
		}
	}
}

// drop leaves the whole rule out.
func (r *rule) drop(path, format string, args ...any) {
	r.expressions = nil
	r.leaveOut(path, format, args...)
}

// narrow changes each selector of the rule, or the one for all objects.
func (r *rule) narrow(change func(*match.Selector)) {
	if len(r.selectors) == 0 {
		r.selectors = []match.Selector{{}}
	}
	for i := range r.selectors {
		change(&r.selectors[i])
	}
}

// readAnnotations reads a selector of annotations. Our selectors have equality;
// what must not be equal is excluded.
func (r *rule) readAnnotations(text string) error {
	requirements, err := labels.ParseToRequirements(text)
	if err != nil {
		return err
	}
	for _, requirement := range requirements {
		key, values := requirement.Key(), requirement.ValuesUnsorted()
		slices.Sort(values)
		switch requirement.Operator() {
		case selection.Equals, selection.DoubleEquals, selection.In:
			if r.selectors = withAnnotation(r.selectors, key, values); len(r.selectors) == 0 {
				return fmt.Errorf("no object can have all of %s", key)
			}
		case selection.NotEquals, selection.NotIn:
			for _, value := range values {
				r.exclude = append(r.exclude, match.Selector{Annotations: map[string]string{key: value}})
			}
		default:
			return fmt.Errorf("annotations can be compared with values only, found %s", requirement.String())
		}
	}
	return nil
}

// withAnnotation returns the selectors, one of each for each value that the
// annotation may have.
func withAnnotation(selectors []match.Selector, key string, values []string) []match.Selector {
	if len(selectors) == 0 {
		selectors = []match.Selector{{}}
	}
	var all []match.Selector
	for _, s := range selectors {
		for _, value := range values {
			pairs := map[string]string{key: value}
			if union, fits := bothPairs(s.Annotations, pairs); fits {
				s.Annotations = union
				all = append(all, s)
			}
		}
	}
	return all
}
