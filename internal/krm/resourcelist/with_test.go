package resourcelist

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
)

// TestWith has lists with anchors: those whose items share them are read as one tree, on which the
// work is done again.
func TestWith(t *testing.T) {
	const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	for name, test := range map[string]struct {
		items string
		calls int
	}{
		"aliases of the item's own anchors": {"- a: &x 1\n  b: *x\n- c: '*/5'\n- d: &x 2\n", 1},
		"an alias of another item's anchor": {"- a: &x 1\n- b: *x\n- c: 2\n", 2},
		"aliases of two other items":        {"- a: &y 1\n- b: &x 2\n- c: [*y, *x]\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			list, err := With([]byte(head+test.items), func(list *List) { calls++ })
			if err != nil || calls != test.calls {
				t.Fatalf("the work must be done %d times, got %d times and the error %v", test.calls, calls, err)
			}
			for _, item := range list.Items {
				if item.Err() != nil {
					t.Errorf("every item must be parsed, got %v", item.Err())
				}
			}
		})
	}
}

// TestAliasesInALongList edits a list of 5,000 items whose last one has an alias of a node in the
// first: an item that does not change keeps its bytes while the anchor is there.
func TestAliasesInALongList(t *testing.T) {
	const last = "- a: *x # of the first\n  b: 1\n"
	var items strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&items, "- a: &x%d {b: c}\n  d: [%s1]\n", i, strings.Repeat("a value, 1, ", 75))
	}
	text := header + "items:\n" + strings.Replace(items.String(), "&x0", "&x", 1) + last
	for name, test := range map[string]struct {
		item int
		key  string
		want string
	}{
		"another field of the first": {0, "d", last},
		"the anchor":                 {0, "a", "- a: {b: c} # of the first\n  b: 1\n"},
		"another field of the last":  {5000, "b", "- a: {b: c} # of the first\n"},
	} {
		t.Run(name, func(t *testing.T) {
			list := mustRead(t, text)
			list.Items[test.item].Remove([]location.Location{{location.Key(test.key)}})
			texts, err := list.Write(nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.Join(texts, nil); !bytes.HasSuffix(got, []byte(test.want)) {
				t.Errorf("the list ends in %q, want %q", got[len(got)-80:], test.want)
			}
		})
	}
}
