package jq

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParts(t *testing.T) {
	for expression, want := range map[string][]Part{
		".a":                  nil,
		"[.a, .b]":            nil,
		".x as $x | .a, .b":   nil,
		".a, ":                nil,
		".a,.b":               {{".a", ".a"}, {".b", ".b"}},
		".a | .b, .c":         {{".a | .b", ".a | .b"}, {".a | .c", ".a | .c"}},
		"((.a, .b), .c | .d)": {{".a | .d", ".a | .d"}, {".b | .d", ".b | .d"}, {".c | .d", ".c | .d"}},
		".a | (.b | .c, .d)":  {{".a | .b | .c", ".a | .b | .c"}, {".a | .b | .d", ".a | .b | .d"}},
		"(.a, .b) | (.c, .d)": {
			{".a | .c", ".a | .c"}, {".a | .d", ".a | .d"}, {".b | .c", ".b | .c"}, {".b | .d", ".b | .d"},
		},
		"def f: .x; .a | f, .b":                 {{".a | f", "def f: .x; .a | f"}, {".a | .b", "def f: .x; .a | .b"}},
		".a | def f: .x; f, .b":                 nil,
		".a | (.b, .c)[]":                       nil,
		".a[(0, 1)]":                            nil,
		strings.Repeat(".a, ", maxParts) + ".b": nil,
		"(.a, (.b | .c), .d)":                   {{".a", ".a"}, {"(.b | .c)", "(.b | .c)"}, {".d", ".d"}},
		"def f: .x; f, .b":                      {{"f", "def f: .x; f"}, {".b", "def f: .x; .b"}},
	} {
		if diff := cmp.Diff(want, Parts(expression)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expression, diff)
		}
	}
}
