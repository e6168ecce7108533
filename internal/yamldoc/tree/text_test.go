package tree

import "testing"

// textOf parses "a: " and a value, which must be one that read takes.
func textOf(t *testing.T, value string) *Node {
	t.Helper()
	text := "a: " + value + "\n"
	if !checkBlock(t, text) {
		t.Fatalf("read must take\n%s", text)
	}
	root, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Get(root, "a")
}

func TestText(t *testing.T) {
	for value, want := range map[string]string{
		"b":                              "b",
		"b\n  c  \n\n\n\n  d # e":        "b c\n\n\nd",
		"2024-01-02\n  not a date":       "2024-01-02 not a date",
		"|\n  b\n   c\n\n  d\n\n":        "b\n c\n\nd\n",
		"|-\n  b\n\n":                    "b",
		"|+\n  b\n\n":                    "b\n\n\n",
		">\n  b\n  c\n\n  d\n   e\n  f":  "b c\nd\n e\nf\n",
		"|2\n    b":                      "  b\n",
		"\"b\n  c\\\n  d\"":              "b cd",
		"'b\n\n  c'":                     "b\nc",
		">-\n  " + "é" + "\n  " + "long": "é long",
	} {
		n := textOf(t, value)
		if got := n.Text(); got != want {
			t.Errorf("%q: the text is %q, want %q", value, got, want)
		}
		if got := n.Bare().Text(); got != want {
			t.Errorf("%q: the text of a bare node is %q, want %q", value, got, want)
		}
	}
}
