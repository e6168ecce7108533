package printable

import (
	"fmt"
	"strings"
	"testing"
)

// TestLongLists takes a line out of each element of a long list: no other line may change.
func TestLongLists(t *testing.T) {
	for name, element := range map[string]string{"named": "- name: n%d\n  on: true\n", "alike": "- name: n%.0d\n  on: true\n  off: false\n"} {
		var before, after strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&before, element+"  replicas: 1\n", i)
			fmt.Fprintf(&after, element, i)
		}
		line, grown := 1, 0
		for _, hunk := range CompareLines(before.String(), after.String()) {
			if hunk.From < line || hunk.To != hunk.From+grown {
				t.Errorf("%s: the hunk at line %d begins at line %d of the text after, behind line %d", name, hunk.From, hunk.To, line)
			}
			line, grown = hunk.From+hunk.FromCount, grown+hunk.ToCount-hunk.FromCount
			for _, text := range hunk.Lines {
				if text[0] != ' ' && text != "-  replicas: 1\n" {
					t.Fatalf("%s: %q must not change", name, text)
				}
			}
		}
		if grown != -3000 {
			t.Errorf("%s: the text grows by %d lines, not by -3000", name, grown)
		}
	}
}
