package harness

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = "# Title\n\n```yaml\na: b\n```\n\n- item\n\n  ````console\n  $ echo one \\\n      two\n  one\n  ```\n  $ true\n  ````\n"

func TestBlocks(t *testing.T) {
	page := Page{lines: strings.Split(sample, "\n")}
	blocks := page.Blocks()
	want := []Block{
		{Language: "yaml", Lines: []string{"a: b"}, First: 3},
		{Language: "console", Lines: []string{`$ echo one \`, "    two", "one", "```", "$ true"}, First: 9},
	}
	if diff := cmp.Diff(want, blocks); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"echo one \\\n    two", "true"}, blocks[1].Commands()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"one", "```"}, blocks[1].steps()[0].output); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	changed := page.with(blocks, [][]string{{"c: d", "e: f"}, {"$ false"}})
	if want := strings.NewReplacer("a: b", "c: d\ne: f").Replace(sample[:strings.Index(sample, "  $ echo")]) + "$ false\n  ````\n"; changed != want {
		t.Errorf("page (-want +got):\n%s", cmp.Diff(want, changed))
	}
}

func TestPrints(t *testing.T) {
	tests := []struct {
		shown, printed string
		want           bool
	}{
		{"a\nb", "a\nb\n", true},
		{"a\nb", "a\n\nb\n", false},
		{"a … c", "a b c\n", true},
		{"a … c", "a\nc\n", false},
		{"a\n…\nc", "a\nb\nb\nc\n", true},
		{"a\n…\nc", "a\nc\n", true},
		{"a\n…", "a\nb\n", true},
		{"a\n…", "b\n", false},
		{"a.b", "axb\n", false},
	}
	for _, test := range tests {
		s := step{output: strings.Split(test.shown, "\n")}
		if got := s.prints(test.printed); got != test.want {
			t.Errorf("%q shows %q: %v, want %v", test.shown, test.printed, got, test.want)
		}
	}
}

func TestNeeds(t *testing.T) {
	for command, want := range map[string]bool{
		"kpt fn eval": true, "a | kpt fn": true, "a; kpt": true, "{ kpt fn; }": true, "echo kpt fn": false, "a/kpt x": false,
		"a && kpt": true, "kptfn x": false,
	} {
		if got := Needs(command, "kpt"); got != want {
			t.Errorf("%q needs kpt: %v, want %v", command, got, want)
		}
	}
}
