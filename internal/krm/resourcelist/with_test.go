package resourcelist

import "testing"

// TestWithCallsOnce has lists with anchors, on which the work must not be done a second time.
func TestWithCallsOnce(t *testing.T) {
	const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	for name, test := range map[string]struct {
		items string
		cut   bool
	}{
		"aliases of the item's own anchors": {"- a: &x 1\n  b: *x\n- c: '*/5'\n- d: &x 2\n", true},
		"an alias of another item's anchor": {"- a: &x 1\n- b: *x\n- c: 2\n", false},
		"aliases of two other items":        {"- a: &y 1\n- b: &x 2\n- c: [*y, *x]\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			list, err := With([]byte(head+test.items), func(list *List) {
				calls++
				for _, item := range list.Items {
					if item.Err() != nil {
						t.Errorf("every item must be parsed, got %v", item.Err())
					}
				}
			})
			if err != nil || calls != 1 {
				t.Fatalf("the work must be done once, got %d times and the error %v", calls, err)
			}
			if list.mayShareAnchors() {
				t.Error("items that have the anchors of their aliases must not be parsed beforehand")
			}
			if _, cut := list.layout.(*cutList); cut != test.cut {
				t.Errorf("the list is cut: %v, want %v", cut, test.cut)
			}
		})
	}
}
