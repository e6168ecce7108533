package config

import (
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// operators are those of Kubernetes' matchExpressions.
var operators = map[string]selection.Operator{
	"In": selection.In, "NotIn": selection.NotIn, "Exists": selection.Exists, "DoesNotExist": selection.DoesNotExist,
}

// fixLabelSelector says how to write a map of labels, or Kubernetes' matchLabels and
// matchExpressions, as a label selector; "" if n is another map.
func fixLabelSelector(n *tree.Node) string {
	pairs, expressions := tree.Get(n, "matchLabels"), tree.Get(n, "matchExpressions")
	if pairs == nil && expressions == nil {
		pairs = n
	}
	var terms []string
	add := func(key string, operator selection.Operator, values []string) bool {
		requirement, err := labels.NewRequirement(key, operator, values)
		if err == nil {
			terms = append(terms, requirement.String())
		}
		return err == nil
	}
	for key, value := range tree.Entries(pairs) {
		if !add(key, selection.Equals, []string{tree.GetString(value)}) {
			return ""
		}
	}
	for _, e := range tree.Elements(expressions) {
		var values []string
		for _, v := range tree.Elements(tree.Get(e, "values")) {
			values = append(values, tree.GetString(v))
		}
		if !add(tree.GetString(e, "key"), operators[tree.GetString(e, "operator")], values) {
			return ""
		}
	}
	if len(terms) == 0 {
		return ""
	}
	return "; write it as text: " + Quote(words.Shorten(strings.Join(terms, ","), maxFound))
}
