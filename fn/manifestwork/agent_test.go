package manifestwork

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubectl "k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const service = `{
	"apiVersion": "v1", "kind": "Service",
	"metadata": {"name": "web", "namespace": "default", "labels": {"a.b/c": "d", "nodePort": "x"},
		"annotations": {"prometheus.io/port": "8080"}},
	"spec": {"ports": [{"name": "http", "port": 80, "nodePort": 30080,
			"targets": [{"weight": "a"}, {"weight": "b"}]}, {"name": "metrics.v2", "port": 9090, "nodePort": 30090, "targets": [{"weight": "c"}]}],
		"externalIPs": ["192.0.2.1", "192.0.2.2"]},
	"nodePort": 1
}`

// The functions below do what the agent does, with the libraries that it uses:
// pkg/work/spoke/apply/server_side_apply.go of https://github.com/open-cluster-management-io/ocm at
// v1.3.1.

func agentRemovesByPath(object map[string]any, path string) error {
	keys := strings.Split(path, ".")
	last := keys[len(keys)-1]
	finder := kubectl.New("ignoreFields").AllowMissingKeys(true)
	_ = finder.Parse(fmt.Sprintf("{%s}", strings.TrimSuffix(path, "."+last)))
	results, _ := finder.FindResults(object)
	for _, result := range results {
		for _, r := range result {
			if found, ok := r.Interface().(map[string]any); ok {
				delete(found, last)
			}
		}
	}
	return nil
}

// agentRemovesByPointer passes over what is missing, as the agent does.
func agentRemovesByPointer(object map[string]any, pointer string) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	operations, err := json.Marshal([]map[string]string{{"op": "remove", "path": pointer}})
	if err != nil {
		return err
	}
	patch, err := jsonpatch.DecodePatch(operations)
	if err != nil {
		return err
	}
	text, err = patch.Apply(text)
	switch {
	case errors.Is(err, jsonpatch.ErrMissing):
		return nil
	case err != nil:
		return err
	}
	return replace(object, text)
}

func agentRemovesByJQ(object map[string]any, expression string) error {
	query, err := gojq.Parse("del(" + expression + ")")
	if err != nil {
		return err
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return err
	}
	result, _ := code.Run(object).Next()
	if _, failed := result.(error); failed {
		return fmt.Errorf("%s fails", expression) // the text of the error panics on int64
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return replace(object, text)
}

func replace(object map[string]any, text []byte) error {
	var changed unstructured.Unstructured
	if err := changed.UnmarshalJSON(text); err != nil {
		return err
	}
	clear(object)
	for key, value := range changed.Object {
		object[key] = value
	}
	return nil
}

// agents are the agent's functions by dialect.
var agents = map[string]func(object map[string]any, expression string) error{
	jsonpath.Dialect.Name: agentRemovesByPath, jsonpointer.Dialect.Name: agentRemovesByPointer, jqpath.Dialect.Name: agentRemovesByJQ,
}

var agentExpressions = map[string][]string{
	jsonpath.Dialect.Name: {
		".spec.externalIPs", ".spec", "$.spec.externalIPs", "$.spec", "{.spec.externalIPs}", " .spec.externalIPs", ".spec.externalIPs ",
		".spec.ports[0].nodePort", ".spec.ports[-1].nodePort", ".spec.ports[*].nodePort", ".spec.ports[0:1].nodePort",
		`.spec.ports[?(@.name=="http")].nodePort`, `.spec.ports[?(@.name=="metrics.v2")].nodePort`, ".spec.ports[?(@.port==80)].nodePort",
		".spec.ports[0]", ".spec.ports[*]", `.spec.ports[?(@.name=="http")]`, `.spec.ports[?(@.name=="metrics.v2")]`,
		".spec.ports[?(@.port==80)]", ".spec.externalIPs[*]", ".spec.*", ".*.ports", "..nodePort", "..ports[0].nodePort", "..spec.externalIPs",
		"['spec']", ".spec['externalIPs']", "['spec'].externalIPs", ".spec['ports','externalIPs']", "['spec','metadata'].ports",
		`.metadata.labels.a\.b/c`, `.metadata.labels['a\.b/c']`, ".metadata.labels.a.b/c", ".metadata.annotations.prometheus.io/port",
		".metadata.annotations", ".metadata.labels.nodePort", ".spec.ports[*].targets[0].weight", ".spec.ports[0].targets[1].weight",
	},
	jsonpointer.Dialect.Name: {
		"/spec/externalIPs", "/spec/ports/0", "/spec/ports/1/nodePort", "/metadata/labels/a.b~1c", "/spec/ports/*", "/spec/ports/*/nodePort",
		"/spec/externalIPs/*", "/spec/ports/2/nodePort", "/spec/nonexistent",
	},
	jqpath.Dialect.Name: {
		".spec.externalIPs", ".spec.ports[0]", ".spec.ports[] | select(.name == \"http\")", ".spec.ports[] | select(.port == 80)",
		".spec.ports[] | select(80 == .port)", ".spec.ports[] | select(.port != 80)", ".spec.ports[] | select(.port < 100) | .nodePort",
		".spec.ports[] | select(.port > 100)", ".spec.ports[] | select(.port >= 100)", ".spec.ports[] | select(100 >= .port)",
		".spec.ports[] | select(.port | . == 80)", ".spec.ports[] | select((.port) == 80.0)", ".spec.ports[] | select(.port == -(80))",
		".spec | select(.ports | length > 1) | .externalIPs", ".spec.ports[1:] | .[] | .nodePort", ".spec.externalIPs # theirs",
		`.metadata.annotations | with_entries(select(.key | startswith("prom")))`, ".metadata.labels | to_entries | from_entries",
		".spec | .ports[]?, .externalIPs?", ".spec.volumes[]?", ".spec.ports[] | select(.port as $p | $p == 80)",
		`"http" as $n | .spec.ports[] | select(.name == $n)`, `.spec.ports[] | select([.name] == ["http"])`,
		`.spec.ports[] | select(. as {port: $p} | $p == 80)`, `.spec.ports[] | select(. as $e | $e.port == 80)`,
	},
}

// TestAgentReadings holds the warnings against the agent's own functions: an expression has one
// just where the agent does not remove what it finds.
func TestAgentReadings(t *testing.T) {
	for dialect, expressions := range agentExpressions {
		for _, text := range expressions {
			t.Run(dialect+" "+text, func(t *testing.T) {
				ours, fields := removedByUs(t, dialect, text)
				theirs := parseObject(t)
				err := agents[dialect](theirs, text)
				agrees := err == nil && cmp.Equal(ours, theirs)
				e := expressionOf(t, dialect, text)
				reading, differs := readings[dialect](text, e.Path, configOutcome{
					dotted: map[string]bool{e.Path: isDotted(t, text, dialect)}, found: map[string][]rules.Found{e.Path: fields},
				})
				if differs == agrees {
					t.Fatalf("the agent agrees: %v (error %v), warned: %v", agrees, err, differs)
				}
				if differs && (reading.verb == "fails on") != (err != nil) {
					t.Errorf("the warning says %q, the agent's error is %v", reading.verb, err)
				}
				if differs && reading.verb == "ignores" && !cmp.Equal(parseObject(t), theirs) {
					t.Errorf("the warning says that it ignores the path, but it removes something:\n%s", cmp.Diff(parseObject(t), theirs))
				}
				checkFix(t, reading, fields, ours)
			})
		}
	}
}

// checkFix has the agent remove what the warning says to write instead.
func checkFix(t *testing.T, reading agentReading, fields []rules.Found, want map[string]any) {
	t.Helper()
	got := parseObject(t)
	for _, spelling := range quoted(reading.spelling(fields)) {
		dialect := jqpath.Dialect.Name
		if strings.HasPrefix(spelling, "/") {
			dialect = jsonpointer.Dialect.Name
		}
		if err := agents[dialect](got, spelling); err != nil {
			t.Fatalf("the agent fails on %q: %v", spelling, err)
		}
		if diff := cmp.Diff(want, got); diff != "" && !strings.Contains(reading.spelling(fields), "in this order") {
			t.Errorf("the agent, given %q, does otherwise (-want +got):\n%s", spelling, diff)
		}
	}
	if strings.Contains(reading.spelling(fields), "in this order") {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the agent, given %s, does otherwise (-want +got):\n%s", reading.spelling(fields), diff)
		}
	}
}

// quoted returns what is in single quotes, which no expression here ends in.
func quoted(text string) []string {
	if _, expression, ok := strings.Cut(text, "jq expression '"); ok {
		return []string{strings.TrimSuffix(expression, "'")}
	}
	var parts []string
	for i, part := range strings.Split(text, "'") {
		if i%2 == 1 {
			parts = append(parts, part)
		}
	}
	return parts
}

func removedByUs(t *testing.T, dialect, text string) (map[string]any, []rules.Found) {
	t.Helper()
	manifest := object.JSON(serviceManifest(t).root)
	r := rules.Resolver{KeepsMissing: true}
	r.Resolve(manifest, []rules.Rule{{Condition: rules.OnSpokePresent, Lists: [][]rules.Expression{{expressionOf(t, dialect, text)}}}}, nil)
	if len(r.Failures) > 0 {
		t.Fatal(r.Failures[0].Err)
	}
	removed, err := tree.MarshalJSON(manifest.Root())
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]any{}
	if err := replace(left, removed); err != nil {
		t.Fatal(err)
	}
	return left, r.Found
}

func isDotted(t *testing.T, text, dialect string) bool {
	t.Helper()
	result, err := expressionOf(t, dialect, text).Locate(&expr.Input{Root: serviceManifest(t).root})
	if err != nil {
		t.Fatal(err)
	}
	return result.DottedKey != ""
}

func expressionOf(t *testing.T, dialect, text string) rules.Expression {
	t.Helper()
	d, ok := expr.ByName(dialect)
	if !ok {
		t.Fatalf("there is no dialect %s", dialect)
	}
	parsed, err := d.Parse(text, jq.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return rules.Expression{Expression: parsed, Source: &rules.Source{}}
}

func serviceManifest(t *testing.T) workManifest {
	t.Helper()
	root, err := tree.ParseJSON([]byte(service))
	if err != nil {
		t.Fatal(err)
	}
	return workManifest{Candidate: selector.Of(root), root: root}
}

func parseObject(t *testing.T) map[string]any {
	t.Helper()
	parsed := map[string]any{}
	if err := replace(parsed, []byte(service)); err != nil {
		t.Fatal(err)
	}
	return parsed
}
