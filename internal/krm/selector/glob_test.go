package selector

import (
	"strings"
	"testing"
)

func TestManyStarsTakeNoBacktracking(t *testing.T) {
	pattern, text := strings.Repeat("*a", 10_000)+"*b", strings.Repeat("a", 1_000_000)
	if parseGlob(pattern).matches(text) {
		t.Error("matched")
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("a*b", "axb")
	f.Add("**", "")
	f.Add("*ab*", "aab")
	f.Add("ab*ba", "aba")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 50 || len(text) > 50 {
			return
		}
		if got, want := parseGlob(pattern).matches(text), globByDefinition(pattern, text); got != want {
			t.Errorf("%q matches %q: %v, want %v", pattern, text, got, want)
		}
	})
}

// globByDefinition keeps, for each byte of the pattern, the lengths of the starts of text that it
// matches so far.
func globByDefinition(pattern, text string) bool {
	matched := map[int]bool{0: true}
	for i := range len(pattern) {
		next := map[int]bool{}
		for length := range matched {
			switch {
			case pattern[i] == '*':
				for l := length; l <= len(text); l++ {
					next[l] = true
				}
			case length < len(text) && text[length] == pattern[i]:
				next[length+1] = true
			}
		}
		matched = next
	}
	return matched[len(text)]
}
