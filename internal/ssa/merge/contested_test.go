package merge

import (
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/ssa/managedfields"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestContested holds which fields of a live object are contested: those that an applier has and a
// manager beside it that it does not take over.
func TestContested(t *testing.T) {
	for _, test := range []struct{ entries, want string }{
		{"argocd-controller Apply, helm Apply", `.spec.replicas argocd-controller+helm, .spec.template.spec.containers[name="app"].image argocd-controller+helm, ` +
			`.spec.template.spec.nodeSelector argocd-controller+helm whole, .spec.template.spec.tolerations argocd-controller+helm whole`},
		{"ci Apply, kubectl-edit Update", `.spec.replicas ci+kubectl-edit, .spec.template.spec.containers[name="app"].image ci+kubectl-edit, ` +
			`.spec.template.spec.nodeSelector ci+kubectl-edit whole, .spec.template.spec.tolerations ci+kubectl-edit whole`},
		{"kubectl-client-side-apply Update, hpa Update", `.spec.replicas hpa+kubectl-client-side-apply, ` +
			`.spec.template.spec.containers[name="app"].image hpa+kubectl-client-side-apply, .spec.template.spec.nodeSelector hpa+kubectl-client-side-apply whole, .spec.template.spec.tolerations hpa+kubectl-client-side-apply whole`},
		{"hpa Update, injector Update", ""},
		{"kubectl Apply, kubectl-client-side-apply Update", ""},
		{"helm Apply, helm Update", ""},
		{"kustomize-controller Apply, before-first-apply Update", ""},
		{"ci Apply, ci Apply/status", ""},
		{"a Apply, b Apply, c Apply, d Update/status", `.spec.replicas a+b+c, .spec.template.spec.containers[name="app"].image a+b+c, ` +
			`.spec.template.spec.nodeSelector a+b+c whole, .spec.template.spec.tolerations a+b+c whole`},
		{"ci Apply/unknown, hpa Update/unknown", `.unknown[name="a"].v ci+hpa`},
	} {
		var managed []any
		for text := range strings.SplitSeq(test.entries, ", ") {
			words := strings.Fields(text)
			operation, subresource, _ := strings.Cut(words[1], "/")
			entry := map[string]any{"manager": words[0], "operation": operation, "apiVersion": "apps/v1", "fieldsType": "FieldsV1"}
			if subresource == "status" {
				entry["subresource"] = subresource
			}
			entry["fieldsV1"] = map[string]any{"f:spec": map[string]any{"f:replicas": map[string]any{}, "f:template": map[string]any{"f:spec": map[string]any{
				"f:tolerations": map[string]any{}, "f:nodeSelector": map[string]any{},
				"f:containers": map[string]any{`k:{"name":"app"}`: map[string]any{".": map[string]any{}, "f:name": map[string]any{}, "f:image": map[string]any{}}},
			}}}}
			if subresource == "status" {
				entry["fieldsV1"] = map[string]any{"f:status": map[string]any{"f:replicas": map[string]any{}}}
			}
			if subresource == "unknown" { // to the schema
				entry["fieldsV1"] = map[string]any{"f:unknown": map[string]any{`k:{"name":"a"}`: map[string]any{"f:v": map[string]any{}}}}
			}
			managed = append(managed, entry)
		}
		live := tree.FromValue(map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web", "managedFields": managed},
			"unknown": []any{map[string]any{"name": "a", "v": 1}},
			"spec": map[string]any{"replicas": 1, "template": map[string]any{"spec": map[string]any{
				"tolerations": []any{map[string]any{"key": "a"}}, "nodeSelector": map[string]any{"disk": "ssd"}, "containers": []any{map[string]any{"name": "app", "image": "app:1"}},
			}}}})
		entries, _ := managedfields.Of(live)
		var got []string
		for _, c := range Contested(&schema.Schemas{}, live, entries) {
			text := c.Path.String() + " " + strings.Join(c.Managers, "+")
			if c.IsWhole {
				text += " whole"
			}
			got = append(got, text)
		}
		if slices.Sort(got); strings.Join(got, ", ") != test.want {
			t.Errorf("%s: got %s, want %s", test.entries, strings.Join(got, ", "), test.want)
		}
	}
}
