package locate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/jq"
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

func TestSpell(t *testing.T) {
	root := parseYAML(t, spellObject)
	tests := map[string]Spelling{
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
			JSONPath: `.spec.containers[?(@.name=="app")].image`, JQ: `.spec.containers[] | select(.name == "app") | .image`},
		"spec.containers[0].env[1].value": {JSONPointer: "/spec/containers/0/env/1/value",
			JSONPath: `.spec.containers[?(@.name=="app")].env[?(@.name=="B")].value`,
			JQ:       `.spec.containers[] | select(.name == "app") | .env[] | select(.name == "B") | .value`},
		"spec.containers[1]": {JSONPointer: "/spec/containers/1",
			JSONPath: `.spec.containers[?(@.name=='say "hi"')]`, JQ: `.spec.containers[] | select(.name == "say \"hi\"")`},
		"spec.containers[2].image": {JSONPointer: "/spec/containers/2/image",
			JSONPath: `.spec.containers[2].image`, JQ: `.spec.containers[] | select(.name == "it's \"both\"") | .image`},
		"spec.containers[0].args[2]": {JSONPointer: "/spec/containers/0/args/2",
			JSONPath: `.spec.containers[?(@.name=="app")].args[?(@=="--all")]`,
			JQ:       `.spec.containers[] | select(.name == "app") | .args[] | select(. == "--all")`},
		"spec.containers[0].args[1]": {JSONPointer: "/spec/containers/0/args/1",
			JSONPath: `.spec.containers[?(@.name=="app")].args[1]`,
			JQ:       `.spec.containers[] | select(.name == "app") | .args[1]`, ByIndex: []Location{field(t, "spec.containers[0].args")}},
		"spec.containers[1].ports[1].port": {JSONPointer: "/spec/containers/1/ports/1/port",
			JSONPath: `.spec.containers[?(@.name=='say "hi"')].ports[1].port`,
			JQ:       `.spec.containers[] | select(.name == "say \"hi\"") | .ports[] | select(.port == 53 and .protocol == "UDP") | .port`,
			ByPair:   []Location{field(t, "spec.containers[1].ports")}},
		"spec.routes[1].weight": {JSONPointer: "/spec/routes/1/weight",
			JSONPath: `.spec.routes[?(@.destination.subset=="stable")].weight`,
			JQ:       `.spec.routes[] | select(.destination.subset == "stable") | .weight`},
		"spec.numbered[1].x": {JSONPointer: "/spec/numbered/1/x",
			JSONPath: `.spec.numbered[?(@.id==2)].x`, JQ: `.spec.numbered[] | select(.id == 2) | .x`},
		"spec.mixed[0].note": {JSONPointer: "/spec/mixed/0/note", JSONPath: `.spec.mixed[0].note`,
			JQ: `.spec.mixed[0].note`, ByIndex: []Location{field(t, "spec.mixed")}},
		"spec.same[1].weight": {JSONPointer: "/spec/same/1/weight", JSONPath: `.spec.same[1].weight`,
			JQ: `.spec.same[1].weight`, ByIndex: []Location{field(t, "spec.same")}},
		"spec.texts[1].text": {JSONPointer: "/spec/texts/1/text", JSONPath: `.spec.texts[1].text`,
			JQ: `.spec.texts[1].text`, ByIndex: []Location{field(t, "spec.texts")}},
		"spec.matrix[1][0]": {JSONPointer: "/spec/matrix/1/0", JSONPath: `.spec.matrix[1][?(@==3)]`,
			JQ: `.spec.matrix[1][] | select(. == 3)`, ByIndex: []Location{field(t, "spec.matrix")}},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			got := Spell(root, field(t, name), jq.Limits{}, func(Location, *yaml.Node) bool { return false })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("spelling (-want +got):\n%s", diff)
			}
		})
	}
}

func field(t *testing.T, text string) Location {
	t.Helper()
	l, err := ParseField(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestParseFieldFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":         `invalid field '' (column 1): must name a field such as spec.replicas`,
		"a..b":     `invalid field 'a..b' (column 2): must have a name here`,
		"a[x]":     `invalid field 'a[x]' (column 2): must be an index such as [0] or a key such as ["a.b"]`,
		"a[-1]":    `invalid field 'a[-1]' (column 2): must be an index such as [0] or a key such as ["a.b"]`,
		"a[0":      `invalid field 'a[0' (column 2): must be an index such as [0] or a key such as ["a.b"]`,
		`ä["b]`:    `invalid field 'ä["b]' (column 2): must be an index such as [0] or a key such as ["a.b"]`,
		"a[0]b":    `invalid field 'a[0]b' (column 5): must be "." or "[", found "b"`,
		`a["b"]c`:  `invalid field 'a["b"]c' (column 7): must be "." or "[", found "c"`,
		"a['b.c']": `invalid field 'a['b.c']' (column 2): must be an index such as [0] or a key such as ["a.b"]`,
	} {
		_, err := ParseField(text)
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}

// FuzzParseField holds that a location comes back from its text, whatever its
// keys are.
func FuzzParseField(f *testing.F) {
	f.Add("spec.containers[0].image", "a.b", 3)
	f.Add(`metadata.annotations["a/b"]`, "", 0)
	f.Add("[0][\"\\u00e4\"]", "\xff\"]", 1)
	f.Fuzz(func(t *testing.T, text, key string, index int) {
		if l, err := ParseField(text); err == nil {
			again, err := ParseField(l.String())
			if err != nil || Compare(l, again) != 0 {
				t.Errorf("%q is %v, and then %v, %v", text, l, again, err)
			}
		}
		l := Location{Key(key), Index(max(index, 0)), Key(key)}
		if again, err := ParseField(l.String()); err != nil || Compare(l, again) != 0 {
			t.Errorf("%q: %v, %v", l.String(), again, err)
		}
	})
}

func TestOnLine(t *testing.T) {
	const text = `# comment
spec:
  a: 1
  list:
  - x: 1
    y: {z: 2}
  - plain
  block: |
    # one

    two

  quoted: "begins
    # ends"
  # comment
  last: word word
  # comment
anchor: &a {b: c}
merged: {<<: *a}
`
	root := parseYAML(t, text)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	want := map[int][]string{
		2: {"spec"}, 3: {"spec.a"}, 4: {"spec.list"}, 5: {"spec.list[0]", "spec.list[0].x"},
		6: {"spec.list[0].y", "spec.list[0].y.z"}, 7: {"spec.list[1]"}, 8: {"spec.block"}, 9: {"spec.block"}, 11: {"spec.block"},
		13: {"spec.quoted"}, 14: {"spec.quoted"}, 16: {"spec.last"}, 18: {"anchor", "anchor.b"}, 19: {"merged"},
	}
	for line := range lines {
		var got []string
		for _, l := range OnLine(root, append([]string{"", ""}, lines...), 2, line+3) {
			got = append(got, l.String())
		}
		if diff := cmp.Diff(want[line+1], got); diff != "" {
			t.Errorf("line %d %q (-want +got):\n%s", line+1, lines[line], diff)
		}
	}
}
