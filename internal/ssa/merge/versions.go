package merge

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
)

// isServed tells whether the API server has the version of a manager: it forgets others.
func (p *predictor) isServed(m Manager) bool {
	version := schema.ParseGVK(m.APIVersion, "")
	return p.kind.Origin == schema.Assumed || version.Group == p.kind.Group && slices.Contains(p.kind.Versions, version.Version)
}

// unknown says why it is not known which fields of the object a manager has; nil if it is.
func (p *predictor) unknown(m Manager) error {
	isOther, isOfKubernetes := m.APIVersion != string(p.version), p.kind.Origin == schema.Kubernetes
	switch {
	case !p.isServed(m):
		return nil
	case !isOther && isOfKubernetes && !hasFields(p.kind.Type, m.Fields):
		return words.Errorf("%s has fields that %s of Kubernetes %s does not have; --openapi takes the kinds of the server itself",
			m.Name, m.APIVersion, schema.KubernetesVersion())
	case isOther && p.kind.Origin == schema.Assumed:
		return words.Errorf("the fields that %s has are of %s, and there is no schema of the kind; give its CustomResourceDefinition by --crds",
			m.Name, m.APIVersion)
	case isOther && p.kind.HasWebhook:
		return words.Errorf("the fields that %s has are of %s, which a webhook converts", m.Name, m.APIVersion)
	case isOther && isOfKubernetes && (!hasFields(p.kind.Type, m.Fields) || !p.hasValues(m.Fields)):
		return words.Errorf("the fields that %s has are of %s; conversion between versions is the API server's", m.Name, m.APIVersion)
	}
	return nil
}

// hasValues tells whether the live object has all fields of a set but the status. One that it lacks
// has another name in the version of the package, such as the annotation for the metrics of
// autoscaling/v1.
func (p *predictor) hasValues(fields *fieldpath.Set) bool {
	values, all := finder{}, true
	for path := range fields.Leaves().All() {
		if *path[0].FieldName != "status" {
			_, _, isThere := values.find(p.kind.Type, path, p.live)
			all = all && isThere
		}
	}
	return all
}
