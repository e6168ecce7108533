package convert

import (
	"errors"
	"strings"

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
var fromFlux = Source{Name: "flux", Title: "Flux", Holds: "a Kustomization or a HelmRelease of Flux", read: readFlux}

func readFlux(root *tree.Node) []*source {
	o := selector.Of(root)
	switch {
	case o.Group == "kustomize.toolkit.fluxcd.io" && o.Kind == "Kustomization":
		return readPathRules(root, "Flux", "ignore", "spec")
	case o.Group == "helm.toolkit.fluxcd.io" && o.Kind == "HelmRelease":
		return readPathRules(root, "Flux", "ignore", "spec", "driftDetection")
	}
	return nil
}

// readPathRules reads a list of paths with targets, which is a member of the map at the given keys.
func readPathRules(root *tree.Node, program, list string, at ...string) []*source {
	s := newSource(root)
	path := strings.Join(at, ".")
	parent := tree.Get(root, at...)
	entries := tree.Lookup(parent, list)
	if entries != nil && !tree.IsList(entries) && tree.Type(entries) != tree.Null {
		s.fault(path+"."+list, "must be a list, found %s", config.Found(entries))
	}
	for i, n := range tree.Elements(entries) {
		var entry fluxRule
		r := &rule{path: element(path+"."+list, i), condition: rules.OnSpokePresent}
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

var errTemplate = errors.New("it is a template, whose result is unknown")

// readTarget gives the rule the selectors for a target.
func (r *rule) readTarget(t fluxTarget) {
	var alternatives [5][]*string
	for i, field := range []struct{ name, text string }{
		{"group", t.Group}, {"version", t.Version}, {"kind", t.Kind}, {"name", t.Name}, {"namespace", t.Namespace},
	} {
		globs, dots, err := fromRegex(field.text)
		path := r.path + ".target." + field.name
		if isTemplate(field.text) {
			err = errTemplate
		}
		if err != nil {
			r.drop(path, "%s: %s", config.Quote(field.text), err)
			return
		}
		if dots {
			r.remark(path, "a dot in %s matches any character there, but only a dot in krm-fields", config.Quote(field.text))
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
	if t.LabelSelector != "" {
		r.narrow(func(s *selector.Selector) { s.LabelSelector = &t.LabelSelector })
	}
	if t.AnnotationSelector != "" {
		r.narrow(func(s *selector.Selector) { s.AnnotationSelector = &t.AnnotationSelector })
	}
}

// drop leaves the whole rule out.
func (r *rule) drop(path, format string, args ...any) {
	r.expressions = nil
	r.leaveOut(path, format, args...)
}

// narrow changes each selector of the rule, or the one for all objects.
func (r *rule) narrow(change func(*selector.Selector)) {
	if len(r.selectors) == 0 {
		r.selectors = []selector.Selector{{}}
	}
	for i := range r.selectors {
		change(&r.selectors[i])
	}
}
