package expr

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// translateObjects are what both spellings of an expression are resolved in.
var translateObjects = []string{dialectsObject, `
metadata:
  annotations: {a.b/c: x, plain: y}
  labels: {tier: web}
spec:
  replicas: 3
  http:
  - name: rollout
    weight: 5
    on: true
    route: [{destination: {subset: canary}, weight: 0}, {destination: {subset: stable}, weight: 100}]
  - name: other
    weight: 80
    on: false
    route: [{destination: {subset: canary}, weight: 1}, {weight: 2}]
  - {weight: "80", on: "true", say: "a \"quoted\" \\(text)"}
  matrix: [[1, 2, 3], [4, 5], []]
  tags: [a, b, c, "*"]
  template: {metadata: {annotations: {sidecar.io/status: on}, name: web}, spec: {containers: []}}
`, `
metadata: {name: bare}
spec: {http: [], template: {spec: {containers: [{name: application}]}}}
data: {"8080": x, b.c: y, "*": z}
`}

// locations resolves an expression and returns the pointers of what it finds, sorted and each once;
// ok is false if it fails on the object.
func locations(t *testing.T, in *Input, dialect, expression string) (pointers string, ok bool) {
	t.Helper()
	parsed := parseDialect(t, dialect, expression)
	found, err := parsed.Locate(in)
	if err != nil {
		return err.Error(), false
	}
	var all []string
	for _, l := range found.Locations {
		if dialect == jqpath.Dialect.Name || location.At(in.Root, l).Tag != tree.NullTag {
			all = append(all, l.Pointer())
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " "), true
}

// checkSame fails where two expressions find different fields in an object on which the first does
// not fail.
func checkSame(t *testing.T, dialect, expression, into, translated string) (found int) {
	t.Helper()
	for _, object := range translateObjects {
		in := &Input{Root: golden.Parse(t, object)}
		want, ok := locations(t, in, dialect, expression)
		if !ok {
			continue
		}
		got, ok := locations(t, in, into, translated)
		if !ok && want == "" {
			continue // jq fails where a path leads into a scalar
		}
		if got != want || !ok {
			t.Errorf("%s '%s' finds %q, and as %s '%s' %q", dialect, expression, want, into, translated, got)
		}
		if want != "" {
			found++
		}
	}
	return found
}

func TestTranslateJSONPath(t *testing.T) {
	for path, want := range map[string]string{
		`.spec.replicas`:                        "/spec/replicas",
		`{$.spec.http[0].name}`:                 "/spec/http/0/name",
		`['spec']['tags'][2]`:                   "/spec/tags/2",
		`.metadata.annotations.a\.b/c`:          "/metadata/annotations/a.b~1c",
		`.metadata.annotations.a.b/c`:           "/metadata/annotations/a.b~1c",
		`.metadata.annotations.tilde~key`:       "/metadata/annotations/tilde~0key",
		`.metadata.labels`:                      "/metadata/labels",
		`.data.8080`:                            `.data["8080"]`,
		`.spec.template.metadata.annotations.*`: `.spec.template.metadata.annotations[]?`,
		`.spec.http[-1].weight`:                 `.spec.http[-1].weight`,
		`.spec.http[*].route[*].weight`:         `.spec.http[]? | .route?[]? | .weight?`,
		`.spec.tags[1:3]`:                       `.spec.tags[1:3]`,
		`.spec.http[:2].weight`:                 `.spec.http[:2][]? | .weight?`,
		`.spec.matrix[*][0]`:                    `.spec.matrix[]? | .[0]?`,
		`.spec.template.spec.containers[?(@.name=="application")].image`: `.spec.template.spec.containers[]? | ` +
			`select(.name? == "application") | .image?`,
		`.spec.http[?(@.name!="rollout")]`:                      `.spec.http[]? | select(.name? | strings | . != "rollout")`,
		`.spec.matrix[0:2][?(@<4)]`:                             `.spec.matrix[0:2][]? | .[]? | select(. | numbers | . < 4)`,
		`.spec.http[:2].route[?(@.weight>=1)].weight`:           `.spec.http[:2][]? | .route?[]? | select(.weight? | numbers | . >= 1) | .weight?`,
		`.spec.http[?(@.say)].say`:                              `.spec.http[]? | select(objects | has("say")) | .say?`,
		`.spec.http[*].route[?(@.destination.subset)].weight`:   `.spec.http[]? | .route?[]? | select(.destination? | objects | has("subset")) | .weight?`,
		`.spec.http[?("rollout"==@.name)].weight`:               `.spec.http[]? | select(.name? == "rollout") | .weight?`,
		`.spec['replicas','tags']`:                              `.spec | (.replicas?, .tags?)`,
		`.spec.tags[0,2]`:                                       `.spec.tags | (.[0]?, .[2]?)`,
		`..weight`:                                              `.. | objects | .weight?`,
		`.spec..name`:                                           `.spec | .. | objects | .name?`,
		`.spec.tags[?(@=="b")]`:                                 `.spec.tags[]? | select(. == "b")`,
		`.spec.http[?(@.route[1].weight==100)].name`:            `.spec.http[]? | select(.route?[1]?.weight? == 100) | .name?`,
		`.metadata.annotations.prometheus\.io/scrape`:           "/metadata/annotations/prometheus.io~1scrape",
		`.spec.template.spec.containers[?(@.args[1])]`:          `.spec.template.spec.containers[]? | select(.args? | arrays | has(1))`,
		`.spec.template.metadata.annotations.sidecar.io/status`: "/spec/template/metadata/annotations/sidecar.io~1status",
	} {
		dialect, got, err := jsonpath.Translate(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
		if checkSame(t, jsonpath.Dialect.Name, path, dialect, got) == 0 {
			t.Errorf("%s finds nothing in any object, and so proves nothing", path)
		}
	}
}

func TestTranslateJSONPathRefuses(t *testing.T) {
	for path, want := range map[string]string{
		`.spec.tags[0:3:2]`:            `the JSONPath '.spec.tags[0:3:2]' can't be written as a JQ expression: a slice in jq has no step, found [0:3:2]`,
		`.spec.x.io/y`:                 `"io/y" may be a part of a key with dots; escape the dots of the key, as in .prometheus\.io/port`,
		`.spec..[0]`:                   `".." must be followed by a name`,
		`.spec.http[?(@.a==@.b)]`:      `the filter [?(@.a==@.b)] must compare a field with a value`,
		`.spec.http[?(@.route[*])]`:    `the filter [?(@.route[*])] must name one field`,
		`.spec.http[?(@.r[*].a=="x")]`: `must compare a field that names and indices lead to`,
		`.spec.http[0:1,2]`:            `the members of [0:1,2] must be names or indices`,
	} {
		_, got, err := jsonpath.Translate(path)
		translate, ok := errors.AsType[*TranslateError](err)
		if !ok || !strings.Contains(translate.Error(), want) {
			t.Errorf("%s: got %q, %v, want an error with %s", path, got, err, want)
		}
	}
	if _, _, err := jsonpath.Translate("spec"); err == nil {
		t.Error("spec is no jsonpath.Dialect.Name, and was translated")
	}
}

func TestTranslateJQ(t *testing.T) {
	for expression, want := range map[string]string{
		`.spec.replicas`:                     "/spec/replicas",
		`.spec | .replicas?`:                 "/spec/replicas",
		`.metadata.annotations["a.b/c"]`:     "/metadata/annotations/a.b~1c",
		`.metadata.annotations."a.b/c"`:      "/metadata/annotations/a.b~1c",
		`.spec.http[0]?.route[1].weight`:     "/spec/http/0/route/1/weight",
		`(.spec).tags | .[2] # the third`:    "/spec/tags/2",
		`.["spec"]["template"]`:              "/spec/template",
		`.metadata.annotations["tilde~key"]`: "/metadata/annotations/tilde~0key",
	} {
		_, got, err := jqpath.Translate(expression)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", expression, err, diff)
			continue
		}
		if checkSame(t, jqpath.Dialect.Name, expression, jsonpointer.Dialect.Name, got) == 0 {
			t.Errorf("%s finds nothing in any object, and so proves nothing", expression)
		}
	}
	for _, expression := range []string{
		`.`, `.a[]`, `.a[-1]`, `.a[1:2]`, `.a[1.5]`, `.a | select(.b)`, `.a, .b`, `.a["\(.b)"]`, `.a[.b]`, `..`, `.a as $x | .b`,
		`def f: .a; f`, `.a["*"]`, `.a[`, `first(.a)`, `.a[0 + 1]`, `.["a"|.]`, `reduce .a as $x (.; .b)`,
	} {
		if _, got, err := jqpath.Translate(expression); err == nil {
			t.Errorf("%s: got %s, want an error", expression, got)
		}
	}
}

func TestTranslateJSONPointer(t *testing.T) {
	for pointer, want := range map[string]string{
		"/spec/http/*/weight":               `.spec.http | arrays[] | .weight?`,
		"/spec/http/*/route/*/weight":       `.spec.http | arrays[] | .route? | arrays[] | .weight?`,
		"/spec/template/spec/containers/*":  `.spec.template.spec.containers | arrays[]`,
		"/spec/matrix/*/*":                  `.spec.matrix | arrays[] | arrays[]`,
		"/metadata/annotations/a.b~1c":      "/metadata/annotations/a.b~1c",
		"/spec/http/*/destination/sub~1set": `.spec.http | arrays[] | .destination?["sub/set"]?`,
	} {
		into, got, err := jsonpointer.Translate(pointer)
		isJQ := into == jqpath.Dialect.Name
		if got != want || err != nil || isJQ != strings.Contains(pointer, "*") {
			t.Errorf("%s: got %s, %v, %v, want %s", pointer, got, isJQ, err, want)
			continue
		}
		if isJQ {
			checkSame(t, jsonpointer.Dialect.Name, pointer, jqpath.Dialect.Name, got)
		}
	}
	if _, _, err := jsonpointer.Translate("/spec/http/0/route/*"); err == nil {
		t.Error("an index beside * was translated, and may be a key")
	}
	if _, _, err := jsonpointer.Translate("spec"); err == nil {
		t.Error("spec is no pointer, and was translated")
	}
}

func FuzzTranslateJSONPath(f *testing.F) {
	for _, seed := range []string{
		".spec.replicas", ".spec.http[*].name", ".spec.http[?(@.name==\"rollout\")].route[0:1].weight", "..name",
		".spec['replicas','tags']", ".metadata.annotations.a.b/c", ".spec.http[?(@.on!=true)]", ".data.8080", ".spec.tags[-1]",
		".spec.http[?(@.weight>5.5)]", ".spec.*.name", ".spec.http[?(@.say==\"a\")]", ".spec.tags[5]", ".data['*']",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		dialect, translated, err := jsonpath.Translate(path)
		if err != nil {
			return
		}
		parsed, err := jsonpath.Parse(path)
		if err != nil {
			t.Fatalf("%q is translated and does not parse: %v", path, err)
		}
		for _, object := range translateObjects {
			found, err := parsed.Locate(&Input{Root: golden.Parse(t, object)})
			if err == nil && found.DottedKey != "" {
				return // joined names stay one by one in the other dialect
			}
		}
		checkSame(t, jsonpath.Dialect.Name, path, dialect, translated)
	})
}
