package tree

import "testing"

func TestForm(t *testing.T) {
	simple, withAnchors := form{simple: true, ascii: true}, form{simple: true, anchors: true, ascii: true}
	for text, want := range map[string]form{
		"a: b\nc: [d]\n":                       simple,
		"a: b\n  c\nd: 'e\n  f'\n":             simple,
		"a: [b,\n  c\n ]\nd: {\n  e: f,\n }\n": simple,
		"a: [\n  b\n]\nc: d\n":                 {ascii: true},
		"a: &b c\n":                            withAnchors,
		"a: &b c\nd: *b\n":                     withAnchors,
		"<<: {a: b}\n":                         {ascii: true},
		"a: !!str b\n":                         {ascii: true},
		"a: é\n":                               {simple: true},
	} {
		memory := NewMemory()
		if _, err := memory.Parse([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := (form{memory.IsSimple(), memory.HasAnchors(), memory.IsASCII()}); got != want {
			t.Errorf("the form of %q is %+v, want %+v", text, got, want)
		}
		if got := memory.ParseSimple([]byte(text), 0) != nil; got != (want.simple && !want.anchors) {
			t.Errorf("ParseSimple takes %q: %v, want %v", text, got, !got)
		}
		memory.Free()
	}
}
