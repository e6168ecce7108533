package resourcelist_test

import (
	"os"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
)

// benchmarkList is a list of 1,000 Deployments, some 2 MB.
func benchmarkList(b *testing.B) []byte {
	b.Helper()
	manifest, err := os.ReadFile("../../yamldoc/tree/testdata/manifests/deployment.yaml")
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	text.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	item := "- " + strings.ReplaceAll(strings.TrimSpace(string(manifest)), "\n", "\n  ") + "\n"
	for range 1000 {
		text.WriteString(item)
	}
	text.WriteString("functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n")
	return []byte(text.String())
}

func BenchmarkRead(b *testing.B) {
	text := benchmarkList(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := resourcelist.Read(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	list, err := resourcelist.Read(benchmarkList(b))
	if err != nil {
		b.Fatal(err)
	}
	results := make([]report.Result, len(list.Items))
	for i := range results {
		results[i] = report.Result{
			Message: "1 field removed: spec.replicas (ignoreFields[0].jsonPointers[0])", Severity: report.SeverityInfo,
			Ref:   report.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
			Field: report.Field{Path: "spec.replicas", HasCurrent: true, Current: 3},
			Tags:  map[string]string{"reason": report.ReasonFieldsIgnored, "expression": "/spec/replicas", "rule": "0"},
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := list.Write(results); err != nil {
			b.Fatal(err)
		}
	}
}
