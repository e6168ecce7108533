package merge

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// emptyCounts are the fields of kinds in which an empty map or list is another generation than
// none: https://github.com/kubernetes/kubernetes/tree/v1.37.2/pkg/registry compares them by Go's
// reflect.DeepEqual.
var emptyCounts = map[schema.GVK]string{
	{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"}:                             "spec",
	{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "MutatingWebhookConfiguration"}:   "webhooks",
	{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingWebhookConfiguration"}: "webhooks",
}

// isNextGeneration tells whether an object gets another generation by an empty map or list that no
// default fills.
func (p *predictor) isNextGeneration(merged map[string]any) bool {
	field := emptyCounts[p.kind.GVK]
	if field == "" {
		return false
	}
	filled, _ := schema.Numbers(merged).(map[string]any)
	p.kind.Fill(filled)
	return hasEmpty(filled[field], p.kind.Type.Member(field))
}

// hasEmpty tells whether an empty map or list, which Go does not write, is in a value.
func hasEmpty(value any, t *schema.Type) bool {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			if hasEmpty(member, t.Member(key)) {
				return true
			}
		}
		return len(v) == 0 && t != nil && t.Map != nil && len(t.Map.Fields) == 0
	case []any:
		return len(v) == 0 || slices.ContainsFunc(v, func(element any) bool { return hasEmpty(element, t.Element()) })
	}
	return false
}
