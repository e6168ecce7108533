package fn_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
)

// TestGolden runs the cases of testdata/golden, whose README says how they are written.
func TestGolden(t *testing.T) {
	for _, c := range golden.Lists(t, "../testdata") {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			testCase(t, c)
		})
	}
}

func testCase(t *testing.T, c *golden.Case) {
	in := c.List(t)
	stdout, stderr, code := run(in)
	c.Expect(t, golden.ListInputs, golden.Outcome(in, []byte(stdout), stderr, code)...)
	if code == 0 && c.Setting("once") == "" {
		testIdempotent(t, stdout)
	}
}

// testIdempotent runs the output again: it must succeed and leave the items.
func testIdempotent(t *testing.T, output string) {
	again, stderr, code := run([]byte(output))
	if code != 0 {
		t.Fatalf("the second run on the output exits with %d:\n%s", code, stderr)
	}
	if diff := cmp.Diff(itemsOf(t, output), itemsOf(t, again)); diff != "" {
		t.Errorf("the second run on the output changes it (-first +second):\n%s", diff)
	}
}

func itemsOf(t *testing.T, text string) string {
	list, err := resourcelist.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var items strings.Builder
	for _, item := range list.Items {
		text, err := item.Text()
		if err != nil {
			t.Fatal(err)
		}
		items.Write(text)
	}
	return items.String()
}

func run(input []byte) (stdout, stderr string, code int) {
	var out bytes.Buffer
	if err := fn.Run(bytes.NewReader(input), &out); err != nil {
		return out.String(), err.Error() + "\n", 1
	}
	return out.String(), "", 0
}
