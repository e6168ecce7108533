package location

import (
	"fmt"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestNextLine(t *testing.T) {
	root, err := tree.Parse([]byte("a: 1\n\n# note\nb:\n  c: 2\nd: |\n  x\n"))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{1: "b 14", 2: "b 14", 4: "b.c 15", 5: "d 16", 6: " 0"} {
		l, next := NextLine(root, 10, line+10)
		if got := fmt.Sprintf("%s %d", l, next); got != want {
			t.Errorf("behind line %d: %s, want %s", line, got, want)
		}
	}
	if got := Places(root); got != 4 {
		t.Errorf("%d places, want 4", got)
	}
}
