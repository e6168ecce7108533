package manifests

import (
	"strings"
	"testing"
)

// TestExcluded has what git 2.39 says of each (git check-ignore --no-index).
func TestExcluded(t *testing.T) {
	tests := []struct {
		patterns, path string
		want           bool
	}{
		{"web.yaml", "web.yaml", true},
		{"web.yaml", "a/b/web.yaml", true},
		{"web.yaml", "a/web.yml", false},
		{"/web.yaml", "web.yaml", true},
		{"/web.yaml", "a/web.yaml", false},
		{"a/web.yaml", "a/web.yaml", true},
		{"a/web.yaml", "b/a/web.yaml", false},
		{"*.yaml", "a/web.yaml", true},
		{"*.yaml\n!web.yaml", "a/web.yaml", false},
		{"!web.yaml\n*.yaml", "a/web.yaml", true},
		{"a*b", "a/b", false},
		{"a?b", "a/b", false},
		{"drafts/", "drafts", false},
		{"drafts/", "drafts/", true},
		{"drafts/", "a/drafts/", true},
		{"a/drafts/", "b/a/drafts/", false},
		{"**/x.yaml", "x.yaml", true},
		{"**/x.yaml", "a/b/x.yaml", true},
		{"a/**", "a/b/x.yaml", true},
		{"a/**", "a/", false},
		{"a/**/x.yaml", "a/x.yaml", true},
		{"a/**/x.yaml", "a/b/c/x.yaml", true},
		{"a/**/x.yaml", "b/a/x.yaml", false},
		{"a**b", "acdb", true},
		{"[ab].yaml", "b.yaml", true},
		{"[!ab].yaml", "b.yaml", false},
		{"[^ab].yaml", "c.yaml", true},
		{"[a-c]x", "bx", true},
		{"[]x]", "]", true},
		{"[[:digit:]]", "5", true},
		{"[a-]", "-", true},
		{`\*.yaml`, "*.yaml", true},
		{`\*.yaml`, "a.yaml", false},
		{`\#x`, "#x", true},
		{"#x", "#x", false},
		{`\!x`, "!x", true},
		{"x   ", "x", true},
		{`x\ `, "x ", true},
		{"", "x", false},
		{"a.b", "axb", false},
	}
	for _, test := range tests {
		patterns, err := parsePatterns(strings.Split(test.patterns, "\n"))
		if err != nil {
			t.Errorf("%q: %v", test.patterns, err)
			continue
		}
		path, isFolder := strings.CutSuffix(test.path, "/")
		if got := excluded(patterns, path, isFolder); got != test.want {
			t.Errorf("%q, %q: got %t, want %t", test.patterns, test.path, got, test.want)
		}
	}
}

func TestInvalidPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"[a":        `invalid pattern "[a": it must have a "]" for its "["`,
		"/":         `invalid pattern "/": it must name a file or a folder`,
		"!":         `invalid pattern "!": it must name a file or a folder`,
		`a\`:        `invalid pattern "a\\": a character must follow the "\" at its end`,
		"[b-a]":     `invalid pattern "[b-a]": it must have classes of characters such as [a-z], found "[b-a]"`,
		"a/[[:x:]]": `invalid pattern "a/[[:x:]]": it must have classes of characters such as [a-z], found "[[:x:]]"`,
	} {
		_, err := parsePatterns([]string{text})
		if err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// FuzzPatterns checks that no pattern can make the program panic.
func FuzzPatterns(f *testing.F) {
	f.Add("!", "a")
	f.Add("[a-\xff", "a/b")
	f.Add(`\`, "\xff")
	f.Add("//", "a")
	f.Fuzz(func(_ *testing.T, text, path string) {
		if patterns, err := parsePatterns([]string{text}); err == nil {
			excluded(patterns, path, true)
		}
	})
}
