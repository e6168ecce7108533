package words

import "testing"

func TestShorten(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "abc": "abc", "abcd": "abc…", "äöü": "äöü", "äöüß": "äöü…", "\xff\xff\xff\xff": "\xff\xff\xff…",
	} {
		if got := Shorten(text, 3); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Shorten("a", 0); got != "…" {
		t.Errorf("no characters: %q, want an ellipsis alone", got)
	}
}

func TestDidYouMean(t *testing.T) {
	known := []string{"Strip", "Annotate"}
	for word, want := range map[string]string{"strip": `; did you mean "Strip"?`, "Remove": ""} {
		if got := DidYouMean(word, known); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
