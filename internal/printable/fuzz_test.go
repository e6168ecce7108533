package printable

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
)

// FuzzEdits makes the text after from the one before, of texts longer than a window, too.
func FuzzEdits(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	lines := func(count, kinds int) string {
		var text strings.Builder
		for range count {
			text.WriteString(string(rune('a'+random.IntN(kinds))) + "\n")
		}
		return text.String()
	}
	f.Add("", "a\nb")
	f.Add(lines(3*window, 3), lines(2*window, 3))
	f.Add(lines(3*window, 26), "")
	f.Add(lines(window, 26), lines(4*window, 26)+"without a line break")
	f.Add(strings.Repeat("a\nb\nc\n", window), strings.Repeat("a\nc\n", window))
	f.Fuzz(func(t *testing.T, before, after string) {
		got, err := udiff.Apply(before, edits(before, after))
		if err != nil || got != after {
			t.Errorf("must be %q, found %q, %v", after, got, err)
		}
	})
}
