package tree

import "testing"

func TestIsSimple(t *testing.T) {
	for text, want := range map[string]bool{
		"a: b\nc: [d]\n":                       true,
		"a: b\n  c\nd: 'e\n  f'\n":             true,
		"a: [b,\n  c\n ]\nd: {\n  e: f,\n }\n": true,
		"a: [\n  b\n]\nc: d\n":                 false,
		"a: &b c\n":                            false,
		"a: &b c\nd: *b\n":                     false,
		"<<: {a: b}\n":                         false,
		"a: !!str b\n":                         false,
	} {
		memory := NewMemory()
		if _, err := memory.Parse([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := memory.IsSimple(); got != want {
			t.Errorf("IsSimple of %q is %v, want %v", text, got, want)
		}
		if got := memory.ParseSimple([]byte(text), 0) != nil; got != want {
			t.Errorf("ParseSimple takes %q: %v, want %v", text, got, want)
		}
		memory.Free()
	}
}
