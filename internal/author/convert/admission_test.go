package convert

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"cel.dev/cel-go/cel"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestAdmission converts each input to policies. An input whose rules name no owner fails.
func TestAdmission(t *testing.T) {
	golden.Run(t, "../../../testdata/admission/*.txtar", func(t *testing.T, c *golden.Case) {
		owners := strings.Fields(string(c.File("owners")))
		out, err := Convert("", "admission-policy", parse(t, "", c.File("input.yaml")), Options{Owners: owners, Action: "Warn"})
		if err != nil {
			t.Fatal(err)
		}
		got := warningLines(out.Results)
		if !fn.HasError(out.Results) {
			got += text(t, out.Documents)
		}
		c.Expect(t, []string{"owners", "input.yaml"}, txtar.File{Name: "policy.yaml", Data: []byte(got)})
		for _, o := range out.Documents {
			for _, e := range expressionsOf(o.Root()) {
				compileCEL(t, e)
			}
		}
	})
}

// TestAdmissionWithoutOwner holds that a field that nobody could write is an error.
func TestAdmissionWithoutOwner(t *testing.T) {
	input := parse(t, "", []byte("apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nignoreFields:\n- jsonPointers: [/spec/replicas]\n"))
	out, err := Convert("", "admission-policy", input, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Results) != 1 || out.Results[0].Severity != report.SeverityError || out.Results[0].Field.Path != "ignoreFields[0].jsonPointers[0]" {
		t.Errorf("want an error at the pointer, found %v", out.Results)
	}
}

// expressionsOf are all expressions of a policy.
func expressionsOf(policy *tree.Node) (all []string) {
	for _, list := range []string{"matchConditions", "validations"} {
		for _, entry := range tree.Elements(tree.Get(policy, "spec", list)) {
			all = append(all, tree.GetString(entry, "expression"))
			if message := tree.GetString(entry, "messageExpression"); message != "" {
				all = append(all, message)
			}
		}
	}
	return all
}

// compileCEL compiles an expression as the API server does, which has the optional types of CEL.
func compileCEL(t *testing.T, expression string) cel.Program {
	t.Helper()
	env, err := cel.NewEnv(cel.OptionalTypes(), cel.Variable("object", cel.DynType), cel.Variable("oldObject", cel.DynType), cel.Variable("request", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		t.Fatalf("%s\n%v", expression, issues.Err())
	}
	program, err := env.Program(ast)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// admitted are expressions that a policy can have.
var admitted = []struct{ dialect, text string }{
	{"jsonPointer", "/spec/replicas"},
	{"jsonPointer", "/metadata/annotations/example.com~1a"},
	{"jsonPointer", "/spec/template/spec/containers/0/image"},
	{"jsonPointer", "/spec/template/spec/containers/*/image"},
	{"jsonPointer", "/metadata/labels/8080"},
	{"jsonPath", `.spec.template.spec.containers[?(@.name=="app")].image`},
	{"jsonPath", ".spec.template.spec.containers[*].resources.limits"},
	{"jsonPath", `.spec.template.spec.containers[*].env[?(@.name=="X")].value`},
	{"jsonPath", `.metadata.labels['tier']`},
	{"jq", `.spec.template.spec.containers[]? | select(.name == "app")`},
	{"jq", `.spec.template.spec.containers[]? | select(.name | startswith("a")) | .image`},
	{"jq", `.spec.template.spec.containers[]? | select(.name != "app" and (.image | not)) | .env`},
	{"jq", `.spec.template.spec.containers[]? | select(.image == null or .name == "proxy")`},
	{"jq", ".spec.replicas, .spec.paused"},
	{"jq", `.spec.template.spec.containers[]?.env[]? | select(has("value")) | .value`},
}

// TestAdmissionDecides holds on random writes that a write is let through exactly where what the
// expression finds is the same before and after it.
func TestAdmissionDecides(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	w := &admissionWriter{}
	rule := &rule{path: "r", selectors: []selector.Selector{{Group: new("apps"), Kind: new("Deployment")}}}
	types := w.types(rule.targets())
	refused, let := 0, 0
	for _, e := range admitted {
		translated, err := celDialects.translate(rule, expression{dialect: e.dialect, text: e.text})
		if err != nil {
			t.Errorf("%s: %v", e.text, err)
			continue
		}
		unchanged, err := celUnchanged(translated.dialect, translated.text, types)
		if err != nil {
			t.Errorf("%s: %v", e.text, err)
			continue
		}
		program := compileCEL(t, unchanged)
		for range 250 {
			before, after := randomDeployment(r), randomDeployment(r)
			got, _, err := program.Eval(map[string]any{"object": tree.Value(after), "oldObject": tree.Value(before), "request": map[string]any{}})
			if err != nil {
				t.Fatalf("%s: %v", e.text, err)
			}
			want := reflect.DeepEqual(found(t, e.dialect, e.text, before), found(t, e.dialect, e.text, after))
			if got.Value() != want {
				t.Errorf("%s is let through: %v, want %v\nbefore %v\nafter %v\n%s", e.text, got, want, tree.Value(before), tree.Value(after), unchanged)
			}
			if want {
				let++
			} else {
				refused++
			}
		}
	}
	if refused < 500 || let < 500 {
		t.Errorf("%d refused and %d let through prove little", refused, let)
	}
}

// found are the values that an expression finds.
func found(t *testing.T, name, text string, root *tree.Node) (values []any) {
	t.Helper()
	d, _ := expr.ByName(name)
	e, err := d.Parse(text, jq.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	locations, err := e.Locate(&expr.Input{Root: root, WithoutHint: true})
	if err != nil {
		return nil // as the JSONPath that is applied to no list
	}
	for _, l := range locations.Locations {
		values = append(values, tree.Value(location.At(root, l)))
	}
	return values
}

// randomDeployment returns one whose fields are there or not, with few values.
func randomDeployment(r *rand.Rand) *tree.Node {
	some := func(text string) string {
		if r.IntN(3) == 0 {
			return ""
		}
		return text
	}
	containers := ""
	for _, name := range []string{"app", "proxy", "agent"}[:r.IntN(4)] {
		containers += "      - name: " + name + "\n" + some(fmt.Sprintf("        image: i%d\n", r.IntN(2))) +
			some(fmt.Sprintf("        resources: {limits: {cpu: %d}}\n", r.IntN(2))) +
			some(fmt.Sprintf("        env: [{name: X, value: v%d}, {name: Y}]\n", r.IntN(2)))
	}
	if containers != "" {
		containers = "      containers:\n" + containers
	}
	text := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n" +
		some(fmt.Sprintf("  annotations: {example.com/a: a%d}\n", r.IntN(2))) +
		some(fmt.Sprintf("  labels: {tier: t%d, '8080': x%d}\n", r.IntN(2), r.IntN(2))) +
		"spec:\n" + some(fmt.Sprintf("  replicas: %d\n", r.IntN(2))) + some("  paused: true\n") +
		"  template:\n    spec:\n      restartPolicy: Always\n" + containers
	o, err := object.ParseDocument([]byte(text))
	if err != nil {
		panic(err)
	}
	return o.Root()
}
