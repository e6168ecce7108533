package explain

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReasonsAreDocumented holds the table against that of docs/results.md.
func TestReasonsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[A-Z].*?) \\| [^|]* \\|").FindAllStringSubmatch(string(page), -1) {
		for _, name := range regexp.MustCompile("`([A-Za-z]+)`").FindAllStringSubmatch(row[1], -1) {
			documented = append(documented, name[1])
		}
	}
	slices.Sort(documented)
	documented = slices.Compact(documented)
	if diff := cmp.Diff(documented, ReasonNames()); diff != "" {
		t.Errorf("the reasons must be those of docs/results.md, in their order (-page +table):\n%s", diff)
	}
}

func TestText(t *testing.T) {
	reason, found := FindReason("nomatch")
	if !found {
		t.Fatal("NoMatch must be found, whatever the case")
	}
	want := `NoMatch (warning; onNoMatch)

  An expression, a selector, an exclude entry or a pattern of --exclude matched nothing in the whole run.

  To do: Correct it as the message suggests, or delete the rule if the package does not set the field.

  More: https://github.com/krm-fields/krm-fields/blob/main/docs/troubleshooting.md#my-rule-matches-nothing
`
	if diff := cmp.Diff(want, reason.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
