package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Place is embedded in target, as a selector is in a patch's target.
type Place struct {
	Group *string `json:"group"`
	Kind  *string `json:"kind"`
}

type target struct {
	Place
	Where  string            `json:"where"`
	Labels map[string]string `json:"labels"`
}

type limits struct {
	Timeout Duration `json:"timeout" default:"1s"`
	Memory  Memory   `json:"memoryLimit" default:"256Mi"`
}

type patch struct {
	Op    opName     `json:"op" required:"true"`
	Value *tree.Node `json:"value"`
}

// opName is a name that says what to write instead of another one.
type opName string

func (opName) Enum() []string { return []string{"add", "remove"} }
func (opName) Doc() string    { return "" }
func (opName) Instead(name string) string {
	return map[string]string{"move": "use add with ${resource…} as the value, and remove"}[name]
}

type sample struct {
	Header
	Action     string   `json:"action" enum:"Strip,Annotate" default:"Strip"`
	Pointers   []string `json:"jsonPointers"`
	Conditions []string `json:"conditions" enum:"OnSpokePresent,OnSpokeChange"`
	Emit       bool     `json:"emit" default:"true"`
	Keep       bool     `json:"keep"`
	JQ         limits   `json:"jq"`
	Extra      *limits  `json:"extra"`
	Targets    []target `json:"targets"`
	Patches    []patch  `json:"patches"`
	Parameters any      `json:"parameters"`
	Ignored    string   `json:"-"`
}

const header = "apiVersion: fn.kpt.dev/v1alpha1\nkind: Sample\n"

func parse(t testing.TB, text string) *tree.Node {
	t.Helper()
	n, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func texts(faults []report.Fault) []string {
	var list []string
	for _, f := range faults {
		list = append(list, f.Path+": "+f.Message)
	}
	return list
}

func TestDecodeFaults(t *testing.T) {
	const known = "known fields: apiVersion, kind, metadata, results, action, jsonPointers, conditions, emit, keep, jq, extra, " +
		"targets, patches, parameters"
	tests := map[string]struct {
		text string
		want []string
	}{
		"misspelt field": {"jsonPointer: [a]", []string{
			`jsonPointer: unknown field "jsonPointer"; did you mean "jsonPointers"? ` + known}},
		"field in another case":      {"EMIT: true", []string{`EMIT: unknown field "EMIT"; did you mean "emit"? ` + known}},
		"field that nothing is like": {"a.b: 1", []string{`["a.b"]: unknown field "a.b"; ` + known}},
		"number for a list": {"jsonPointers: 3", []string{
			`jsonPointers: must be a list of strings, found number 3`}},
		"string for a list": {"jsonPointers: /a", []string{
			`jsonPointers: must be a list of strings, found "/a"; write it as a list, with "- " before it`}},
		"map for a list": {"targets: {kind: A}", []string{
			`targets: must be a list of maps, found map {kind: A}; write it as a list, with "- " before it`}},
		"elements": {"jsonPointers: [a, 1, null, [b], {c: d}]", []string{
			`jsonPointers[1]: must be a string, found number 1; write it in quotes: "1"`,
			`jsonPointers[2]: must be a string, found null`,
			`jsonPointers[3]: must be a string, found list [b]`,
			`jsonPointers[4]: must be a string, found map {c: d}`}},
		"enum in another case": {"action: strip", []string{
			`action: must be Strip or Annotate, found "strip"; did you mean "Strip"?`}},
		"enum of another tool that is done otherwise": {"patches: [{op: move}]", []string{
			`patches[0].op: must be add or remove, found "move"; use add with ${resource…} as the value, and remove`}},
		"enum of a list": {"conditions: [OnSpokePresent, OnChange]", []string{
			`conditions[1]: must be OnSpokePresent or OnSpokeChange, found "OnChange"`}},
		"enum of another type": {"action: 1", []string{`action: must be Strip or Annotate, found number 1`}},
		"quoted boolean": {`emit: "true"`, []string{
			`emit: must be true or false, found "true"; write true without quotes`}},
		"yes":                {"emit: yes", []string{`emit: must be true or false, found "yes"; write true`}},
		"off":                {"emit: off", []string{`emit: must be true or false, found "off"; write false`}},
		"word for a boolean": {"emit: maybe", []string{`emit: must be true or false, found "maybe"`}},
		"boolean for a string": {"targets: [{where: true}]", []string{
			`targets[0].where: must be a string, found boolean true; write it in quotes: "true"`}},
		"number for a pointer to a string": {"targets: [{kind: 1.50}]", []string{
			`targets[0].kind: must be a string, found number 1.50; write it in quotes: "1.50"`}},
		"values of a map": {"targets: [{labels: {a.b/c: true, d: }}]", []string{
			`targets[0].labels["a.b/c"]: must be a string, found boolean true; write it in quotes: "true"`,
			`targets[0].labels.d: must be a string, found null`}},
		"field of another tool": {"targets: [{matchLabels: {a: b}, when: x}]", []string{
			`targets[0].matchLabels: unknown field "matchLabels"; did you mean "labels"? known fields: group, kind, where, labels`,
			`targets[0].when: unknown field "when"; did you mean "where"? known fields: group, kind, where, labels`}},
		"list for a map": {"targets: [{labels: [a]}]", []string{
			`targets[0].labels: must be a map of strings, found list [a]`}},
		"elements that are null": {"targets: [null]", []string{`targets[0]: must be a map, found null`}},
		"missing field":          {"patches: [{value: 1}]", []string{`patches[0].op: must be set, found nothing`}},
		"null required field":    {"patches: [{op: }]", []string{`patches[0].op: must be set, found nothing`}},
		"metadata":               {"metadata: a", []string{`metadata: must be a map, found "a"`}},
		"durations": {"jq: {timeout: 1}\nextra: {timeout: [1s]}", []string{
			`jq.timeout: must be a duration such as 500ms or 1s, found "1"; did you mean "1s"?`,
			`extra.timeout: must be a string, found list [1s]`}},
		"memory": {"jq: {memoryLimit: 256MB}", []string{
			`jq.memoryLimit: must be a whole number of bytes such as 256Mi or 1Gi, found "256MB"; did you mean "256M"?`}},
		"long values are shortened": {"jsonPointers: {a: x" + strings.Repeat("0123456789", 7) + "}", []string{
			`jsonPointers: must be a list of strings, found map ` +
				`{a: "x012345678901234567890123456789012345678901234567890123…; write it as a list, with "- " before it`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got sample
			faults := Decode(parse(t, header+test.text), "", &got)
			if diff := cmp.Diff(test.want, texts(faults)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeAllFaultsAtOnce(t *testing.T) {
	var got sample
	faults := Decode(parse(t, "action: Prune\ncolour: red\nkind: Sample\nemit: 1\n"), "data", &got)
	want := []string{
		`data.action: must be Strip or Annotate, found "Prune"`,
		`data.colour: unknown field "colour"; known fields: apiVersion, kind, metadata, results, action, jsonPointers, ` +
			`conditions, emit, keep, jq, extra, targets, patches, parameters`,
		`data.emit: must be true or false, found number 1`,
		`data.apiVersion: must be set, found nothing`,
	}
	if diff := cmp.Diff(want, texts(faults)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestDecodeRootMustBeMap(t *testing.T) {
	var got sample
	want := []string{`functionConfig: must be a map, found list [1]`}
	if diff := cmp.Diff(want, texts(Decode(parse(t, "[1]"), "functionConfig", &got))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func duration(t *testing.T, text string) Duration {
	t.Helper()
	var d Duration
	if err := d.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return d
}

func memory(t *testing.T, text string) Memory {
	t.Helper()
	var m Memory
	if err := m.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return m
}

var compare = cmp.Options{cmp.AllowUnexported(Memory{}), cmp.Comparer(tree.Equal)}

func TestDecode(t *testing.T) {
	text := header + `
metadata:
  name: sample
  annotations: {config.kubernetes.io/index: 0}
action: Annotate
jsonPointers: [&pointer /a, "1", *pointer]
conditions: []
emit: false
keep: true
jq:
  timeout: 500ms
extra: {memoryLimit: 1048576}
targets:
- &first
  group: ""
  where: x
  labels: {a: "1"}
- <<: *first
  kind: Pod
patches:
- {op: add, value: null}
- {op: remove}
parameters: {ports: [80]}
`
	core, pod := "", "Pod"
	want := sample{
		Header: Header{
			APIVersion: "fn.kpt.dev/v1alpha1", Kind: "Sample",
			Metadata: map[string]any{
				"name": "sample", "annotations": map[string]any{"config.kubernetes.io/index": 0},
			},
			Results: Results{Limit: Number{N: DefaultLimit}},
		},
		Action: "Annotate", Pointers: []string{"/a", "1", "/a"}, Conditions: []string{}, Emit: false, Keep: true,
		JQ:    limits{Timeout: duration(t, "500ms"), Memory: memory(t, "256Mi")},
		Extra: &limits{Timeout: duration(t, "1s"), Memory: memory(t, "1048576")},
		Targets: []target{
			{Place: Place{Group: &core}, Where: "x", Labels: map[string]string{"a": "1"}},
			{Place: Place{Group: &core, Kind: &pod}, Where: "x", Labels: map[string]string{"a": "1"}},
		},
		Patches:    []patch{{Op: "add", Value: parse(t, "null")}, {Op: "remove"}},
		Parameters: map[string]any{"ports": []any{80}},
	}
	var got sample
	if diff := cmp.Diff([]string(nil), texts(Decode(parse(t, text), "", &got))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, got, compare); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
}

func TestDecodeDefaults(t *testing.T) {
	defaults := sample{
		Header: Header{Results: Results{Limit: Number{N: DefaultLimit}}},
		Action: "Strip", Emit: true, JQ: limits{Timeout: duration(t, "1s"), Memory: memory(t, "256Mi")},
	}
	withHeader := defaults
	withHeader.APIVersion, withHeader.Kind = "fn.kpt.dev/v1alpha1", "Sample"
	tests := map[string]struct {
		n    *tree.Node
		want sample
	}{
		"no node":        {nil, defaults},
		"missing fields": {parse(t, header), withHeader},
		"null fields": {parse(t, header+"action: ~\nemit: null\njq:\ntargets: null\nextra: null\nparameters:\n"),
			withHeader},
		"null in a struct": {parse(t, header+"jq: {timeout: null}"), withHeader},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got sample
			if diff := cmp.Diff([]string(nil), texts(Decode(test.n, "", &got))); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, got, compare); diff != "" {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeNullIsAnEmptyMap(t *testing.T) {
	var got sample
	want := []string{`apiVersion: must be set, found nothing`, `kind: must be set, found nothing`}
	if diff := cmp.Diff(want, texts(Decode(parse(t, "null"), "", &got))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// textSample is the data of a ConfigMap.
type textSample struct {
	Action   string   `json:"action" enum:"Strip,Annotate" default:"Strip"`
	Pointers []string `json:"jsonPointers"`
	Hash     bool     `json:"objectHash" default:"true"`
	Timeout  Duration `json:"timeout" default:"1s"`
	Version  *string  `json:"version"`
}

func TestDecodeText(t *testing.T) {
	text := "jsonPointers: |2\n\n  /a\n   /b c \n\nobjectHash: \"false\"\ntimeout: 2s\nversion: 1\n"
	version := "1"
	want := textSample{
		Action: "Strip", Pointers: []string{"/a", "/b c"}, Hash: false, Timeout: duration(t, "2s"), Version: &version,
	}
	var got textSample
	if diff := cmp.Diff([]string(nil), texts(DecodeText(parse(t, text), "data", &got))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
}

func TestDecodeTextFaults(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"boolean": {`objectHash: "yes"`, []string{`data.objectHash: must be true or false, found "yes"; write true`}},
		"enum": {"action: annotate", []string{
			`data.action: must be Strip or Annotate, found "annotate"; did you mean "Annotate"?`}},
		"duration": {"timeout: 1", []string{
			`data.timeout: must be a duration such as 500ms or 1s, found "1"; did you mean "1s"?`}},
		"map": {"jsonPointers: {a: b}", []string{
			`data.jsonPointers: must be text with one element per line, found map {a: b}`}},
		"list": {"jsonPointers: [/a]", []string{
			`data.jsonPointers: must be text with one element per line, found list [/a]`}},
		"unknown field": {"jsonPointers: /a\nkinds: A", []string{
			`data.kinds: unknown field "kinds"; known fields: action, jsonPointers, objectHash, timeout, version`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got textSample
			if diff := cmp.Diff(test.want, texts(DecodeText(parse(t, test.text), "data", &got))); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeRefusesOtherGoTypes(t *testing.T) {
	var got struct {
		Count int `json:"count"`
	}
	want := []string{"count: can't be decoded into the Go type int"}
	if diff := cmp.Diff(want, texts(Decode(parse(t, "count: 1"), "", &got))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestFaultyDefaultIsAFault(t *testing.T) {
	var got struct {
		Mode string `json:"mode" enum:"A,B" default:"C"`
	}
	want := []string{`mode: must be A or B, found "C"`}
	if diff := cmp.Diff(want, texts(Decode(nil, "", &got))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
