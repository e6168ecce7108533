package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/author/audit"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

const (
	replicas   = `{"f:spec": {"f:replicas": {}}}`
	sent       = `{"f:metadata": {"f:annotations": {"f:kubectl.kubernetes.io/last-applied-configuration": {}}}, "f:spec": {"f:replicas": {}}}`
	autoscaler = `
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, maxReplicas: 9}
`
)

// deployment is a live Deployment with entries of its managedFields.
func deployment(entries ...string) string {
	return fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop, managedFields: [%s]}\nspec: {replicas: 3}\n",
		strings.Join(entries, ", "))
}

// entry is one of the managedFields.
func entry(manager, operation, fields string) string {
	return fmt.Sprintf("{manager: %s, operation: %s, apiVersion: apps/v1, fieldsType: FieldsV1, fieldsV1: %s}", manager, operation, fields)
}

// TestFind audits a stream.
func TestFind(t *testing.T) {
	argocd := entry("argocd-controller", "Apply", replicas)
	tests := map[string]struct {
		stream, manager string
		want, warnings  []string
	}{
		"one owner":   {stream: deployment(argocd)},
		"two owners":  {stream: deployment(argocd, entry("operator", "Update", replicas)), want: []string{"contested .spec.replicas argocd-controller, operator"}},
		"two updates": {stream: deployment(entry("a", "Update", replicas), entry("b", "Update", replicas))},
		"a manager that has no part in it": {
			stream: deployment(argocd, entry("operator", "Update", replicas)), manager: "helm",
		},
		"an autoscaler that has not scaled": {
			stream: deployment(argocd) + autoscaler, want: []string{"claimed .spec.replicas argocd-controller"},
		},
		"client-side apply": {
			stream: deployment(argocd, entry("kubectl-client-side-apply", "Update", sent)),
			want: []string{
				"contested .spec.replicas argocd-controller, kubectl-client-side-apply",
				"leftBehind  kubectl-client-side-apply",
			},
		},
		"an entry that can't be read": {
			stream: deployment(argocd, entry("operator", "Update", "[1]")), warnings: []string{report.ReasonInvalidManagedFields},
		},
		"an object twice": {
			stream: strings.ReplaceAll(strings.Repeat(deployment(argocd, entry("operator", "Update", replicas))+"---\n", 2), "{name: web", "{uid: u, name: web"),
			want:   []string{"contested .spec.replicas argocd-controller, operator"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := audit.Audit{Schemas: &schema.Schemas{}, Manager: test.manager}
			if err := a.AddOwners(strings.NewReader(test.stream)); err != nil {
				t.Fatal(err)
			}
			var got, warnings []string
			isFull, err := a.Find(strings.NewReader(test.stream),
				func(f audit.Finding) {
					got = append(got, fmt.Sprintf("%s %s %s", f.Problem, f.Field, strings.Join(f.Managers, ", ")))
				},
				func(r report.Result) { warnings = append(warnings, r.Tags["reason"]) })
			if err != nil || !isFull {
				t.Errorf("the stream must have objects, found %t, %v", isFull, err)
			}
			if diff := cmp.Diff([][]string{test.want, test.warnings}, [][]string{got, warnings}); diff != "" {
				t.Errorf("findings and warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCheck reads streams with objects, without any, and with a fault.
func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "true <nil>",
		deployment():                            "true <nil>",
		"apiVersion: v1\nkind: List\nitems: []": "true <nil>",
		"a: [":                                  "false object 1: line 1: did not find expected node content",
	} {
		isFull, err := new(audit.Audit).Check(strings.NewReader(text))
		if got := fmt.Sprint(isFull, " ", err); !strings.HasPrefix(got, want) {
			t.Errorf("%q: must be %q, found %q", text, want, got)
		}
	}
}
