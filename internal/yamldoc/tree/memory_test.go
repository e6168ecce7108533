package tree

import "testing"

func TestIsSimple(t *testing.T) {
	simple, withAnchors, other := form{simple: true}, form{simple: true, anchors: true}, form{}
	for text, want := range map[string]form{
		"a: b\nc: [d]\n":                       simple,
		"a: b\n  c\nd: 'e\n  f'\n":             simple,
		"a: [b,\n  c\n ]\nd: {\n  e: f,\n }\n": simple,
		"a: [\n  b\n]\nc: d\n":                 other,
		"a: &b c\n":                            withAnchors,
		"a: &b c\nd: *b\n":                     withAnchors,
		"<<: {a: b}\n":                         other,
		"a: !!str b\n":                         other,
	} {
		memory := NewMemory()
		if _, err := memory.Parse([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := (form{memory.IsSimple(), memory.HasAnchors()}); got != want {
			t.Errorf("the form of %q is %+v, want %+v", text, got, want)
		}
		if got := memory.ParseSimple([]byte(text), 0) != nil; got != (want == simple) {
			t.Errorf("ParseSimple takes %q: %v, want %v", text, got, want == simple)
		}
		memory.Free()
	}
}
