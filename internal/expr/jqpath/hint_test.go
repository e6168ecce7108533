package jqpath

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
)

const hintObject = `
spec:
  containers:
  - {name: app, image: "app:1", ports: [{containerPort: 80}], env: [], args: null}
  - {name: proxy, image: "proxy:1"}
  replicas: 3
  paused: null
  none: {}
data: {a: "1", b: "2"}
`

func TestFindsNothing(t *testing.T) {
	root := golden.Parse(t, hintObject)
	for _, test := range []struct{ expression, hint, missing string }{
		{`.spec.replica`, `spec has no key "replica"; did you mean "replicas"?`, "/spec/replica"},
		{`.spec | .strategy`, `spec has no key "strategy"`, "/spec/strategy"},
		{`.spec|.strategy|.type`, `spec has no key "strategy"`, "/spec/strategy"},
		{`.spec.containers[].resources`, `spec.containers[0] has no key "resources"`, "/spec/containers/0/resources"},
		{`.spec.containers[].imag`, `spec.containers[0] has no key "imag"; did you mean "image"?`, "/spec/containers/0/imag"},
		{`.spec.containers[] | select(.name == "app") | .resources.limits`, `spec.containers[0] has no key "resources"`, "/spec/containers/0/resources"},
		{`.spec.containers[1]?.ports[]?`, `spec.containers[1] has no key "ports"`, "/spec/containers/1/ports"},
		{`.spec.containers[] | select(.name=="x") | .image`, `no element of spec.containers matches select(.name == "x")`, ""},
		{`.spec.containers[] | select(.name == "app") | select(.image == "x")`, `spec.containers[0] does not match select(.image == "x")`, ""},
		{`select(.kind == "x") | .spec`, `the object does not match select(.kind == "x"); selectors choose the objects of a rule, such as selectors: [{kind: Deployment, name: web}]`, ""},
		{`(.spec.containers[] | select(.name == "x")) | .image`, `no element of spec.containers matches select(.name == "x")`, ""},
		{`(.spec.containers[] | select(.name == "x")) | select(.image == "x")`, `no element of spec.containers matches select(.name == "x")`, ""},
		{`.spec.containers[0] | select(.name == "x")`, `spec.containers[0] does not match select(.name == "x")`, ""},
		{`.data[] | select(. == "3")`, `no member of data matches select(. == "3")`, ""},
		{`.spec.containers[2].image`, `spec.containers has 2 elements`, ""},
		{`.spec.containers[-3]`, `spec.containers has 2 elements`, ""},
		{`.spec.containers[0].env[]`, `spec.containers[0].env has 0 elements`, ""},
		{`.spec.containers[0].env[]?.name`, `spec.containers[0].env has 0 elements`, ""},
		{`.spec | .none[]`, `spec.none is empty`, ""},
		{`.spec.containers[0] | .args[]?`, `spec.containers[0].args is null, which jq does not find`, ""},
		{`.spec.replicas[]?`, `spec.replicas is a number`, ""},
		{`.spec.containers.name?`, `nothing in spec.containers, which has 2 elements, matches the rest of the expression`, ""},
		{`.spec.paused`, `spec.paused is null, which jq does not find; write the JSON Pointer '/spec/paused'`, ""},
		{`.spec.paused.x`, `spec.paused is null, which jq does not find`, ""},
		{`.spec.containers[0] | (.resources, .limits)`, `nothing in spec.containers[0] matches the rest of the expression`, ""},
		{`.data | keys[] | select(. == "no")`, `nothing in data matches the rest of the expression; write '.data | with_entries(select(.key | . == "no"))'`, ""},
		{`.data | to_entries[] | select(.key == "no")`, `nothing in data matches the rest of the expression; write '.data | with_entries(select(.key == "no"))'`, ""},
		{`.data | with_entries(select(.key == "x"))`, `nothing in data matches the rest of the expression`, ""},
		{`.spec.containers | if . then empty else . end`, `nothing in spec.containers, which has 2 elements, matches the rest of the expression`, ""},
	} {
		found := locate(t, test.expression, &dialect.Input{Root: root})
		if diff := cmp.Diff(dialect.Match{Hint: test.hint}, found, cmpopts.IgnoreFields(dialect.Match{}, "Quotes", "Depth", "Missing")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.expression, diff)
		}
		if missing := found.Missing.Pointer(); missing != test.missing {
			t.Errorf("%s: the missing field is %q, want %q", test.expression, missing, test.missing)
		}
	}
}

// TestFindsNothingInManySteps makes a hint for an expression of 20,000 steps.
func TestFindsNothingInManySteps(t *testing.T) {
	root := golden.Parse(t, strings.Repeat("{a: ", 100)+"{}"+strings.Repeat("}", 100))
	found := locate(t, strings.Repeat(".a|", 20_000)+".a", &dialect.Input{Root: root})
	if found.Depth != 100 {
		t.Errorf("the depth must be 100, is %d (%s)", found.Depth, found.Hint)
	}
}

func locate(t *testing.T, expression string, in *dialect.Input) dialect.Match {
	t.Helper()
	e, err := Parse(expression, jq.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := e.Locate(in)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
