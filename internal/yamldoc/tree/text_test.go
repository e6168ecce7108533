package tree

import (
	"strings"
	"sync"
	"testing"
)

// textOf parses "a: " and a value, which must be one that readBlock takes.
func textOf(t *testing.T, value string) *Node {
	t.Helper()
	text := "a: " + value + "\n"
	if !checkBlock(t, text) {
		t.Fatalf("readBlock must take\n%s", text)
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
		var pieces strings.Builder
		n.Pieces(func(piece string) { pieces.WriteString(piece) })
		if got := pieces.String(); got != want {
			t.Errorf("%q: the pieces make %q, want %q", value, got, want)
		}
		if got := n.Bare().Text(); got != want {
			t.Errorf("%q: the text of a bare node is %q, want %q", value, got, want)
		}
	}
}

// TestLongText has a scalar whose text is kept once it has been asked for, by whichever goroutine.
func TestLongText(t *testing.T) {
	line := strings.Repeat("b", 100)
	for header, want := range map[string]string{
		"|\n  ": strings.Repeat(line+"\n", 100),
		"":      strings.TrimSuffix(strings.Repeat(line+" ", 100), " "),
	} {
		n := textOf(t, header+strings.TrimSuffix(strings.Repeat(line+"\n  ", 100), "\n  "))
		var texts [4]string
		var group sync.WaitGroup
		for i := range texts {
			group.Go(func() { texts[i] = n.Text() })
		}
		group.Wait()
		for _, got := range append(texts[:], n.Bare().Text()) {
			if got != want {
				t.Errorf("%q: the text is %q, want %q", header, got, want)
			}
		}
		n.SetText("c")
		if n.Text() != "c" {
			t.Errorf("%q: the text must be the one that was set, found %q", header, n.Text())
		}
	}
}

// TestFarBlockScalar has a block scalar in a column that a node does not hold.
func TestFarBlockScalar(t *testing.T) {
	text := "a: |\n" + strings.Repeat(" ", 1<<16) + "b\n"
	if checkBlock(t, text) {
		t.Error("readBlock must leave the text to the library")
	}
	root, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := GetString(root, "a"); got != "b\n" {
		t.Errorf("the text is %q, want %q", got, "b\n")
	}
}
