package cli_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestSuggestOnManyElements has a list whose elements the cluster has in the reverse order: work
// that grew with the square of their number would take minutes.
func TestSuggestOnManyElements(t *testing.T) {
	const count = 20_000
	list := func(index func(i int) int) string {
		var b strings.Builder
		b.WriteString("apiVersion: example.com/v1\nkind: Table\nmetadata: {name: a}\nspec:\n  rows:\n")
		for i := range count {
			fmt.Fprintf(&b, "  - {name: n%d, value: 1}\n", index(i))
		}
		return b.String()
	}
	desired := write(t, "desired.yaml", list(func(i int) int { return i }))
	live := write(t, "live.yaml", list(func(i int) int { return count - 1 - i }))
	_, errOut := run(t, "", "suggest", desired, live)
	if want := "nothing to suggest: no field that differs from LIVE needs a rule\n"; errOut != want {
		t.Errorf("stderr %q, want %q", errOut, want)
	}
}

// TestLocateOnManyFields has more fields on a line than expressions can be proved for.
func TestLocateOnManyFields(t *testing.T) {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {")
	for i := range 20_000 {
		fmt.Fprintf(&b, "key%d: a, ", i)
	}
	file := write(t, "wide.yaml", b.String()+"last: a}\n"+strings.Repeat("# no field\n", 20_000))
	_, errOut := run(t, "", "locate", file, "--line", "4")
	if !strings.Contains(errOut, "must have fewer fields, found 20002") || !strings.Contains(errOut, "such as --field 'data.last'") {
		t.Errorf("the error must name the number and the fix, found %q", errOut)
	}
	_, errOut = run(t, "", "locate", file, "--line", "5")
	if !strings.HasSuffix(errOut, "line 5 of folder/wide.yaml has no field [RunError]\n") {
		t.Errorf("stderr %q", errOut)
	}
}
