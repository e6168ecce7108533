package redact

import (
	"strings"
	"testing"
)

func TestFragments(t *testing.T) {
	root := parse(t, "{apiVersion: v1, kind: Secret, metadata: {name: hunting}, stringData: {password: hunter2://x-hunting}}")
	fragments := New(root).Fragments()
	tests := map[string]struct{ text, want string }{
		"a part":          {"a: hunt", "a: ***"},
		"in a word":       {"a: xunter2x", "a: x***x"},
		"three bytes":     {"a: hun", "a: hun"},
		"marks alone":     {"a: https://y", "a: https://y"},
		"a public word":   {"a: hunting", "a: hunting"},
		"nothing to hide": {"a: b", "a: b"},
		"too short":       {"a", "a"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := fragments.Text(test.text); got != test.want {
				t.Errorf("text %q, want %q", got, test.want)
			}
		})
	}
	if got := (Fragments{}).Text("hunter2"); got != "hunter2" {
		t.Errorf("without values: text %q", got)
	}
}

// FuzzFragments looks for parts of a value in what is shown of any cut of it.
func FuzzFragments(f *testing.F) {
	f.Add("hunter2-and-more", 2, 9, "a: ", " b")
	f.Fuzz(func(t *testing.T, value string, from, to int, before, after string) {
		if from < 0 || to > len(value) || from > to || strings.Contains(value, Masked) {
			return
		}
		fragments := Mask{values: []string{value}}.Fragments()
		shown := fragments.Text(before + value[from:to] + after)
		for i := range len(value) - fragment + 1 {
			if part := value[i : i+fragment]; !isMostlyMarks(part) && strings.Contains(shown, part) {
				t.Errorf("%q is shown as %q, which has %q", value, shown, part)
			}
		}
	})
}
