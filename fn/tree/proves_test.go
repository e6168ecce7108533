package tree

import (
	"strings"
	"testing"
)

func TestProves(t *testing.T) {
	large := "a:\n" + strings.Repeat("- {b: 1, c: [x, y]}\n", 2000)
	for name, test := range map[string]struct {
		text, other string
		want        bool
	}{
		"the same text":            {"a: 1\nb: [x]\n", "a: 1\nb: [x]\n", true},
		"another spelling":         {"a: 1\nb:\n- 'x' # why\n", "a: 1\nb: [x]\n", true},
		"another value":            {"a: 2\nb: [x]\n", "a: 1\nb: [x]\n", false},
		"another type":             {"a: '1'\nb: [x]\n", "a: 1\nb: [x]\n", false},
		"a key less":               {"a: 1\n", "a: 1\nb: [x]\n", false},
		"no YAML":                  {"a: [\n", "a: 1\n", false},
		"read by the YAML library": {"a: &x 1\nb: *x\n", "a: &x 1\nb: *x\n", true},
		"more nodes than kept":     {large, large, true},
	} {
		t.Run(name, func(t *testing.T) {
			root := mustParse(t, test.other)
			for range 3 { // the memory of one proof serves the next
				if got := Proves([]byte(test.text), root); got != test.want {
					t.Errorf("got %v, want %v", got, test.want)
				}
			}
		})
	}
}
