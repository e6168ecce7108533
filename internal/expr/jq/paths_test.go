package jq

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
)

const testObject = `{
	"kind": "ConfigMap",
	"metadata": {"labels": {"tier": "web", "a.b/c": "x"}, "name": "n"},
	"spec": {
		"replicas": 3, "paused": false, "nothing": null, "empty": [], "half": 0.5,
		"big": 9007199254740993, "name": "text", "doc": "{\"a\": 1}",
		"containers": [
			{"name": "app", "image": "i1", "ports": [{"port": 80}, {"port": 81}]},
			{"name": "side", "image": "i2"},
			{"name": "log", "image": "i1"}
		],
		"tags": ["a", "b", "a", null, "c"], "numbers": [1, 2, 1.0]
	},
	"data": {"dynamic-a": "1", "fixed": "2", "dynamic-c": "3"}
}`

// parseJSON reads a value as tree.Value gives it: whole numbers are ints.
func parseJSON(t testing.TB, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return plain(v)
}

// readJSON is parseJSON for a text that may be none.
func readJSON(text string) (any, bool) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	err := decoder.Decode(&v)
	return plain(v), err == nil
}

func toJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := gojq.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pathsJSON writes paths one beside the other.
func pathsJSON(t testing.TB, paths [][]any) string {
	t.Helper()
	var texts []string
	for _, path := range paths {
		texts = append(texts, toJSON(t, path))
	}
	return strings.Join(texts, " ")
}

// found compiles an expression and returns what it finds in a value.
func found(t *testing.T, expression string, value any) ([][]any, error) {
	t.Helper()
	path, err := CompilePath(expression, Limits{})
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return path.Paths(value, nil)
}

func TestPaths(t *testing.T) {
	value := parseJSON(t, testObject)
	for _, test := range []struct{ expression, want string }{
		// Paths.
		{".", `[]`},
		{".spec.replicas", `["spec","replicas"]`},
		{".spec.replicas # the autoscaler's", `["spec","replicas"]`},
		{".spec.nothing", ``},
		{".spec.missing.deeper", ``},
		{".spec.nothing?.deeper", ``},
		{`.metadata.labels["a.b/c"]`, `["metadata","labels","a.b/c"]`},
		{".spec.containers[].image", `["spec","containers",0,"image"] ["spec","containers",1,"image"] ["spec","containers",2,"image"]`},
		{`.spec.containers[] | select(.name != "app")`, `["spec","containers",1] ["spec","containers",2]`},
		{".spec.containers[-1].name", `["spec","containers",2,"name"]`},
		{".spec.containers[3]", ``},
		{".spec.containers[-4]", ``},
		{".spec.containers[1.7].name", `["spec","containers",1,"name"]`},
		{".spec.containers[nan]", ``},
		{".spec.containers[1e300]", ``},
		{".spec.containers[100000000000000000000]", ``},
		{".spec.containers[1:]", `["spec","containers",1] ["spec","containers",2]`},
		{".spec.containers[:-1]", `["spec","containers",0] ["spec","containers",1]`},
		{".spec.containers[1:][0].name", `["spec","containers",1,"name"]`},
		{".spec.containers[1:][-1]", `["spec","containers",2]`},
		{".spec.containers[1:][1:]", `["spec","containers",2]`},
		{".spec.containers[1:][] | .name", `["spec","containers",1,"name"] ["spec","containers",2,"name"]`},
		{".spec.containers[2:1]", ``},
		{".spec.tags[2:]", `["spec","tags",2] ["spec","tags",4]`},
		{".spec.missing[1:]", ``},
		{"..|.port?", `["spec","containers",0,"ports",0,"port"] ["spec","containers",0,"ports",1,"port"]`},
		{".spec | .missing // .replicas", `["spec","replicas"]`},
		{`.spec.missing[]? | .a`, ``},
		{".spec.big, .spec.half", `["spec","big"] ["spec","half"]`},
		{".spec | select(.big == 9007199254740993) | .big", `["spec","big"]`},
		{".spec | select(.big == 9007199254740992)", ``},
		{"getpath([\"spec\", \"tags\", 0])", `["spec","tags",0]`},
		{"getpath(\"spec\" | [., \"tags\", (\"1\" | fromjson)])", `["spec","tags",1]`},
		{"first(.spec.tags[])", `["spec","tags",0]`},
		{"limit(2; .spec.tags[])", `["spec","tags",0] ["spec","tags",1]`},
		{".spec.tags | last", `["spec","tags",4]`},
		{"def f(g): .spec | g; f(.replicas)", `["spec","replicas"]`},
		{"def keep(c): select(c); .spec.containers[] | keep(.name == \"log\")", `["spec","containers",2]`},
		{"label $out | .spec.tags[] | ., break $out", `["spec","tags",0]`},
		{".spec as $s | .data | select($s.replicas == 3) | .fixed", `["data","fixed"]`},
		{"if .spec.paused then .spec.replicas else empty end", ``},
		{"empty", ``},
		{`reduce ("a", "b") as $k (.; .) | .spec.replicas`, `["spec","replicas"]`},
		{`.spec | reduce .tags[] as $k (.; .) | .replicas`, `["spec","replicas"]`},
		{`.data | reduce ("a", "b") as $k ({}; .)`, ``},
		// A string has no places.
		{`.spec.name | .[-1]?`, ``},
		{`.spec.name[0]?`, ``},
		{`.spec["name"][1:]?`, ``},
		{`.spec.name | last?, first?, nth(0)?, try .[0]`, ``},
		{`.spec | .name[0]?, .tags[0]?`, `["spec","tags",0]`},
		{`.. | .[0]? | .port?`, `["spec","containers",0,"ports",0,"port"]`},
		{`.spec[] | (.[0] | .port)?`, ``},
		{`(.spec.tags[.spec.replicas - 1:])?, (.spec.name[.spec.replicas])?`, `["spec","tags",2] ["spec","tags",4]`},
		{`def last: .name; .spec | last`, `["spec","name"]`},
		{".spec.replicas, .spec.replicas", `["spec","replicas"] ["spec","replicas"]`},
		// Some branches make values.
		{"if .spec.paused then null else .spec.replicas end", `["spec","replicas"]`},
		{`.spec.replicas // "x"`, `["spec","replicas"]`},
		{"try error(\"x\") catch empty", ``},
		// Projections.
		{`.data | to_entries | map(select(.key | startswith("dynamic-"))) | from_entries`, `["data","dynamic-a"] ["data","dynamic-c"]`},
		{`.data | with_entries(select(.value == "2"))`, `["data","fixed"]`},
		{`(.data | to_entries) | (map(select(.key == "fixed")) | from_entries)`, `["data","fixed"]`},
		{`.data | {fixed}`, `["data","fixed"]`},
		{`.data | {fixed, "dynamic-a": "1"}`, `["data","dynamic-a"] ["data","fixed"]`},
		{`.data | {}`, ``},
		{`.data | {missing}`, ``},
		{`.data | {missing, fixed}`, `["data","fixed"]`},
		{`.data // {} | with_entries(select(.value == "2"))`, `["data","fixed"]`},
		{`.missing // {} | with_entries(select(.value == "2"))`, ``},
		{`(.missing // .data // {}) | {fixed}`, `["data","fixed"]`},
		{`if .spec.paused then {} else .data end | to_entries | from_entries | del(.fixed)`, `["data","dynamic-a"] ["data","dynamic-c"]`},
		{`. | .spec.containers | . | map(select(.name == "side"))`, `["spec","containers",1]`},
		{`.data | del(.fixed)`, `["data","dynamic-a"] ["data","dynamic-c"]`},
		{`. as $root | .data | with_entries(select($root.spec.replicas == 3 and .key == "fixed"))`, `["data","fixed"]`},
		{`def f: map(select(.name == "app")); .spec.containers | f`, `["spec","containers",0]`},
		{`.spec.containers | map(select(.image == "i1"))`, `["spec","containers",0] ["spec","containers",2]`},
		{`.spec.containers | sort_by(.name)`, `["spec","containers",0] ["spec","containers",2] ["spec","containers",1]`},
		{`.spec.containers[:2] | map(select(.name == "side"))`, `["spec","containers",1]`},
		{`.spec.tags | ["a", "a"]`, `["spec","tags",0] ["spec","tags",2]`},
		{`.spec.tags | [.[2], .[0]]`, `["spec","tags",0] ["spec","tags",2]`},
		{`.spec.tags | [null]`, ``},
		{`.spec.numbers | [1, 1]`, `["spec","numbers",0] ["spec","numbers",2]`},
		{`.spec.numbers | [2.0]`, `["spec","numbers",1]`},
		{`.spec.empty | map(.)`, ``},
		{`.spec.containers[] | {name}`, `["spec","containers",0,"name"] ["spec","containers",1,"name"] ["spec","containers",2,"name"]`},
		{`.data | {fixed}, {"dynamic-a"}`, `["data","fixed"] ["data","dynamic-a"]`},
		{`{kind}`, `["kind"]`},
		{`.spec | {big}`, `["spec","big"]`},
		{`.spec | {big: 9007199254740993, half: 5e-1, replicas: 3.0}`, `["spec","big"] ["spec","half"] ["spec","replicas"]`},
		{`.spec.missing | to_entries`, ``},
		{`.spec.nothing | map(.)`, ``},
		// In the child alone.
		{`.data | with_entries(select(.key * 2 == "fixedfixed"))`, `["data","fixed"]`},
		{`.spec.containers[] | select([.name | scan("[a-z]")] | length == 3) | .name`, `["spec","containers",0,"name"] ["spec","containers",2,"name"]`},
		{`.spec | select((.replicas | tostring | implode? // "3") == "3") | .replicas`, `["spec","replicas"]`},
	} {
		paths, err := found(t, test.expression, value)
		if err != nil {
			t.Errorf("%s: %v", test.expression, err)
		} else if diff := cmp.Diff(test.want, pathsJSON(t, paths)); diff != "" {
			t.Errorf("%s: paths (-want +got):\n%s", test.expression, diff)
		}
	}
}

func TestPathsFails(t *testing.T) {
	const needed = `a path expression must select fields of the object, such as .spec.replicas or ` +
		`.spec.containers[] | select(.name == "app"), or keep some members of a map or list; this one yields `
	const document = "; jq can select only the whole string, not a field of the document in it: name the string under within and the field inside its document"
	value := parseJSON(t, testObject)
	for _, test := range []struct{ expression, cause string }{
		{".spec.replicas[]", "cannot iterate over number"},
		{".spec.replicas.x", "expected an object but got number"},
		{".kind.x", "expected an object but got string"},
		{".kind.x.y", "expected an object but got string"},
		{".spec.containers.x", "expected an object but got array"},
		{".spec.name[0]", "expected an array but got string"},
		{".spec.name[0:1]", "expected an array but got string"},
		{".spec.containers[[1]]", "expected a number for indexing an array but got array"},
		{".spec.missing[]", "cannot iterate over null; []? skips what is missing"},
		{".spec.missing[].a[]?", "cannot iterate over null; []? skips what is missing"},
		{".spec.missing[].a[]", "cannot iterate over null; []? skips what is missing"},
		{"[.spec.missing[]]", "cannot iterate over null; []? skips what is missing"},
		{".spec.tags[] | .[]", "cannot iterate over string"},
		{".metadata.labels | fromjson", "fromjson only works on strings"},
		{".spec.name | fromjson", "fromjson cannot be applied to \"text\": invalid character 'e' in literal true (expecting 'r')"},
		{`.spec | .doc | fromjson | .a`, needed + "a number" + document},
		{`.spec | select(.name | fromjson | .a == 1)`, "fromjson cannot be applied to \"text\": invalid character 'e' in literal true (expecting 'r')"},
		{`.spec | select(.replicas | startswith("a"))`, "startswith only works on strings"},
		{`.spec | select(.replicas | test("a"))`, "test only works on strings"},
		{`.spec | select(.name | test("("))`, "invalid regular expression \"(\": error parsing regexp: missing closing ): `(`"},
		{`error("no \(.spec.replicas)")`, "no 3"},
		{`error({a: 1})`, `{"a":1}`},
		{`error(null)`, `null`},
		{"limit(-1; .spec)", "limit doesn't support negative count"},
		{".spec.replicas + 1", needed + "a number"},
		{".spec.paused | not", needed + "a boolean; to choose objects, use selectors, or select(…) | .spec.replicas"},
		{`.spec | "\(.name)"`, needed + "a string"},
		{".data | keys", needed + "an array with members that are not in its input"},
		{".missing // {a: 1} | with_entries(.)", needed + "an object with members that are not in its input"},
		{".data | {fixed: 2}", needed + "an object with members that are not in its input"},
		{".spec | {big: 9007199254740992}", needed + "an object with members that are not in its input"},
		{".data | {other: 2}", needed + "an object with members that are not in its input"},
		{".spec.tags | [\"c\", \"c\"]", needed + "an array with members that are not in its input"},
		{`.spec.containers | {name: null}`, needed + "an object with members that are not in its input"},
		{`.spec.containers | {name: "app"}`, needed + "an object with members that are not in its input"},
		{`[.spec.containers[].image]`, needed + "an array with members that are not in its input"},
		{`del(.spec.replicas)`, needed + "an object with members that are not in its input"},
		{`.spec.replicas == 3`, needed + "a boolean; to choose objects, use selectors, or select(…) | .spec.replicas"},
		{".spec | if .paused then .replicas else null end", needed + "null; to select nothing, use empty"},
		{`.data | keys[] | select(. == "fixed")`, needed + "a string; write '.data | with_entries(select(.key | . == \"fixed\"))'"},
		{"reduce .spec.tags[] as $x (0; 1)", needed + "a number"},
		{"[.spec.tags, .spec.tags] | tojson * 2", needed + "a string"},
	} {
		want := "JQ expression runtime error in '" + test.expression + "': " + test.cause
		paths, err := found(t, test.expression, value)
		var runtime *fault.RuntimeError
		if !errors.As(err, &runtime) {
			t.Errorf("%s: got %v, %v, want a *RuntimeError", test.expression, paths, err)
		} else if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("%s: message (-want +got):\n%s", test.expression, diff)
		}
	}
}

func safeCause(e *fault.RuntimeError) string {
	if e.SafeCause == "" {
		return e.Cause
	}
	return e.SafeCause
}

func TestSafeCauseShowsNoValue(t *testing.T) {
	value := map[string]any{"data": map[string]any{"password": "s3cr3t"}}
	for _, expression := range []string{
		`error(.data.password)`, `error(.data)`, `error([.data])`, `.data.password | tonumber`, `.data | error`,
		`.data.password | fromjson`, `.data.password | has("x")`, `.data | .[0]`, `.data.password | .[.]`,
		`.data.password - 1`, `-.data.password`, `.data | @csv`, `.data.password | test("("; .)`, `.data[.data]`,
		`.data.password[]`, `.data.password | .x`, `.data.password | implode`, `{(.data): 1}`, `.data.password / 0`,
		`try error(.data.password) catch error`, `@base32d "\(.data.password)"`, `.data.password | strptime("%Y")`,
		`[.data.password] | @tsv "\(.)"`, `.data.password as [$x] | $x`, `.data.password`, `.data.password == 1`,
	} {
		path, err := CompilePath(expression, Limits{})
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		var runtime *fault.RuntimeError
		if _, err := path.Paths(value, nil); errors.As(err, &runtime) && strings.Contains(safeCause(runtime), "s3cr3t") {
			t.Errorf("%s: the safe cause shows the value: %v", expression, runtime)
		}
	}
}
