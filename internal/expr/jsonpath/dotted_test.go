package jsonpath

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/golden"
)

const dottedObject = `
metadata:
  name: web
  annotations:
    prometheus.io/port: "9090"
    prometheus.io/scrape: "true"
    kubectl.kubernetes.io/restartedAt: now
    a.b: {c: 1, d.e: 2}
    a: {b: {x: 1}}
spec:
  items:
  - {name: one, example.com/key: 1}
  - {name: two, "example.com/odd ${key}": 2}
  - {name: three, limits: {nvidia.com/gpu: [1, 2]}}
`

func TestJSONPathJoinsNames(t *testing.T) {
	for _, test := range []struct {
		expression string
		want       []string
		dottedKey  string
	}{
		{
			`.metadata.annotations.prometheus.io/port`,
			[]string{"/metadata/annotations/prometheus.io~1port"},
			`.metadata.annotations.prometheus\.io/port`,
		},
		{
			`.metadata.annotations.kubectl.kubernetes.io/restartedAt`,
			[]string{"/metadata/annotations/kubectl.kubernetes.io~1restartedAt"},
			`.metadata.annotations.kubectl\.kubernetes\.io/restartedAt`,
		},
		{
			`{$.metadata.annotations['prometheus.io/port']}`,
			[]string{"/metadata/annotations/prometheus.io~1port"},
			`{$.metadata.annotations.prometheus\.io/port}`,
		},
		{
			`.metadata.annotations['prometheus.io/port','prometheus.io/scrape']`,
			[]string{"/metadata/annotations/prometheus.io~1port", "/metadata/annotations/prometheus.io~1scrape"},
			`.metadata.annotations['prometheus\.io/port','prometheus\.io/scrape']`,
		},
		{
			`..prometheus.io/port`,
			[]string{"/metadata/annotations/prometheus.io~1port"},
			`..prometheus\.io/port`,
		},
		{`.metadata.annotations.a.b.c`, []string{"/metadata/annotations/a.b/c"}, `.metadata.annotations.a\.b.c`},
		{`.metadata.annotations.a.b.d.e`, []string{"/metadata/annotations/a.b/d.e"}, `.metadata.annotations.a\.b.d\.e`},
		{
			`.spec.items[?(@.name=="one")].example.com/key`,
			[]string{"/spec/items/0/example.com~1key"},
			`.spec.items[?(@.name=="one")].example\.com/key`,
		},
		{`.spec.items[*].example.com/key`, []string{"/spec/items/0/example.com~1key"}, `.spec.items[*].example\.com/key`},
		{
			`.spec.items[-1].limits.nvidia.com/gpu[0]`,
			[]string{"/spec/items/2/limits/nvidia.com~1gpu/0"},
			`.spec.items[-1].limits.nvidia\.com/gpu[0]`,
		},
		{
			`.spec.items[1].example.com/odd\ \$\{key\}`,
			[]string{"/spec/items/1/example.com~1odd ${key}"},
			`.spec.items[1].example\.com/odd\ \$\{key\}`,
		},
	} {
		found := locateIn(t, dottedObject, test.expression)
		if diff := cmp.Diff(test.want, golden.Pointers(found.Locations)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.expression, diff)
		}
		if found.DottedKey != test.dottedKey {
			t.Errorf("%s: got dotted key %s, want %s", test.expression, found.DottedKey, test.dottedKey)
		}
		if quoted := strings.Contains(test.expression, "'"); found.IsQuoted != quoted {
			t.Errorf("%s: got that the key is in quotes %t, want %t", test.expression, found.IsQuoted, quoted)
		}
		escaped := locateIn(t, dottedObject, found.DottedKey)
		if diff := cmp.Diff(found.Locations, escaped.Locations); diff != "" || escaped.DottedKey != "" {
			t.Errorf("%s finds something else (-want +got):\n%s", found.DottedKey, diff)
		}
	}
}

func TestJSONPathTakesNamesInQuotesFirst(t *testing.T) {
	for _, test := range []struct {
		object, expression, want, dottedKey string
		isQuoted                            bool
	}{
		{`{data: {a.b: {c: 1}}}`, `.data['a.b'].c`, "/data/a.b/c", `.data.a\.b.c`, true},
		{`{data: {a.b: 1, a: {b: 2}}}`, `.data['a.b']`, "/data/a/b", "", false},
		{`{data: {a.b: {c: 1}, a: {b.c: {x: 1}}}}`, `.data['a.b'].c`, "/data/a.b/c", `.data.a\.b.c`, true},
		{`{data: {a.b: {c.d: 1}}}`, `.data['a.b'].c.d`, "/data/a.b/c.d", `.data.a\.b.c\.d`, false},
		{`{data: {a.b.c: 1}}`, `.data['a.b'].c`, "/data/a.b.c", `.data.a\.b\.c`, false},
		{`{data: {a.b.c: 1}}`, `.data['a\.b.c']`, "/data/a.b.c", `.data.a\.b\.c`, true},
		{`{data: [{a.b: 1}]}`, `.data[0]['a.b', 'c']`, "/data/0/a.b", `.data[0]['a\.b', 'c']`, true},
	} {
		found := locateIn(t, test.object, test.expression)
		if got := golden.Pointers(found.Locations); len(got) != 1 || got[0] != test.want {
			t.Errorf("%s in %s: got %v, want %s", test.expression, test.object, got, test.want)
		}
		if found.DottedKey != test.dottedKey || found.IsQuoted != test.isQuoted {
			t.Errorf("%s in %s: got dotted key %s, in quotes %t", test.expression, test.object, found.DottedKey, found.IsQuoted)
		}
	}
}

func TestJSONPathJoinsOnlyWhereNothingIsFound(t *testing.T) {
	for _, test := range []struct {
		expression string
		want       []string
	}{
		{`.metadata.annotations.a.b`, []string{"/metadata/annotations/a/b"}},
		{`.metadata.annotations.a\.b.c`, []string{"/metadata/annotations/a.b/c"}},
		{`.metadata.annotations['a','prometheus.io/port']`, []string{"/metadata/annotations/a"}},
		{`.metadata.annotations.prometheus.io`, nil},
		{`.metadata.annotations.io/port`, nil},
	} {
		found := locateIn(t, dottedObject, test.expression)
		if diff := cmp.Diff(test.want, golden.Pointers(found.Locations)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.expression, diff)
		}
		if found.DottedKey != "" {
			t.Errorf("%s: got dotted key %s, want none", test.expression, found.DottedKey)
		}
	}
}

func TestJSONPathJoinsTheLongestFirst(t *testing.T) {
	found := locateIn(t, `{a: {b.c: {x: 1}}, a.b: {c: 2}, a.b.c: 3}`, `.a.b.c`)
	if diff := cmp.Diff([]string{"/a.b.c"}, golden.Pointers(found.Locations)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	found = locateIn(t, `{a.b: {c: 2}, a: {b.c: {x: 1}}}`, `.a.b.c.x`)
	if diff := cmp.Diff([]string{"/a/b.c/x"}, golden.Pointers(found.Locations)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
