package selector

import "testing"

func BenchmarkSelects(b *testing.B) {
	s := selection(b, `{selectors: [{group: apps, kind: Deployment, name: "w*"}], exclude: [{labels: {tier: db}}]}`)
	root := parse(b, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default, labels: {tier: web}}}")
	b.ReportAllocs()
	for b.Loop() {
		if !s.Selects(Of(root)) {
			b.Fatal("not selected")
		}
	}
}
