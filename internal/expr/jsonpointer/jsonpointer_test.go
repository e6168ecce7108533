package jsonpointer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
)

const pointerObject = `
metadata:
  annotations:
    prometheus.io/port: "9090"
    a~b: x
    "": empty
spec: &spec
  replicas: 3
  paused: null
  containers:
  - name: app
    args: [a, b]
  - name: sidecar
    args: []
  limits:
    "*": 1
    "-": 2
    "01": 3
    "0": 4
copy: *spec
merged:
  <<: *spec
  replicas: 5
`

func TestJSONPointerFinds(t *testing.T) {
	root := golden.Parse(t, pointerObject)
	for _, test := range []struct {
		expression string
		want       []string
	}{
		{"/spec/replicas", []string{"/spec/replicas"}},
		{"/spec/paused", []string{"/spec/paused"}},
		{"/metadata/annotations/prometheus.io~1port", []string{"/metadata/annotations/prometheus.io~1port"}},
		{"/metadata/annotations/a~0b", []string{"/metadata/annotations/a~0b"}},
		{"/metadata/annotations/", []string{"/metadata/annotations/"}},
		{"/spec/containers/1/name", []string{"/spec/containers/1/name"}},
		{"/spec/containers/*/name", []string{"/spec/containers/0/name", "/spec/containers/1/name"}},
		{"/spec/containers/*/args/*", []string{"/spec/containers/0/args/0", "/spec/containers/0/args/1"}},
		{"/spec/limits/*", []string{"/spec/limits/*"}},
		{"/spec/limits/-", []string{"/spec/limits/-"}},
		{"/spec/limits/01", []string{"/spec/limits/01"}},
		{"/spec/limits/0", []string{"/spec/limits/0"}},
		{"/copy/containers/0", []string{"/copy/containers/0"}},
		{"/merged/replicas", []string{"/merged/replicas"}},
		{"/merged/containers/0/name", []string{"/merged/containers/0/name"}},
	} {
		pointer, err := Parse(test.expression)
		if err != nil {
			t.Errorf("%s: %v", test.expression, err)
			continue
		}
		found, err := pointer.Locate(&dialect.Input{Root: root})
		if err != nil {
			t.Errorf("%s: %v", test.expression, err)
		}
		if diff := cmp.Diff(test.want, golden.Pointers(found.Locations)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.expression, diff)
		}
	}
}

func TestJSONPointerFindsNothing(t *testing.T) {
	root := golden.Parse(t, pointerObject)
	for _, test := range []struct{ expression, hint string }{
		{"/metadata/annotations/prometheus.io/port", `did you mean "/metadata/annotations/prometheus.io~1port"?`},
		{"/metadata/annotations/prometheus.io/port/x", `did you mean "/metadata/annotations/prometheus.io~1port/x"?`},
		{"/spec/replica", `"/spec" has no key "replica"; did you mean "replicas"?`},
		{"/Spec/replicas", `the object has no key "Spec"; did you mean "spec"?`},
		{"/spec/strategy/type", `"/spec" has no key "strategy"`},
		{"/spec/containers/*/nam", `"/spec/containers/0" has no key "nam"; did you mean "name"?`},
		{"/spec/*/name", `"*" selects the elements of a list, but "/spec" is a map, whose members a jsonPath selects by .*`},
		{"/spec/replicas/*", `"*" selects the elements of a list, but "/spec/replicas" is a number`},
		{"/spec/containers/1/args/*", `"/spec/containers/1/args" has 0 elements`},
		{"/spec/containers/2", `"/spec/containers" has 2 elements`},
		{"/spec/containers/99999999999999999999", `"/spec/containers" has 2 elements`},
		{"/spec/containers/app", `"/spec/containers" is a list; the segment after it must be an index or "*", found "app"; ` +
			`a JSONPath selects the element by [?(@.name=="app")]`},
		{"/metadata/annotations/prometheus.io~1*", `"/metadata/annotations" has no key "prometheus.io/*"; for the keys that begin so, ` +
			`write '.metadata.annotations | with_entries(select(.key | startswith("prometheus.io/")))' under jqPathExpressions`},
		{"/spec/replicas,/spec/paused", `write each as an entry of its own, in a ConfigMap one per line: '/spec/replicas' and '/spec/paused'`},
		{"/metadata/annotations/*", `"*" selects the elements of a list, but "/metadata/annotations" is a map, whose members a jsonPath selects by .*`},
		{"/spec/replicas/x", `"/spec/replicas" is a number and has no "x"`},
		{"/spec/paused/x", `"/spec/paused" is null and has no "x"`},
	} {
		pointer, err := Parse(test.expression)
		if err != nil {
			t.Errorf("%s: %v", test.expression, err)
			continue
		}
		found, err := pointer.Locate(&dialect.Input{Root: root})
		if err != nil {
			t.Errorf("%s: %v", test.expression, err)
		}
		if diff := cmp.Diff(dialect.Match{Hint: test.hint}, found, cmpopts.IgnoreFields(dialect.Match{}, "Quotes", "Depth", "Missing")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.expression, diff)
		}
	}
}

func TestJSONPointerFails(t *testing.T) {
	root := golden.Parse(t, pointerObject)
	for _, test := range []struct{ expression, want string }{
		{
			"/spec/containers/-",
			`JSON Pointer error in '/spec/containers/-': "-" must name an element of "/spec/containers", ` +
				`but it is the position after the last one; write * for every element`,
		},
		{
			"/spec/containers/01/name",
			`JSON Pointer error in '/spec/containers/01/name': the index "01" of "/spec/containers" must have no leading zero`,
		},
		{
			"/spec/containers/*/args/00",
			`JSON Pointer error in '/spec/containers/*/args/00': ` +
				`the index "00" of "/spec/containers/0/args" must have no leading zero`,
		},
	} {
		pointer, err := Parse(test.expression)
		if err != nil {
			t.Errorf("%s: %v", test.expression, err)
			continue
		}
		if _, err := pointer.Locate(&dialect.Input{Root: root}); err == nil || err.Error() != test.want {
			t.Errorf("%s: got error %v, want %s", test.expression, err, test.want)
		}
	}
}

func TestJSONPointerSyntax(t *testing.T) {
	long := "/" + strings.Repeat("a", 64<<10)
	for _, test := range []struct{ expression, want string }{
		{"", `invalid JSON Pointer '': must name a field; the empty pointer is the whole object; to leave a whole object to others, leave it out of the package`},
		{
			"spec/replicas",
			`invalid JSON Pointer 'spec/replicas' (line 1, column 1): must start with "/", found "s"; write '/spec/replicas'`,
		},
		{
			".spec.replicas",
			`invalid JSON Pointer '.spec.replicas' (line 1, column 1): must start with "/", found "."; write '/spec/replicas'`,
		},
		{
			"spec.replicas",
			`invalid JSON Pointer 'spec.replicas' (line 1, column 1): must start with "/", found "s"; write '/spec/replicas'`,
		},
		{
			"{$.a[0].b[*]['c']}",
			`invalid JSON Pointer '{$.a[0].b[*]['c']}' (line 1, column 1): must start with "/", found "{"`,
		},
		{" /spec", `invalid JSON Pointer ' /spec' (line 1, column 1): must start with "/", found " "`},
		{"#/spec", `invalid JSON Pointer '#/spec' (line 1, column 1): must start with "/", found "#"; write '/spec'`},
		{
			".metadata.annotations.prometheus.io/port",
			`invalid JSON Pointer '.metadata.annotations.prometheus.io/port' (line 1, column 1): ` +
				`must start with "/", found "."`,
		},
		{"..name", `invalid JSON Pointer '..name' (line 1, column 1): must start with "/", found "."`},
		{"a b", `invalid JSON Pointer 'a b' (line 1, column 1): must start with "/", found "a"`},
		{
			"/ü/a~b/c~",
			`invalid JSON Pointer '/ü/a~b/c~' (line 1, column 5): "~" must be written ~0, and "/" in a key ~1; ` +
				`write '/ü/a~0b/c~0'`,
		},
		{
			long,
			`invalid JSON Pointer '/` + strings.Repeat("a", 59) + `…': must be at most 65536 bytes long, found 65537`,
		},
		{
			strings.Repeat("/a", 201),
			`invalid JSON Pointer '` + strings.Repeat("/a", 201) + `': must be at most 200 levels deep`,
		},
	} {
		_, err := Parse(test.expression)
		if err == nil || err.Error() != test.want {
			t.Errorf("%.60q: got error\n%v\nwant\n%s", test.expression, err, test.want)
		}
	}
	for _, expression := range []string{long[1:], strings.Repeat("/a", 200)} {
		if _, err := Parse("/" + expression[1:]); err != nil {
			t.Errorf("%.60q: %v", expression, err)
		}
	}
}

func TestJSONPointerIsAnExpression(t *testing.T) {
	pointer, err := Parse("/spec/replicas")
	if err != nil {
		t.Fatal(err)
	}
	if pointer.Dialect() != names || pointer.String() != "/spec/replicas" {
		t.Errorf("got %s %s, want %s /spec/replicas", pointer.Dialect(), pointer, names)
	}
	found, err := pointer.Locate(&dialect.Input{})
	if err != nil || len(found.Locations) > 0 {
		t.Errorf("in an empty document: got %v, %v, want nothing", found, err)
	}
}

// TestDepth tells how far expressions came that found nothing.
func TestDepth(t *testing.T) {
	root := golden.Parse(t, pointerObject)
	for expression, want := range map[string]int{"/none": 0, "/spec/none": 1, "/spec/containers/9/name": 2, "/spec/replicas/x": 2} {
		pointer, err := Parse(expression)
		if err != nil {
			t.Fatal(err)
		}
		found, err := pointer.Locate(&dialect.Input{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		if found.Depth != want {
			t.Errorf("%s: depth %d, want %d", expression, found.Depth, want)
		}
	}
}
