package jq

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/expr/fault"
)

// TestIndexLooksAtWholeObject has expressions whose indices are computed from other parts of the
// object than the one that is indexed.
func TestIndexLooksAtWholeObject(t *testing.T) {
	value := map[string]any{
		"a": map[string]any{"x": 1, "y": map[string]any{"x": 2}}, "k": "x", "n": 1, "l": []any{"p", "q", "r"},
	}
	for expression, want := range map[string][][]any{
		`.a[.k]`:             {{"a", "x"}},
		`.a.y[.k]`:           {{"a", "y", "x"}},
		`.a["\(.k)"]`:        {{"a", "x"}},
		`.a."\(.k)"`:         {{"a", "x"}},
		`.l[.n]`:             {{"l", 1}},
		`.l[.n:][]`:          {{"l", 1}, {"l", 2}},
		`.l[:.n][]`:          {{"l", 0}},
		`.l[.n + 1]`:         {{"l", 2}},
		`.l[-(.n)]`:          {{"l", 2}},
		`.l[-1]`:             {{"l", 2}},
		`.a.y["x"]`:          {{"a", "y", "x"}},
		`.l[(1, .n + 1)]`:    {{"l", 1}, {"l", 2}},
		`.l[1:2][]`:          {{"l", 1}},
		`.a[.k] | select(.)`: {{"a", "x"}},
	} {
		path, err := CompilePath(expression, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		paths, err := path.Paths(value, nil)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
		}
		if diff := cmp.Diff(want, paths); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expression, diff)
		}
	}
}

func TestSafeCauseOfConversion(t *testing.T) {
	path, err := CompilePath(".k | tonumber", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = path.Paths(map[string]any{"k": "x"}, nil)
	runtime, ok := errors.AsType[*fault.RuntimeError](err)
	if want := "the evaluation failed"; !ok || safeCause(runtime) != want {
		t.Errorf("the error is %v, and its safe cause must be %q", err, want)
	}
}
