package redact

import (
	"fmt"
	"math/rand/v2"
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
		m := Mask{}.hiding(values)
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
	mask := New(tree.FromValue(map[string]any{"kind": "Secret", "stringData": map[string]any{"a": value.String()}}))
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
	mask := New(parse(t, "apiVersion: v1\nkind: Secret\nstringData:\n"+data.String()))
	if diff := cmp.Diff(want.String(), mask.Text(text.String())); diff != "" {
		t.Errorf("masked (-want +got):\n%s", diff)
	}
	if got := mask.Text("found value-1… and valu..."); got != "found ***… and ***..." {
		t.Errorf("masked %q", got)
	}
}

// TestKeysBesideALongValueStay shows the annotations that an edit has added beside a value that has
// no letters of theirs.
func TestKeysBesideALongValueStay(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(alphabet string, size int) string {
		var b strings.Builder
		for range size {
			b.WriteByte(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	secret := map[string]any{"kind": "Secret", "stringData": map[string]any{"a": text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", 1<<18)}}
	before := tree.FromValue(secret)
	added := map[string]any{}
	for range 100 {
		added[text("abcdefghijklmnopqrstuvwxyz", 40)] = "added"
	}
	secret["metadata"] = map[string]any{"annotations": added}
	after := tree.FromValue(secret)
	_, masked := New(before, after).Copies(before, after, ShownEdits, "")
	for key, value := range tree.Entries(tree.Get(masked, "metadata", "annotations")) {
		if added[key] == nil || value.Text() != "added" {
			t.Errorf("%s: %s is shown", key, value.Text())
		}
	}
}
