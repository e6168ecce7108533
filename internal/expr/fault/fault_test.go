package fault

import "testing"

func TestCaret(t *testing.T) {
	for _, test := range []struct {
		text         string
		line, column int
		want         string
	}{
		{"abc", 1, 2, "abc\n ^"},
		{"abc", 1, 4, "abc\n   ^"},
		{"abc", 1, 9, "abc\n   ^"},
		{"a\n\té=b\nc", 2, 3, "\té=b\n\t ^"},
		{"abc", 0, 1, ""},
		{"abc", 2, 1, ""},
		{"abc", 1, 0, ""},
	} {
		if got := (&SyntaxError{Expression: test.text, Line: test.line, Column: test.column}).Caret(); got != test.want {
			t.Errorf("the caret in %q at %d, %d is %q, want %q", test.text, test.line, test.column, got, test.want)
		}
	}
}
