package location_test

import (
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestDiffering(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"{a: 1}", "{a: 1}", ""},
		{"{a: 1, b: {c: x, d: y}}", "{a: 1, b: {c: x, d: z}}", "b.d"},
		{"[{n: a, w: 1}, {n: b, w: 2}]", "[{n: a, w: 3}, {n: b, w: 4}]", "[0].w [1].w"},
		{"[a, b]", "[a, c, d]", "[1] [2]"},
		{"{a: 1, b: ~}", "{a: 1}", "b"},
		{"{a: 1}", "{a: 1, c: 2}", "c"},
		{"{a: [1]}", "{a: {b: 1}}", "a"},
		{"[1]", "{b: 1}", "(all)"},
	} {
		var got []string
		for _, l := range location.Differing(parse(t, test.a), parse(t, test.b)) {
			text := l.String()
			if len(l) == 0 {
				text = "(all)"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("Differing(%s, %s) = %q, want %q", test.a, test.b, text, test.want)
		}
	}
}

func parse(t *testing.T, text string) *tree.Node {
	t.Helper()
	n, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
