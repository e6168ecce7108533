package config

import (
	"strings"
	"testing"
)

func TestFound(t *testing.T) {
	long := strings.Repeat("ä", 70)
	tests := map[string]struct{ text, want string }{
		"null":        {"~", "null"},
		"string":      {`"a\nb"`, `"a\nb"`},
		"number":      {"0x1F", "number 0x1F"},
		"boolean":     {"True", "boolean True"},
		"empty map":   {"{}", "map {}"},
		"empty list":  {"[]", "list []"},
		"map":         {"{a: 1, b: [x, ~, true]}", `map {a: 1, b: [x, ~, true]}`},
		"alias":       {"[&a {b: 1}, *a]", `list [{b: 1}, {b: 1}]`},
		"long string": {long, `"` + strings.Repeat("ä", 60) + `…"`},
		"long list": {
			"[" + strings.Repeat("1234567, ", 100) + "]", "list [" + strings.Repeat("1234567, ", 6) + "12345…",
		},
		"deep list":       {strings.Repeat("[", 500) + strings.Repeat("]", 500), "list " + strings.Repeat("[", 60) + "…"},
		"control in keys": {`{"a\nb": 1}`, `map {"a\nb": 1}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Found(parse(t, test.text)); got != test.want {
				t.Errorf("found %s, want %s", got, test.want)
			}
		})
	}
}
