package convert

import (
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fromArgoAnnotations reads the annotations of the objects of a package.
var fromArgoAnnotations = Source{
	Name: "argocd-annotations", Title: "Argo CD annotations", Holds: "objects with the annotation " + rules.ArgoCDAnnotation,
	read: readArgoAnnotations, isOne: true,
}

func readArgoAnnotations(root *tree.Node) []*source {
	o := selector.Of(root)
	s := newSource(root)
	read := func(name string, parse func(string) rules.ArgoCDFields) {
		value := tree.Get(root, "metadata", "annotations", name)
		if value == nil {
			return
		}
		fields := parse(value.Text())
		r := &rule{path: join("metadata.annotations", name), condition: rules.OnSpokePresent}
		for _, reason := range fields.PassedOver {
			r.change(r.path, "Argo CD passes over %s", reason)
		}
		for _, pointer := range fields.JSONPointers {
			r.addPath(argoCD, r.path, pointer)
		}
		s.add(r, jqpath.Dialect, "jqPathExpressions", fields.JQPathExpressions)
		r.selectors = []selector.Selector{{Group: &o.Group, Kind: &o.Kind, Name: &o.Name, Namespace: given(o.Namespace)}}
		s.rules = append(s.rules, r.oneByOne()...)
	}
	read(rules.ArgoCDAnnotation, rules.ParseArgoCD)
	read(rules.ArgoCDPointersAnnotation, rules.ParseArgoCDPointers)
	if len(s.rules) == 0 {
		return nil
	}
	return []*source{s}
}
