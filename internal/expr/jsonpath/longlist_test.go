package jsonpath

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/expr/dialect"
)

// TestFilterOfALongList resolves each filter several times, of which all but the first may use an
// index of the list.
func TestFilterOfALongList(t *testing.T) {
	var text strings.Builder
	list := func(name, format string) {
		fmt.Fprintf(&text, "%s:\n", name)
		for i := range 300 {
			fmt.Fprintf(&text, format, i%299)
		}
	}
	list("texts", "- x%d\n")
	list("named", "- {name: n%d, value: v}\n")
	list("mixed", "- x%d\n")
	text.WriteString("- 7\nsome: [{name: n1}, {other: n1}]\n")
	in := &dialect.Input{Root: golden.Parse(t, text.String())}
	for expression, want := range map[string]string{
		`.texts[?(@=="x0")]`:             "texts[0] texts[299]",
		`.texts[?(@=="x298")]`:           "texts[298]",
		`.texts[?(@=="none")]`:           "",
		`.named[?(@.name=="n5")].value`:  "named[5].value",
		`.named[?(@.value=="v")].name`:   "300 fields",
		`.named[?(@.other=="n5")].value`: "",
		`.named[?(@=="n5")].value`:       `[?(@=="n5")] cannot be applied to named[0]: a map must not be compared with a string`,
		`.mixed[?(@=="x5")]`:             `[?(@=="x5")] cannot be applied to mixed[300]: a number must not be compared with a string`,
		`.some[?(@.name=="n1")].name`:    "some[0].name",
	} {
		path, err := Parse(expression)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			found, err := path.Locate(in)
			var names []string
			for _, l := range found.Locations {
				names = append(names, l.String())
			}
			got := strings.Join(names, " ")
			if len(names) > 2 {
				got = fmt.Sprintf("%d fields", len(names))
			}
			if err != nil {
				_, got, _ = strings.Cut(err.Error(), ": ")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", expression, diff)
			}
		}
	}
}
