package objecthash

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"

	"go.yaml.in/yaml/v3"
	agent "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestComputeOCMVector is a test of the agent:
// https://github.com/open-cluster-management-io/ocm/blob/main/pkg/work/spoke/apply/server_side_apply_test.go
func TestComputeOCMVector(t *testing.T) {
	root := parse(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: test, namespace: default}\ndata: {foo1: bar1}\n")
	if got, want := Compute(root, OCM, annotation), "4c07ba481d04e9c38e5ed3bf24139537"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestComputeOCMPrintsAsTheAgentDoes decodes objects as the agent does and hashes what fmt makes of
// them.
func TestComputeOCMPrintsAsTheAgentDoes(t *testing.T) {
	for _, spec := range []string{
		`{a: 1, b: -1, c: 0, d: 0644, e: 0x1F}`,
		`{a: 1.5, b: 1e3, c: 1.0, d: 1e-7, e: -0.0, f: 2.50}`,
		`{a: 9007199254740993, b: 9223372036854775807, c: -9223372036854775808}`,
		`{a: 9223372036854775808, b: -9223372036854775809, c: 18446744073709551615}`,
		`{a: 1000000000000000000000, b: 1e21, c: 1e20, d: 1e18, e: 9.3e18, f: 1.152921504606846976e18}`,
		`{a: null, b: true, c: "null", d: "", e: [], f: {}, g: [null, [1, "x"], {h: 1}]}`,
		`{a: "b c:d", e: "map[f:1]", g: "é\n"}`,
		`{b: 1, a: 2, "10": 3, "9": 4}`,
	} {
		text := "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: test, labels: {a: b}}\nspec: " + spec + "\n"
		if got, want := Compute(parse(t, text), OCM, annotation), agentHash(t, text); got != want {
			t.Errorf("%s: got %s, want %s", spec, got, want)
		}
	}
}

func agentHash(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	manifest, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	object := &agent.Unstructured{}
	if err := object.UnmarshalJSON(manifest); err != nil {
		t.Fatal(err)
	}
	sum := md5.Sum(fmt.Appendf(nil, "%v", object))
	return hex.EncodeToString(sum[:])
}

// TestComputeOCMConfusesObjects pins down the weakness that the agent's hash has, so that the
// documentation stays right.
func TestComputeOCMConfusesObjects(t *testing.T) {
	one, other := parse(t, `{a: "b c:d"}`), parse(t, `{a: b, c: d}`)
	if Compute(one, OCM, annotation) != Compute(other, OCM, annotation) {
		t.Error("the hashes differ, which the documentation denies")
	}
}
