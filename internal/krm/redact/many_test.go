package redact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FuzzManyValues holds the way that values are looked for against a look for one after the other.
func FuzzManyValues(f *testing.F) {
	f.Add("the token is hunter2, a and hunter22hunter", "hunter2 hunter22 hunter a ab token")
	f.Add("aaaaaa a", "a aa aaa aaaaa")
	f.Add("ääö \xff", "ä äö \xff \xc3")
	f.Fuzz(func(t *testing.T, text, words string) {
		values := strings.Fields(words)
		slices.Sort(values)
		m := newIndex(&collector{values: values})
		for from := range text {
			longest := 0
			for _, value := range values {
				if strings.HasPrefix(text[from:], value) {
					longest = max(longest, len(value))
				}
			}
			if got := m.longestAt(text[from:]); got != longest {
				t.Errorf("%q has %q, and %d bytes were found of %d", text[from:], values, got, longest)
			}
		}
	})
}

// TestMaskOfALongValue hides a value, and the parts of it that are long.
func TestMaskOfALongValue(t *testing.T) {
	var value strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&value, "%d-", i*i)
	}
	mask := seeing(tree.FromValue(map[string]any{"kind": "Secret", "stringData": map[string]any{"a": value.String()}}))
	if got := mask.Text("found " + value.String() + "!"); got != "found ***!" {
		t.Errorf("masked %q", got)
	}
}

func TestMaskOfManyValues(t *testing.T) {
	var data, text, want strings.Builder
	for i := range 100 {
		fmt.Fprintf(&data, "  k%d: value-%d\n", i, i)
		fmt.Fprintf(&text, "k%d has \"value-%d\"; ", i, i)
		fmt.Fprintf(&want, "k%d has \"***\"; ", i)
	}
	mask := seeing(parse(t, "apiVersion: v1\nkind: Secret\nstringData:\n"+data.String()))
	if diff := cmp.Diff(want.String(), mask.Text(text.String())); diff != "" {
		t.Errorf("masked (-want +got):\n%s", diff)
	}
	if got := mask.Text("found value-1… and valu..."); got != "found ***… and ***..." {
		t.Errorf("masked %q", got)
	}
}
