package location

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestParseFieldFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":         `invalid field '' (column 1): must name a field such as spec.replicas`,
		"a..b":     `invalid field 'a..b' (column 2): must have a name here`,
		"a[x]":     `invalid field 'a[x]' (column 2): must be an index such as [0] or a key such as ["a.b"]`,
		"a[-1]":    `invalid field 'a[-1]' (column 2): must be an index such as [0] or a key such as ["a.b"]`,
		"a[0":      `invalid field 'a[0' (column 2): must be an index such as [0] or a key such as ["a.b"]`,
		`ä["b]`:    `invalid field 'ä["b]' (column 2): must be an index such as [0] or a key such as ["a.b"]`,
		"a[0]b":    `invalid field 'a[0]b' (column 5): must be "." or "[", found "b"`,
		`a["b"]c`:  `invalid field 'a["b"]c' (column 7): must be "." or "[", found "c"`,
		"a['b.c']": `invalid field 'a['b.c']' (column 2): must be an index such as [0] or a key such as ["a.b"]`,
	} {
		_, err := ParseField(text)
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}

// FuzzParseField holds that a location comes back from its text, whatever its keys are.
func FuzzParseField(f *testing.F) {
	f.Add("spec.containers[0].image", "a.b", 3)
	f.Add(`metadata.annotations["a/b"]`, "", 0)
	f.Add("[0][\"\\u00e4\"]", "\xff\"]", 1)
	f.Fuzz(func(t *testing.T, text, key string, index int) {
		if l, err := ParseField(text); err == nil {
			again, err := ParseField(l.String())
			if err != nil || Compare(l, again) != 0 {
				t.Errorf("%q is %v, and then %v, %v", text, l, again, err)
			}
		}
		l := Location{Key(key), Index(max(index, 0)), Key(key)}
		if again, err := ParseField(l.String()); err != nil || Compare(l, again) != 0 {
			t.Errorf("%q: %v, %v", l.String(), again, err)
		}
	})
}

func TestOnLine(t *testing.T) {
	const text = `# comment
spec:
  a: 1
  list:
  - x: 1
    y: {z: 2}
  - plain
  block: |
    # one

    two

  quoted: "begins
    # ends"
  # comment
  last: word word
  # comment
anchor: &a {b: c}
merged: {<<: *a}
`
	root, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	want := map[int][]string{
		2: {"spec"}, 3: {"spec.a"}, 4: {"spec.list"}, 5: {"spec.list[0]", "spec.list[0].x"},
		6: {"spec.list[0].y", "spec.list[0].y.z"}, 7: {"spec.list[1]"}, 8: {"spec.block"}, 9: {"spec.block"}, 11: {"spec.block"},
		13: {"spec.quoted"}, 14: {"spec.quoted"}, 16: {"spec.last"}, 18: {"anchor", "anchor.b"}, 19: {"merged"},
	}
	for line := range lines {
		var got []string
		for _, l := range OnLine(root, append([]string{"", ""}, lines...), 2, line+3) {
			got = append(got, l.String())
		}
		if diff := cmp.Diff(want[line+1], got); diff != "" {
			t.Errorf("line %d %q (-want +got):\n%s", line+1, lines[line], diff)
		}
	}
}
