package object

import "testing"

func TestVerify(t *testing.T) {
	for name, test := range map[string]struct {
		text, other string
		want        bool
	}{
		"the same text":            {"- a: 1\n  b: [x]\n", "- a: 1\n  b: [x]\n", true},
		"another spelling":         {"- a: 1\n  b:\n  - 'x' # why\n", "- a: 1\n  b: [x]\n", true},
		"another value":            {"- a: 2\n  b: [x]\n", "- a: 1\n  b: [x]\n", false},
		"another type":             {"- a: '1'\n  b: [x]\n", "- a: 1\n  b: [x]\n", false},
		"a key less":               {"- a: 1\n", "- a: 1\n  b: [x]\n", false},
		"no YAML":                  {"- a: [\n", "- a: 1\n", false},
		"two elements":             {"- a: 1\n- a: 1\n", "- a: 1\n", false},
		"read by the YAML library": {"- a: &x 1\n  b: *x\n", "- a: &x 1\n  b: *x\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			o := Items(1, func(int) []byte { return []byte(test.other) })[0]
			for range 3 { // the memory of one proof serves the next
				if got := o.verify([]byte(test.text), o.Root()); got != test.want {
					t.Errorf("got %v, want %v", got, test.want)
				}
			}
		})
	}
}
