package expr

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
)

const dialectsObject = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: "9090"
    tilde~key: x
    odd'key: y
spec:
  replicas: 3
  paused: null
  template:
    spec:
      containers:
      - name: application
        image: nginx
        args: [a, b]
      - name: istio-proxy
        image: envoy
        args: []
data:
  "8080": x
`

// TestDialectsAgree gives the same field in every dialect that can say it, and expects the same
// locations, in the order of the object.
func TestDialectsAgree(t *testing.T) {
	in := &Input{Root: golden.Parse(t, dialectsObject)}
	for _, test := range []struct {
		name                      string
		jsonPath, jsonPointer, jq string
		// want are JSON Pointers, separated by spaces.
		want string
	}{
		{"a field", `.spec.replicas`, "/spec/replicas", ".spec.replicas", "/spec/replicas"},
		// A null is no location to jq.
		{"a null", `.spec.paused`, "/spec/paused", "", "/spec/paused"},
		{"a map", `{.spec.template}`, "/spec/template", ".spec | .template", "/spec/template"},
		{
			"a key with a dot and a slash",
			`.metadata.annotations.prometheus\.io/scrape`, "/metadata/annotations/prometheus.io~1scrape",
			`.metadata.annotations["prometheus.io/scrape"]`, "/metadata/annotations/prometheus.io~1scrape",
		},
		{
			"a key with a tilde", `.metadata.annotations.tilde~key`, "/metadata/annotations/tilde~0key",
			`.metadata.annotations."tilde~key"`, "/metadata/annotations/tilde~0key",
		},
		{
			"a key with a quote", `.metadata.annotations.odd'key`, "/metadata/annotations/odd'key",
			`.metadata | .annotations["odd'key"]`, "/metadata/annotations/odd'key",
		},
		{"a key that is a number", `.data.8080`, "/data/8080", `.data["8080"]`, "/data/8080"},
		{
			"a list element", `.spec.template.spec.containers[1]`, "/spec/template/spec/containers/1",
			`.spec.template.spec.containers[-1]`, "/spec/template/spec/containers/1",
		},
		{
			"a field in a list element", `.spec.template.spec.containers[0].image`,
			"/spec/template/spec/containers/0/image",
			`first(.spec.template.spec.containers[].image)`, "/spec/template/spec/containers/0/image",
		},
		{
			"a field in every element", `.spec.template.spec.containers[*].image`,
			"/spec/template/spec/containers/*/image", `.spec.template.spec.containers[].image`,
			"/spec/template/spec/containers/0/image /spec/template/spec/containers/1/image",
		},
		{
			"the elements of every list", `.spec.template.spec.containers[*].args[*]`,
			"/spec/template/spec/containers/*/args/*", `.spec.template.spec.containers | .[].args | .[]`,
			"/spec/template/spec/containers/0/args/0 /spec/template/spec/containers/0/args/1",
		},
		{"an element beyond the end", `.spec.template.spec.containers[2]`, "/spec/template/spec/containers/2",
			`.spec.template.spec.containers[2]`, ""},
		{"a missing field", `.spec.strategy.type`, "/spec/strategy/type", `.spec.strategy.type`, ""},
		{"a field of a number", `.spec.replicas.x`, "/spec/replicas/x", `.spec.replicas.x?`, ""},
		{"a field of a null", `.spec.paused.x`, "/spec/paused/x", `.spec.paused.x`, ""},
		// What a JSON Pointer can't say.
		{
			"an element by its name", `.spec.template.spec.containers[?(@.name=="istio-proxy")]`, "",
			`.spec.template.spec.containers[] | select(.name == "istio-proxy")`, "/spec/template/spec/containers/1",
		},
		{
			"all elements but one", `.spec.template.spec.containers[?(@.name!="application")].image`, "",
			`.spec.template.spec.containers[] | select(.name != "application") | .image`,
			"/spec/template/spec/containers/1/image",
		},
		{
			"a slice", `.spec.template.spec.containers[0:2]`, "", `.spec.template.spec.containers[0:2]`,
			"/spec/template/spec/containers/0 /spec/template/spec/containers/1",
		},
		{
			"a projection", `.spec.template.spec.containers[?(@.image=="envoy")]`, "",
			`.spec.template.spec.containers | map(select(.image == "envoy"))`, "/spec/template/spec/containers/1",
		},
		{
			"any depth", `..image`, "", `.. | objects | .image`,
			"/spec/template/spec/containers/0/image /spec/template/spec/containers/1/image",
		},
	} {
		for dialect, expression := range map[string]string{
			jsonpath.Dialect.Name: test.jsonPath, jsonpointer.Dialect.Name: test.jsonPointer, jqpath.Dialect.Name: test.jq,
		} {
			if expression == "" {
				continue
			}
			found, err := parseDialect(t, dialect, expression).Locate(in)
			if err != nil {
				t.Errorf("%s: %s %s: %v", test.name, dialect, expression, err)
			}
			got := append([]string{}, golden.Pointers(found.Locations)...)
			if diff := cmp.Diff(strings.Fields(test.want), got); diff != "" {
				t.Errorf("%s: %s %s (-want +got):\n%s", test.name, dialect, expression, diff)
			}
		}
	}
}

func parseDialect(t *testing.T, dialect, expression string) Expression {
	t.Helper()
	d, ok := ByName(dialect)
	if !ok {
		t.Fatalf("there is no dialect %s", dialect)
	}
	parsed, err := d.Parse(expression, jq.Limits{Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
