package locate

import (
	"os"
	"testing"
	"time"

	"github.com/krm-fields/krm-fields/fn/jq"
)

// BenchmarkLocate finds the same fields in each dialect; jq once by a path that needs no process of its own, and once
// by one that does.
func BenchmarkLocate(b *testing.B) {
	manifest, err := os.ReadFile("../tree/testdata/manifests/deployment.yaml")
	if err != nil {
		b.Fatal(err)
	}
	root := parseYAML(b, string(manifest))
	parseJQ := func(text string) (Expression, error) {
		return ParseJQ(text, jq.Limits{Timeout: time.Minute, Memory: 256 << 20})
	}
	for _, test := range []struct {
		name, expression string
		parse            func(string) (Expression, error)
	}{
		{JSONPath, ".spec.template.spec.containers[*].image", ParseJSONPath},
		{JSONPointer, "/spec/template/spec/containers/*/image", ParseJSONPointer},
		{JQ, ".spec.template.spec.containers[].image", parseJQ},
		{JQ + "InChild", ".spec.template.spec.containers[] | .image, empty", parseJQ},
	} {
		expression, err := test.parse(test.expression)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				found, err := expression.Locate(&Input{Root: root})
				if err != nil || len(found.Locations) == 0 {
					b.Fatal("the field must be found", err)
				}
			}
		})
	}
}
