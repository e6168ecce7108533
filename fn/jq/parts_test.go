package jq

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParts(t *testing.T) {
	for expression, want := range map[string][]Part{
		".a":                  nil,
		"[.a, .b]":            nil,
		".a | .b, .c":         nil,
		".x as $x | .a, .b":   nil,
		".a, ":                nil,
		".a,.b":               {{".a", ".a"}, {".b", ".b"}},
		"((.a, .b), .c | .d)": nil,
		"(.a, (.b | .c), .d)": {{".a", ".a"}, {"(.b | .c)", "(.b | .c)"}, {".d", ".d"}},
		"def f: .x; f, .b":    {{"f", "def f: .x; f"}, {".b", "def f: .x; .b"}},
	} {
		if diff := cmp.Diff(want, Parts(expression)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expression, diff)
		}
	}
}

func TestComparisonFix(t *testing.T) {
	for expression, want := range map[string]string{
		`.a[] | select(.name == "x")`:                    "",
		`.a[] | select(.b |= 1 | .c)`:                    `.a[] | select(.b == 1 | .c)`,
		`.a[] | select(.name = "x")`:                     `.a[] | select(.name == "x")`,
		`.a[] | select(.name = "x" or (.name += "y"))`:   `.a[] | select(.name == "x" or (.name == "y"))`,
		`.a[] | select(.name | test("select = ="))`:      "",
		`(.a = 1) | .b[] | select(.name == "x") | .name`: "",
	} {
		got, found := ComparisonFix(expression)
		if got != want || found != (want != "") {
			t.Errorf("%s: got %s, want %s", expression, got, want)
		}
	}
}
