package redact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzManyValues holds the way that many values are looked for at once against a look for one after
// the other.
func FuzzManyValues(f *testing.F) {
	f.Add("the token is hunter2, a and hunter22hunter", "hunter2 hunter22 hunter a ab token")
	f.Add("aaaaaa a", "a aa aaa aaaaa")
	f.Add("ääö \xff", "ä äö \xff \xc3")
	f.Fuzz(func(t *testing.T, text, words string) {
		values := strings.Fields(words)
		for i := range manyValues {
			values = append(values, fmt.Sprintf("another value %d", i))
		}
		slices.Sort(values)
		values = slices.Compact(values)
		want, got := make([]bool, len(text)), make([]bool, len(text))
		r := asWritten(text)
		for _, value := range values {
			r.markValue(value, want)
		}
		r.markValues(values, got)
		if diff := cmp.Diff(replaceMarked(text, want), replaceMarked(text, got)); diff != "" {
			t.Errorf("%q without %q (-one by one +at once):\n%s", text, values, diff)
		}
	})
}

func TestMaskOfManyValues(t *testing.T) {
	var data, text, want strings.Builder
	for i := range 100 {
		fmt.Fprintf(&data, "  k%d: value-%d\n", i, i)
		fmt.Fprintf(&text, "k%d has \"value-%d\"; ", i, i)
		fmt.Fprintf(&want, "k%d has \"***\"; ", i)
	}
	mask := New(parse(t, "apiVersion: v1\nkind: Secret\nstringData:\n"+data.String()))
	if diff := cmp.Diff(want.String(), mask.Text(text.String())); diff != "" {
		t.Errorf("masked (-want +got):\n%s", diff)
	}
	if got := mask.Text("found value-1… and valu..."); got != "found ***… and ***..." {
		t.Errorf("masked %q", got)
	}
}
