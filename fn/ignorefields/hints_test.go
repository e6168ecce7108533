package ignorefields

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// TestSample holds that the sample for hints has objects of every kind, also of later chunks, and
// no object to which no rule applies.
func TestSample(t *testing.T) {
	of := func(kinds string) []itemOutcome {
		outcomes := make([]itemOutcome, len(kinds))
		for i, kind := range kinds {
			if kind != '-' {
				outcomes[i].kind = schema.GVK{Kind: string(kind)}
			}
		}
		return outcomes
	}
	few, many := newSummary(1), newSummary(maxHints)
	for _, test := range []struct {
		of   summary
		in   string
		want []int
	}{
		{few, "a-ab", []int{0, 2, 3}},
		{few, "aaaaaaaaaac", []int{0, 1, 2, 3, 4, 5, 6, 7, 10}},
		{few, "ab", []int{1}},
		{many, "aabb", []int{0, 2}},
	} {
		if diff := cmp.Diff(test.want, test.of.sample(of(test.in))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.in, diff)
		}
	}
}
