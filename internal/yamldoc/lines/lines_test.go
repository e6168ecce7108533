package lines

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDocuments(t *testing.T) {
	for text, want := range map[string][]string{
		"":                          {"|"},
		"a: 1\n":                    {"|a: 1\n"},
		"# c\n--- # d\na: 1\n---":   {"|# c\n", "--- # d\n|a: 1\n", "---|"},
		"--- {a: 1}\n---a: 1\n---x": {"|", "---| {a: 1}\n---a: 1\n---x"},
		"a: |\n---\r\nb: 1\n...\n":  {"|a: |\n", "---\r\n|b: 1\n...\n"},
	} {
		var got []string
		for d := range Documents([]byte(text)) {
			got = append(got, string(d.Marker)+"|"+string(d.Text))
			if at := text[d.Start : d.Start+len(d.Marker)]; at != string(d.Marker) {
				t.Errorf("%q: the marker %q begins at %q", text, d.Marker, at)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestDocumentLines(t *testing.T) {
	var got []int
	for d := range Documents([]byte("%YAML 1.2\n---\na: 1\n--- b\nc\n---\n")) {
		got = append(got, d.Line)
	}
	if want := []int{0, 2, 3, 6}; !slices.Equal(got, want) {
		t.Errorf("lines before the documents: %v, want %v", got, want)
	}
}

func TestStarts(t *testing.T) {
	text := []byte("a\nb\r\nc\rd\u0085e\u2028f\u2029g")
	var got []string
	starts := Starts(text)
	for _, start := range starts[:len(starts)-1] {
		got = append(got, string(text[start:start+1]))
	}
	if want := []string{"a", "b", "c", "d", "e", "f", "g"}; !slices.Equal(got, want) {
		t.Errorf("lines begin with %q, want %q", got, want)
	}
}
