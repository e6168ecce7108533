package convert

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// ackAnnotation lists fields of an AWS resource that its controller leaves to AWS
// (https://aws-controllers-k8s.github.io/docs/guides/ignore-field-drift).
const ackAnnotation = "services.k8s.aws/ignore-field-drift"

// fromACK reads the annotations of the AWS Controllers for Kubernetes.
var fromACK = Source{
	Name: "ack", Title: "AWS Controllers for Kubernetes", Holds: "objects with the annotation " + ackAnnotation,
	read: readACK, isOne: true,
}

func readACK(root *tree.Node) []*source {
	o := selector.Of(root)
	value := tree.Get(root, "metadata", "annotations", ackAnnotation)
	if value == nil || o.Kind == "" {
		return nil
	}
	s := newSource(root)
	r := newRule(config.Child("metadata.annotations", ackAnnotation))
	r.selectOnly(o)
	for _, text := range strings.Split(value.Text(), ",") {
		text = "." + strings.TrimPrefix(strings.TrimSpace(text), ".")
		if _, err := jsonpath.Parse(text); err != nil || !strings.HasPrefix(text, ".spec") {
			r.leaveOut(r.path, "%s must be a field of spec", config.Quote(text[1:]))
			continue
		}
		r.expressions = append(r.expressions, expression{dialect: jsonpath.Dialect.Name, text: text, path: r.path})
	}
	s.rules = append(s.rules, r)
	return []*source{s}
}
