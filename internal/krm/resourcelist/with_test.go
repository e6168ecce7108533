package resourcelist

import "testing"

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
			if _, cut := list.layout.(*cutList); cut != (test.calls == 1) {
				t.Errorf("the list is cut: %v, want %v", cut, test.calls == 1)
			}
		})
	}
}
