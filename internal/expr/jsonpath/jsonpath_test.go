package jsonpath

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
)

const pathObject = `
metadata:
  name: web
  labels: {app: web}
spec: &spec
  replicas: 3
  paused: null
  empty: []
  none: {}
  ratio: 0.5
  containers:
  - name: app
    image: nginx:1.27
    args: [a, b, c]
    ready: true
    port: 8080
    big: 9007199254740993
  - name: sidecar.v2
    image: envoy
    args: []
    ready: false
    port: 80
    big: 9007199254740992
  - image: "[x]"
    limits: {cpu: 1}
matrix: [[1, 2], [3]]
copy: *spec
merged:
  <<: *spec
  replicas: 5
`

// locateIn resolves a JSONPath in the text and fails where that fails.
func locateIn(t *testing.T, text, expression string) dialect.Match {
	t.Helper()
	path, err := Parse(expression)
	if err != nil {
		t.Errorf("%s: %v", expression, err)
		return dialect.Match{}
	}
	found, err := path.Locate(&dialect.Input{Root: golden.Parse(t, text)})
	if err != nil {
		t.Errorf("%s: %v", expression, err)
	}
	return found
}

func TestJSONPathFinds(t *testing.T) {
	for _, test := range []struct{ expression, want string }{
		{`.spec.replicas`, "/spec/replicas"},
		{`$.spec.replicas`, "/spec/replicas"},
		{`{.spec.replicas}`, "/spec/replicas"},
		{`{$.spec.replicas}`, "/spec/replicas"},
		{"  { .spec .replicas }\n", "/spec/replicas"},
		{`@.spec.paused`, "/spec/paused"},
		{`$['spec']['replicas']`, "/spec/replicas"},
		{`['spec'].replicas`, "/spec/replicas"},
		{`['spec.replicas']`, "/spec/replicas"},
		{`.spec.containers[0].name`, "/spec/containers/0/name"},
		{`.spec.containers[-1]`, "/spec/containers/2"},
		{`.spec.containers[-3].name`, "/spec/containers/0/name"},
		{`.spec.containers[0:2].image`, "/spec/containers/0/image /spec/containers/1/image"},
		{`.spec.containers[1:]`, "/spec/containers/1 /spec/containers/2"},
		{`.spec.containers[:-1]`, "/spec/containers/0 /spec/containers/1"},
		{`.spec.containers[::2]`, "/spec/containers/0 /spec/containers/2"},
		{`.spec.containers[0:3:9223372036854775807]`, "/spec/containers/0"},
		{`.spec.containers[1:9]`, "/spec/containers/1 /spec/containers/2"},
		{`.spec.containers[-9:1]`, "/spec/containers/0"},
		{`.spec.containers[*].name`, "/spec/containers/0/name /spec/containers/1/name"},
		{`.spec.containers[:].name`, "/spec/containers/0/name /spec/containers/1/name"},
		{`.spec.containers.*.name`, "/spec/containers/0/name /spec/containers/1/name"},
		{`.spec.containers[2].limits.*`, "/spec/containers/2/limits/cpu"},
		{`.matrix[*][0]`, "/matrix/0/0 /matrix/1/0"},
		{`.matrix[0][-1]`, "/matrix/0/1"},
		{`..cpu`, "/spec/containers/2/limits/cpu /copy/containers/2/limits/cpu /merged/containers/2/limits/cpu"},
		{`.spec..name`, "/spec/containers/0/name /spec/containers/1/name"},
		{`.spec...cpu`, "/spec/containers/2/limits/cpu"},
		{`.spec..['cpu']`, "/spec/containers/2/limits/cpu"},
		{`.spec...*.cpu`, "/spec/containers/2/limits/cpu"},
		{`.spec..containers..cpu`, "/spec/containers/2/limits/cpu"},
		{`.spec..`, "/spec /spec/containers /spec/containers/0 /spec/containers/0/args /spec/containers/1 " +
			"/spec/containers/2 /spec/containers/2/limits"},
		{`.spec['replicas','ratio']`, "/spec/replicas /spec/ratio"},
		{`.spec['replicas', 'absent', 'replicas']`, "/spec/replicas"},
		{`.spec.containers[0,2].image`, "/spec/containers/0/image /spec/containers/2/image"},
		{`.spec.containers[-1,0:2]`, "/spec/containers/2 /spec/containers/0 /spec/containers/1"},
		{`['metadata.name','spec.replicas']`, "/metadata/name /spec/replicas"},
		{`.copy.replicas`, "/copy/replicas"},
		{`.merged['replicas','ratio']`, "/merged/replicas /merged/ratio"},
		{`.merged.containers[0].name`, "/merged/containers/0/name"},
	} {
		found := locateIn(t, pathObject, test.expression)
		if diff := cmp.Diff(strings.Fields(test.want), golden.Pointers(found.Locations)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.expression, diff)
		}
		if found.DottedKey != "" || found.Hint != "" {
			t.Errorf("%s: got dotted key %q, hint %q, want none", test.expression, found.DottedKey, found.Hint)
		}
	}
}

func TestJSONPathFindsTheObject(t *testing.T) {
	for _, expression := range []string{`.`, `$`, `@`, `{}`, `{.}`, `{ $ }`} {
		found := locateIn(t, pathObject, expression)
		if diff := cmp.Diff([]string{""}, golden.Pointers(found.Locations)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expression, diff)
		}
	}
}

func TestJSONPathFilters(t *testing.T) {
	for _, test := range []struct{ filter, want string }{
		{`@.name=="app"`, "0"},
		{`@.name=='app'`, "0"},
		{`@.name == "app" `, "0"},
		{`$.name=="app"`, "0"},
		{`.name=="app"`, "0"},
		{`"app"==@.name`, "0"},
		{`@['name']=="app"`, "0"},
		{`@.name!="app"`, "1"},
		{`@.name=="sidecar.v2"`, "1"},
		{`@.image=="[x]"`, "2"},
		{`@.image=='[x]'`, "2"},
		{`@.name>"b"`, "1"},
		{`@.name`, "0 1"},
		{`@`, "0 1 2"},
		{`@.limits.cpu`, "2"},
		{`@.limits.cpu==1`, "2"},
		{`@.limits.cpu==1.0`, "2"},
		{`@..cpu==1`, "2"},
		{`@.args[0]`, "0"},
		{`@.args[0]=="a"`, "0"},
		{`@.ready==true`, "0"},
		{`@.ready!=true`, "1"},
		{`@.port==8080`, "0"},
		{`@.port==+80`, "1"},
		{`@.port<81`, "1"},
		{`@.port<=80.5`, "1"},
		{`@.port>80`, "0"},
		{`@.port>=80`, "0 1"},
		{`@.port>-1`, "0 1"},
		{`@.big==9007199254740993`, "0"},
		{`@.big<99999999999999999999999999`, "0 1"},
		{`@.big==@.big`, "0 1"},
		{`@.port==@.absent`, ""},
		{`@.absent!="x"`, ""},
		{`@.absent`, ""},
	} {
		var want []string
		for _, index := range strings.Fields(test.want) {
			want = append(want, "/spec/containers/"+index)
		}
		found := locateIn(t, pathObject, ".spec.containers[?("+test.filter+")]")
		if diff := cmp.Diff(want, golden.Pointers(found.Locations)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.filter, diff)
		}
	}
}

func TestJSONPathFilterThenMore(t *testing.T) {
	found := locateIn(t, pathObject, `{.spec.containers[?(@.name=="app")].args[?(@!="b")]}`)
	want := []string{"/spec/containers/0/args/0", "/spec/containers/0/args/2"}
	if diff := cmp.Diff(want, golden.Pointers(found.Locations)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJSONPathFilterComparesBigNumbersExactly(t *testing.T) {
	const text = `l: [{n: 123456789012345678901234567890}, {n: 123456789012345678901234567891}]`
	found := locateIn(t, text, `.l[?(@.n==123456789012345678901234567891)]`)
	if diff := cmp.Diff([]string{"/l/1"}, golden.Pointers(found.Locations)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJSONPathFindsNothing(t *testing.T) {
	for _, test := range []struct{ expression, hint string }{
		{`.spec.replica`, `spec has no key "replica"; did you mean "replicas"?`},
		{`.metdata.name`, `the object has no key "metdata"; did you mean "metadata"?`},
		{`.spec.strategy.type`, `spec has no key "strategy"`},
		{`.spec.containers.name`,
			`spec.containers is a list; the step after it must be an index, a slice or a filter, found "name"`},
		{`.spec.replicas.x`, `spec.replicas is a number and has no "x"`},
		{`.spec.paused.x`, `spec.paused is null and has no "x"`},
		{`.spec.paused[0]`, `spec.paused is null`},
		{`.spec.paused[?(@.x)]`, `no element of spec.paused matches [?(@.x)]`},
		{`.spec.containers[3]`, `spec.containers has 3 elements`},
		{`.spec.containers[-4]`, `spec.containers has 3 elements`},
		{`.spec.containers[2:1]`, `spec.containers has 3 elements`},
		{`.spec.containers[9223372036854775807]`, `spec.containers has 3 elements`},
		{`.spec.containers[?(@.name=="x")].image`, `no element of spec.containers matches [?(@.name=="x")]`},
		{`.spec['a','b.c']`, `spec has none of ['a','b.c']`},
		{`.spec.none.*`, `spec.none is empty`},
		{`.spec.empty[*]`, `spec.empty has 0 elements`},
		{`.spec.replicas.*`, `spec.replicas is a number`},
		{`..absent`, ``},
		{`.spec..name.absent`, ``},
	} {
		found := locateIn(t, pathObject, test.expression)
		if diff := cmp.Diff(dialect.Match{Hint: test.hint}, found, cmpopts.IgnoreFields(dialect.Match{}, "Quotes", "Depth", "Missing")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.expression, diff)
		}
	}
}

func TestJSONPathFails(t *testing.T) {
	root := golden.Parse(t, pathObject)
	for _, test := range []struct{ expression, cause string }{
		{`.spec[0]`, `[0] must be applied to a list, but spec is a map`},
		{`.spec[*]`, `[*] must be applied to a list, but spec is a map; the members of a map are selected by .*`},
		{`.spec.replicas[0:1]`, `[0:1] must be applied to a list, but spec.replicas is a number`},
		{`.metadata[?(@.name=="x")]`, `[?(@.name=="x")] must be applied to a list, but metadata is a map`},
		{`[0]`, `[0] must be applied to a list, but the object is a map`},
		{`..[0]`, `[0] must be applied to a list, but the object is a map`},
		{
			`.spec.containers[?(@.port=="8080")]`,
			`[?(@.port=="8080")] cannot be applied to spec.containers[0]: a number must not be compared with a string; write [?(@.port==8080)]`,
		},
		{
			`.spec.containers[?(@.name<5)]`,
			`[?(@.name<5)] cannot be applied to spec.containers[0]: a string must not be compared with a number`,
		},
		{
			`.spec.containers[?(@.ready<true)]`,
			`[?(@.ready<true)] cannot be applied to spec.containers[0]: booleans must be compared with == or !=`,
		},
		{
			`.spec.containers[?(@.limits==@.limits)]`,
			`[?(@.limits==@.limits)] cannot be applied to spec.containers[2]: a map must not be compared`,
		},
		{
			`.spec.containers[?(@.args==@.args)]`,
			`[?(@.args==@.args)] cannot be applied to spec.containers[0]: a list must not be compared`,
		},
		{
			`.spec.containers[?(@.args[*]=="a")]`,
			`[?(@.args[*]=="a")] must compare one value, found 3 in spec.containers[0]`,
		},
		{
			`.spec.containers[?(@.name[0])]`,
			`@.name[0] must be applied to a list, but spec.containers[0].name is a string`,
		},
	} {
		path, err := Parse(test.expression)
		if err != nil {
			t.Errorf("%s: %v", test.expression, err)
			continue
		}
		want := "JSONPath error in '" + test.expression + "': " + test.cause
		if _, err := path.Locate(&dialect.Input{Root: root}); err == nil || err.Error() != want {
			t.Errorf("%s: got error\n%v\nwant\n%s", test.expression, err, want)
		}
	}
}

func TestJSONPathComparesNullWithNothing(t *testing.T) {
	path, err := Parse(`.l[?(@.a!="x")]`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = path.Locate(&dialect.Input{Root: golden.Parse(t, `l: [{a: null}]`)})
	const want = `JSONPath error in '.l[?(@.a!="x")]': [?(@.a!="x")] cannot be applied to l[0]: ` +
		`null must not be compared with a string`
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestJSONPathIsAnExpression(t *testing.T) {
	path, err := Parse(" .spec.replicas")
	if err != nil {
		t.Fatal(err)
	}
	if path.Dialect() != names || path.String() != " .spec.replicas" {
		t.Errorf("got %s %q, want %s %q", path.Dialect(), path, names, " .spec.replicas")
	}
	found, err := path.Locate(&dialect.Input{})
	if err != nil || len(found.Locations) > 0 {
		t.Errorf("in an empty document: got %v, %v, want nothing", found, err)
	}
}
