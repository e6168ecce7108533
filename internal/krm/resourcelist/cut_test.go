package resourcelist

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzCutParts compares cutting a text in parts with cutting it in one.
func FuzzCutParts(f *testing.F) {
	for _, text := range []string{
		"- a: 1\n- b: 2\n- c: 3\n- d: 4\n",
		"  - a: 1\n  # of b\n\n  - b: |\n      - c\n\n  - d:\n    - e\n  - f: 1",
		"- a:\n  - b\n  - c\n- d: 1\nfunctionConfig:\n- e: 1\n- f: 1\n",
		"  - a: 1\n  - b: 2\n - c: 3\n  - d: 4\n  - e: 5\n",
		"-\n- \n-\r\n- a\n#\n- b\nc\n- d\n",
		"# a\n- b: 1\n- c: 1\n",
		"- a\n...\n- b\n- c\n",
		"- kind: ConfigMap\n  metadata: {name: one, labels: &x {a: b}}\n- kind: ConfigMap\n  metadata: {name: two, labels: *x}\n# end\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want := cutAll(t, text, nil)
		for parts := 2; parts < 5; parts++ {
			got := cutAll(t, text, itemsApart(text, 0, parts))
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(cutter{}, piece{}, anchorUse{}), cmpopts.IgnoreFields(cutter{}, "end", "textAhead", "room"),
				cmpopts.IgnoreFields(piece{}, "object"), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%q in %d parts (-in one +in parts):\n%s", text, parts, diff)
			}
		}
	})
}

// cutAll is cutParts with the last item closed, and all objects made, whose texts must be those of
// the items.
func cutAll(t *testing.T, text []byte, apart []int) *cutter {
	c := cutParts(text, 0, apart, "x")
	c.closeItem()
	for i := range c.items {
		if made := c.items[i].made(); !bytes.Equal(made.Source(), c.items[i].text) {
			t.Errorf("the text of item %d is %q, that of its object %q", i, c.items[i].text, made.Source())
		}
	}
	return c
}
