package convert

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// argoAnnotation lists what Argo CD ignores in the object that has it (argo-cd#29616, merged in
// September 2026): JSON Pointers, with commas between.
const argoAnnotation = "argocd.argoproj.io/ignore-differences-json-pointers"

// fromArgoAnnotations reads the annotations of the objects of a package.
var fromArgoAnnotations = Source{
	Name: "argocd-annotations", Title: "Argo CD annotations", Holds: "objects with the annotation " + argoAnnotation, read: readArgoAnnotations, isOne: true,
}

func readArgoAnnotations(root *tree.Node) []*source {
	value := tree.Get(root, "metadata", "annotations", argoAnnotation)
	if value == nil {
		return nil
	}
	o := selector.Of(root)
	s := newSource(root)
	r := &rule{path: join("metadata.annotations", argoAnnotation), condition: rules.OnSpokePresent}
	for text := range strings.SplitSeq(tree.GetString(value), ",") {
		if text = strings.TrimSpace(text); text != "" {
			r.addPath(argoCD, r.path, text)
		}
	}
	r.selectors = []selector.Selector{{Group: &o.Group, Kind: &o.Kind, Name: &o.Name, Namespace: given(o.Namespace)}}
	s.rules = append(s.rules, r.oneByOne()...)
	return []*source{s}
}
