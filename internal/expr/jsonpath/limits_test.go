package jsonpath

import (
	"fmt"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestRecursiveDescentIsLinear compares the work for an object with that for one ten times as
// large.
func TestRecursiveDescentIsLinear(t *testing.T) {
	work := func(expression string, elements int) int {
		path, err := parse(expression)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for i := range elements {
			fmt.Fprintf(&text, "- {name: n%d, spec: {name: m, items: [{name: i}]}}\n", i)
		}
		root := &reachedNode{node: golden.Parse(t, "l:\n"+text.String())}
		b := dialect.NewBudget()
		found, err := newPathWalk(&dialect.Input{}, expression, path.steps, b, &room{}).walk([]*reachedNode{root}, path.steps)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: found %d, error %v", expression, len(found), err)
		}
		return dialect.MaxWork - b.Left
	}
	for _, expression := range []string{`..name`, `..spec..name`, `...*..name`, `..l..items..name`} {
		small, large := work(expression, 200), work(expression, 2000)
		if large > 11*small {
			t.Errorf("%s: work %d for 200 elements, %d for 2000", expression, small, large)
		}
	}
}

func TestRepeatedDescentFindsEachPlaceOnce(t *testing.T) {
	n := tree.NewString("x")
	const depth = 500
	for range depth {
		n = golden.MapOf("a", n)
	}
	path, err := Parse(`..a..a..a`)
	if err != nil {
		t.Fatal(err)
	}
	found, err := path.Locate(&dialect.Input{Root: n})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Locations) != depth-2 {
		t.Errorf("found %d locations, want %d", len(found.Locations), depth-2)
	}
	if got := len(location.Outermost(found.Locations)); got != 1 {
		t.Errorf("found %d outermost locations, want 1", got)
	}
	seen := map[string]bool{}
	for _, l := range found.Locations {
		if seen[l.Pointer()] {
			t.Errorf("found %s twice", l)
		}
		seen[l.Pointer()] = true
	}
}
