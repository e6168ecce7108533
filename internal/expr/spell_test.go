package expr

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const spellObject = `
metadata:
  annotations: {prometheus.io/port: "80", "it's \"quoted\"": x, "": empty}
spec:
  replicas: 3
  nothing: ~
  containers:
  - {name: app, image: a, args: [-v, -v, --all], env: [{name: A, value: "1"}, {name: B, value: "2"}]}
  - {name: 'say "hi"', image: b, ports: [{port: 53, protocol: TCP}, {port: 53, protocol: UDP}, {port: 80, protocol: TCP}]}
  - {name: "it's \"both\"", image: c}
  routes:
  - {destination: {host: web, subset: canary}, weight: 10}
  - {destination: {host: web, subset: stable}, weight: 90}
  numbered: [{id: 1, x: {}}, {id: 2, x: {}}]
  mixed: [{id: 1, note: one}, {id: a, note: two}, plain]
  same: [{weight: 1}, {weight: 2}]
  texts: [{text: a}, {text: b}]
  matrix: [[1, 2], [3, 4]]
data: {8080: x, "*": y, a b: z}
`

// spelled is a Spelling as the tests write it.
type spelled struct {
	JSONPointer, JSONPath, JQ string
	ByIndex, ByPair           []location.Location
}

func TestSpell(t *testing.T) {
	root := golden.Parse(t, spellObject)
	tests := map[string]spelled{
		"spec.replicas": {JSONPointer: "/spec/replicas", JSONPath: ".spec.replicas", JQ: ".spec.replicas"},
		"spec.nothing":  {JSONPointer: "/spec/nothing", JSONPath: ".spec.nothing"},
		`metadata.annotations["prometheus.io/port"]`: {
			JSONPointer: "/metadata/annotations/prometheus.io~1port", JSONPath: `.metadata.annotations.prometheus\.io/port`,
			JQ: `.metadata.annotations["prometheus.io/port"]`},
		`metadata.annotations["it's \"quoted\""]`: {
			JSONPointer: `/metadata/annotations/it's "quoted"`, JSONPath: `.metadata.annotations.it's\ "quoted"`,
			JQ: `.metadata.annotations["it's \"quoted\""]`},
		`metadata.annotations[""]`: {
			JSONPointer: "/metadata/annotations/", JSONPath: ".metadata.annotations['']", JQ: `.metadata.annotations[""]`},
		`data["8080"]`: {JSONPointer: "/data/8080", JSONPath: ".data.8080", JQ: `.data["8080"]`},
		`data["*"]`:    {JSONPointer: "/data/*", JSONPath: `.data.\*`, JQ: `.data["*"]`},
		`data["a b"]`:  {JSONPointer: "/data/a b", JSONPath: `.data.a\ b`, JQ: `.data["a b"]`},
		"spec.containers[0].image": {JSONPointer: "/spec/containers/0/image",
			JSONPath: `.spec.containers[?(@.name=="app")].image`, JQ: `.spec.containers[]? | select(.name == "app") | .image`},
		"spec.containers[0].env[1].value": {JSONPointer: "/spec/containers/0/env/1/value",
			JSONPath: `.spec.containers[?(@.name=="app")].env[?(@.name=="B")].value`,
			JQ:       `.spec.containers[]? | select(.name == "app") | .env[]? | select(.name == "B") | .value`},
		"spec.containers[1]": {JSONPointer: "/spec/containers/1",
			JSONPath: `.spec.containers[?(@.name=='say "hi"')]`, JQ: `.spec.containers[]? | select(.name == "say \"hi\"")`},
		"spec.containers[2].image": {JSONPointer: "/spec/containers/2/image",
			JSONPath: `.spec.containers[2].image`, JQ: `.spec.containers[]? | select(.name == "it's \"both\"") | .image`},
		"spec.containers[0].args[2]": {JSONPointer: "/spec/containers/0/args/2",
			JSONPath: `.spec.containers[?(@.name=="app")].args[?(@=="--all")]`,
			JQ:       `.spec.containers[]? | select(.name == "app") | .args[]? | select(. == "--all")`},
		"spec.containers[0].args[1]": {JSONPointer: "/spec/containers/0/args/1",
			JSONPath: `.spec.containers[?(@.name=="app")].args[1]`,
			JQ:       `.spec.containers[]? | select(.name == "app") | .args[1]`, ByIndex: []location.Location{field(t, "spec.containers[0].args")}},
		"spec.containers[1].ports[1].port": {JSONPointer: "/spec/containers/1/ports/1/port",
			JSONPath: `.spec.containers[?(@.name=='say "hi"')].ports[1].port`,
			JQ:       `.spec.containers[]? | select(.name == "say \"hi\"") | .ports[]? | select(.port == 53 and .protocol == "UDP") | .port`,
			ByPair:   []location.Location{field(t, "spec.containers[1].ports")}},
		"spec.routes[1].weight": {JSONPointer: "/spec/routes/1/weight",
			JSONPath: `.spec.routes[?(@.destination.subset=="stable")].weight`,
			JQ:       `.spec.routes[]? | select(.destination.subset == "stable") | .weight`},
		"spec.numbered[1].x": {JSONPointer: "/spec/numbered/1/x",
			JSONPath: `.spec.numbered[?(@.id==2)].x`, JQ: `.spec.numbered[]? | select(.id == 2) | .x`},
		"spec.mixed[0].note": {JSONPointer: "/spec/mixed/0/note", JSONPath: `.spec.mixed[0].note`,
			JQ: `.spec.mixed[0].note`, ByIndex: []location.Location{field(t, "spec.mixed")}},
		"spec.same[1].weight": {JSONPointer: "/spec/same/1/weight", JSONPath: `.spec.same[1].weight`,
			JQ: `.spec.same[1].weight`, ByIndex: []location.Location{field(t, "spec.same")}},
		"spec.texts[1].text": {JSONPointer: "/spec/texts/1/text", JSONPath: `.spec.texts[1].text`,
			JQ: `.spec.texts[1].text`, ByIndex: []location.Location{field(t, "spec.texts")}},
		"spec.matrix[1][0]": {JSONPointer: "/spec/matrix/1/0", JSONPath: `.spec.matrix[1][?(@==3)]`,
			JQ: `.spec.matrix[1][]? | select(. == 3)`, ByIndex: []location.Location{field(t, "spec.matrix")}},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			s := Spell(root, field(t, name), jq.Limits{}, func(location.Location, *tree.Node) bool { return false })
			got := spelled{
				JSONPointer: s.Texts[jsonpointer.Dialect.Name], JSONPath: s.Texts[jsonpath.Dialect.Name],
				JQ: s.Texts[jqpath.Dialect.Name], ByIndex: s.ByIndex, ByPair: s.ByPair,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("spelling (-want +got):\n%s", diff)
			}
		})
	}
}

func field(t *testing.T, text string) location.Location {
	t.Helper()
	l, err := location.ParseField(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
