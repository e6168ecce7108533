package jq

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/itchyny/gojq"
)

func TestWithoutErrors(t *testing.T) {
	for _, test := range []struct {
		expression, text string
		mayFindMore      bool
	}{
		{`.spec`, `.spec`, false},
		{`.spec.replicas`, `.spec.replicas?`, false},
		{`.spec?.replicas`, `.spec.replicas?`, false},
		{`.metadata.annotations["a/b"]`, `.metadata.annotations?["a/b"]?`, false},
		{`.webhooks[]?.clientConfig.caBundle`, `.webhooks[]?.clientConfig?.caBundle?`, false},
		{`.webhooks[].clientConfig.caBundle`, `.webhooks[]?.clientConfig?.caBundle?`, false},
		{`.a.l[0].b`, `.a.l?[0]?.b?`, false},
		{`.a.l[1:].b`, `.a.l?[1:]?.b?`, false},
		{`.spec.containers[] | select(.name == "x")`, `.spec.containers?[]? | select(.name == "x")?`, false},
		{`.spec.containers[].env[] | select(.name == "x")`, `.spec.containers?[]?.env?[]? | select(.name == "x")?`, true},
		{`.spec.containers[].env[]? | select(.name == "x")`, `.spec.containers?[]?.env?[]? | select(.name == "x")?`, false},
		{`.l[]? | select(.n == -1) | .n`, `.l[]? | select(.n == -1)? | .n?`, false},
		{`.l[]? | select(.n == -.m) | .n`, `.l[]? | select(.n == -.m)? | .n?`, true},
		{`.env[] | select(.value | startswith("x"))`, `.env[]? | select(.value | startswith("x"))?`, true},
		{`select(.metadata.name | test("x")) | .spec.a`, `select(.metadata.name | test("x"))? | .spec?.a?`, false},
		{`. | .a.b`, `. | .a.b?`, false},
		{`.. | .a?`, `.. | .a?`, false},
		{`..|select(.a|length > 1)`, `.. | select(.a | length > 1)?`, true},
		{`.a.b, .c.d`, `.a.b?, .c.d?`, false},
		{`(.a | .b).c`, `(.a | .b?).c?`, false},
		{`.a[] | (if .b then .c else empty end)`, `.a[]? | (if .b then .c else empty end?)`, true},
		{`.a.b // .c`, `(.a.b // .c)?`, false},
		{`.[]`, `.[]`, false},
		{`.l[] | select(has("name") and .name != "x")`, `.l[]? | select(has("name") and .name != "x")?`, false},
		{`.a | values | strings | .[0]`, `.a | values | strings | .[0]?`, false},
	} {
		got, ok := WithoutErrors(test.expression)
		if !ok || got.Text != test.text || got.MayFindMore != test.mayFindMore {
			t.Errorf("%s: got %v %q %v, want %q %v", test.expression, ok, got.Text, got.MayFindMore, test.text, test.mayFindMore)
		}
		checkTotal(t, test.expression, got)
	}
	if _, ok := WithoutErrors(".a["); ok {
		t.Error("a syntax error has no form without errors")
	}
}

// checkTotal looks what the three forms find in many values: none of the written ones fails, the
// exact one finds what the expression finds or nothing where that fails, and the other finds no
// less.
func checkTotal(t *testing.T, expression string, total Total) {
	t.Helper()
	odd := []any{nil, "x1", 1, true, []any{}, map[string]any{}, []any{nil, "x", []any{1}}, []any{map[string]any{"name": "x", "value": "xy"}}}
	var values []any
	for _, a := range odd {
		for _, key := range []string{"spec", "a", "webhooks", "metadata", "containers", "env", "l", "annotations"} {
			values = append(values, map[string]any{key: a}, map[string]any{"spec": map[string]any{key: a}, "a": map[string]any{key: a}},
				map[string]any{"webhooks": []any{map[string]any{"clientConfig": a}, a}},
				map[string]any{"env": []any{map[string]any{"value": "x", "name": "x"}, map[string]any{"value": a}}},
				map[string]any{"spec": map[string]any{"containers": []any{a, map[string]any{"env": []any{map[string]any{"name": "x"}, a}}}}})
		}
	}
	for _, value := range values {
		want, err := pathsOf(t, expression, value)
		exact, exactErr := pathsOf(t, total.Exact, value)
		found, textErr := pathsOf(t, total.Text, value)
		switch {
		case exactErr != nil || textErr != nil:
			t.Errorf("%s fails on %v: %v, %v", expression, value, exactErr, textErr)
		case err != nil && len(exact) > 0:
			t.Errorf("%s fails on %v, and its exact form finds %v", expression, value, exact)
		case err == nil && !reflect.DeepEqual(want, exact):
			t.Errorf("%s finds %v in %v, and its exact form %v", expression, want, value, exact)
		case err == nil && !reflect.DeepEqual(want, found):
			t.Errorf("%s finds %v in %v, and its form without errors %v", expression, want, value, found)
		}
	}
}

func pathsOf(t *testing.T, expression string, value any) ([]string, error) {
	t.Helper()
	query, err := gojq.Parse("path(" + expression + ")")
	if err != nil {
		t.Fatalf("%s: %s", expression, err)
	}
	var paths []string
	for iter := query.Run(value); ; {
		path, ok := iter.Next()
		if !ok {
			return paths, nil
		}
		if err, isError := path.(error); isError {
			return nil, err
		}
		paths = append(paths, fmt.Sprint(path))
	}
}
