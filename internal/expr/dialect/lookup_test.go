package dialect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestLookup(t *testing.T) {
	var text strings.Builder
	text.WriteString("base: &base {k1: merged, other: merged}\nlarge:\n  <<: *base\n")
	for i := range 2 * manyElements {
		fmt.Fprintf(&text, "  k%d: v%d\n", i, i)
	}
	text.WriteString("small: {a: b}\n")
	root, err := tree.Parse([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	in := &Input{Root: root}
	large, small := tree.Lookup(root, "large"), tree.Lookup(root, "small")
	for i := range 3 * manyElements { // before and after it is indexed
		for _, key := range []string{fmt.Sprintf("k%d", i), "other", "<<", "none"} {
			if got, want := in.Lookup(large, key), tree.Lookup(large, key); got != want {
				t.Fatalf("%s: got %v, want %v", key, got, want)
			}
		}
	}
	if in.Lookup(small, "a") != tree.Lookup(small, "a") || in.Lookup(nil, "a") != nil {
		t.Error("a small map, or none, must be looked into as ever")
	}
}
