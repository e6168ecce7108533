package jsonpath

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestJSONPathAgreesWithKubectl evaluates paths with client-go, as kubectl does, and holds the
// values at the locations against what comes out.
func TestJSONPathAgreesWithKubectl(t *testing.T) {
	root := golden.Parse(t, pathObject)
	for _, expression := range []string{
		`.spec.replicas`, `$.spec.replicas`, `$`, `@`, ` .spec .replicas`,
		`.metadata.name`, `.metadata['name']`, `['metadata']['labels'].app`, `['metadata.name']`,
		`.spec.containers[0].name`, `.spec.containers[-1].image`, `.spec.containers[-3].name`,
		`.spec.containers[0:2].image`, `.spec.containers[1:]`, `.spec.containers[:-1].image`,
		`.spec.containers[::2].image`, `.spec.containers[0:3:2].image`, `.spec.containers[-2:].image`,
		`.spec.containers[*].image`, `.spec.containers[:].name`, `.spec.containers[*]['name','image']`,
		`.spec.containers.*.image`, `.spec.containers[2].limits.*`, `.matrix[*][0]`, `.matrix[0][-1]`,
		`..cpu`, `.spec..name`, `.spec...cpu`, `.spec..['cpu']`, `.spec..containers[0].name`,
		`.spec['replicas','ratio']`, `.spec['replicas', 'absent']`, `.spec.containers[0,2].image`,
		`.spec.containers[?(@.name=="app")].image`, `.spec.containers[?(@.name=='app')].image`,
		`.spec.containers[?(@.name == "sidecar.v2")].image`, `.spec.containers[?(@.name!="app")].image`,
		`.spec.containers[?(@.image=="[x]")].image`, `.spec.containers[?(@.name>"b")].name`,
		`.spec.containers[?(@.limits)].image`, `.spec.containers[?(@.limits.cpu==1)].image`,
		`.spec.containers[?(@..cpu==1)].image`, `.spec.containers[?(@.ready==true)].name`,
		`.spec.containers[?(@.ready!=true)].name`, `.spec.containers[?(@.port<81)].name`,
		`.spec.containers[?(@.port>=80)].name`, `.spec.containers[?(@.port==+80)].name`,
		`.spec.containers[?(@.big==9007199254740993)].name`, `.spec.containers[?("app"==@.name)].image`,
		`.spec.containers[?(@.big==@.big)].name`, `.spec.containers[?($.name=="app")].image`,
		`.spec.containers[?(@.absent)].name`, `.spec.containers[?(@.absent!="x")].name`,
		`.spec.containers[?(@.port==@.absent)].name`, `.spec.containers[?(@)].image`,
		`.spec.containers[?(@.name=="app")].args[?(@!="b")]`,
		`.spec.absent`, `.spec.absent[0]`, `.spec.paused`, `.spec.paused[0]`, `.spec.paused.x`,
		`.spec.replicas.x`, `.spec.absent[?(@.x)]`, `.copy.replicas`, `.merged.ratio`,
	} {
		kubectl := jsonpath.New("").AllowMissingKeys(true)
		if err := kubectl.Parse("{" + expression + "}"); err != nil {
			t.Errorf("%s: client-go: %v", expression, err)
			continue
		}
		results, err := kubectl.FindResults(tree.Value(root))
		if err != nil {
			t.Errorf("%s: client-go: %v", expression, err)
			continue
		}
		var want []string
		for _, value := range results[0] {
			want = append(want, asJSON(t, value.Interface()))
		}
		var got []string
		for _, l := range locateIn(t, pathObject, expression).Locations {
			got = append(got, asJSON(t, tree.Value(location.At(root, l))))
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-kubectl +got):\n%s", expression, diff)
		}
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
