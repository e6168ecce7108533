package expr

import (
	"os"
	"testing"
	"time"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
)

// BenchmarkLocate finds the same fields in each dialect; jq once by a path that needs no process of
// its own, and once by one that does.
func BenchmarkLocate(b *testing.B) {
	manifest, err := os.ReadFile("../yamldoc/tree/testdata/manifests/deployment.yaml")
	if err != nil {
		b.Fatal(err)
	}
	root := golden.Parse(b, string(manifest))
	parseJQ := func(text string) (Expression, error) {
		return jqpath.Parse(text, jq.Limits{Timeout: time.Minute, Memory: 256 << 20})
	}
	for _, test := range []struct {
		name, expression string
		parse            func(string) (Expression, error)
	}{
		{jsonpath.Dialect.Name, ".spec.template.spec.containers[*].image", jsonpath.Parse},
		{jsonpointer.Dialect.Name, "/spec/template/spec/containers/*/image", jsonpointer.Parse},
		{jqpath.Dialect.Name, ".spec.template.spec.containers[].image", parseJQ},
		{jqpath.Dialect.Name + "Condition", `.spec.template.spec.containers[] | select((.name // "") | startswith("")) | .image`, parseJQ},
		{jqpath.Dialect.Name + "ByGojq", `.spec.template.spec.containers[] | select(.name | ltrimstr("x") != "") | .image`, parseJQ},
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
