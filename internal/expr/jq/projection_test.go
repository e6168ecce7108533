package jq

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"
)

// TestAsPath compares what projections find with what the path expressions for them do, here and by
// gojq's own path.
func TestAsPath(t *testing.T) {
	values := []any{
		map[string]any{},
		map[string]any{"data": nil},
		map[string]any{"data": map[string]any{}},
		map[string]any{"data": map[string]any{"a": "x", "ab": "y", "b": "x", "c/d": 3}},
	}
	for expression, want := range map[string]string{
		`.data | with_entries(select(.key | startswith("a")))`:                        `.data | .[to_entries?[] | select(.key | startswith("a")) | .key]`,
		`.data | to_entries | map(select(.key == "b" or .value == 3)) | from_entries`: `.data | .[to_entries?[] | select(.key == "b" or .value == 3) | .key]`,
		`(.data // {}) | with_entries(select(.key != "a"))`:                           "",
		`.data | with_entries(.value |= 1)`:                                           "",
		`.data`:                                                                       "",
	} {
		got, ok := AsPath(expression)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: got %q, want %q", expression, got, want)
		}
		if !ok {
			continue
		}
		query, err := gojq.Parse("path(" + got + ")")
		if err != nil {
			t.Fatal(err)
		}
		projection, path := mustCompilePath(t, expression), mustCompilePath(t, got)
		for _, value := range values {
			want, err := projection.Paths(value, nil)
			if err != nil {
				t.Fatal(err)
			}
			if found, err := path.Paths(value, nil); err != nil || cmp.Diff(want, found) != "" {
				t.Errorf("%s of %v: %v, %s", got, value, err, cmp.Diff(want, found))
			}
			var found [][]any
			for iter := query.Run(value); ; {
				v, ok := iter.Next()
				if !ok {
					break
				}
				path, _ := v.([]any)
				found = append(found, path)
			}
			if len(found) != len(want) {
				t.Errorf("%s of %v: gojq finds %v, want %v", got, value, found, want)
			}
		}
	}
}

func mustCompilePath(t *testing.T, expression string) *Path {
	t.Helper()
	path, err := CompilePath(expression, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return path
}
