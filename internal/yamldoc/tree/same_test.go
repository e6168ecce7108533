package tree

import (
	"testing"
)

func TestSame(t *testing.T) {
	tests := []struct {
		name string
		a, b string
		want bool
	}{
		{"equal", "a: [1, {b: c}]\n", "a: [1, {b: c}]\n", true},
		{"other style", "a: {b: [c]}\n", "a:\n  b:\n  - c\n", true},
		{"other quotes", `a: "b"`, `a: 'b'`, true},
		{"quotes come", "a: b\n", `a: "b"`, true},
		{"block scalar", "a: |\n  b\n", `a: "b\n"`, true},
		{"comments", "# x\na: b # y\n", "a: b\n", true},
		{"a number quoted", "a: 1\n", `a: "1"`, false},
		{"a boolean quoted", "a: true\n", `a: "true"`, false},
		{"a null quoted", "a: null\n", `a: "null"`, false},
		{"a timestamp quoted", "a: 2024-01-02\n", `a: "2024-01-02"`, true},
		{"other notation of a number", "a: 1e3\n", "a: 1000\n", false},
		{"other spelling of null", "a: ~\n", "a:\n", true},
		{"a null and an empty string", "a:\n", "a: ''\n", false},
		{"other value", "a: b\n", "a: c\n", false},
		{"other key", "a: b\n", "c: b\n", false},
		{"other type of key", "1: b\n", `"1": b`, false},
		{"other order", "a: b\nc: d\n", "c: d\na: b\n", false},
		{"one key more", "a: b\n", "a: b\nc: d\n", false},
		{"one element less", "- a\n- b\n", "- a\n", false},
		{"other kind", "a: [b]\n", "a: {b: }\n", false},
		{"empty map and list", "a: {}\n", "a: []\n", false},
		{"empty map and null", "a: {}\n", "a:\n", false},
		{"same tag", "a: !b c\n", "a: !b c\n", true},
		{"a tag less", "a: !b c\n", "a: c\n", false},
		{"other tag", "a: !b {c: d}\n", "a: !e {c: d}\n", false},
		{"a tag that changes the type", "a: !!float 1\n", "a: 1\n", false},
		{"same anchors", "a: &x b\nc: *x\n", "a: &x b\nc: *x\n", true},
		{"an anchor less", "a: &x b\n", "a: b\n", false},
		{"other anchor", "a: &x b\n", "a: &y b\n", false},
		{"other alias", "a: &x 1\nb: &y 1\nc: *x\n", "a: &x 1\nb: &y 1\nc: *y\n", false},
		{"an alias and its value", "a: &x 1\nb: *x\n", "a: &x 1\nb: 1\n", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := mustParse(t, test.a), mustParse(t, test.b)
			if got := Same(a, b); got != test.want {
				t.Errorf("Same(%q, %q) = %v, want %v", test.a, test.b, got, test.want)
			}
			if got := Same(b, a); got != test.want {
				t.Errorf("Same(%q, %q) = %v, want %v", test.b, test.a, got, test.want)
			}
		})
	}
}

func TestSameOfMadeNodes(t *testing.T) {
	made := FromValue(map[string]any{"a": "1", "b": 1, "c": nil, "d": []any{1.5, true}, "e": map[string]any{}})
	read := mustParse(t, "a: '1'\nb: 1\nc: null\nd: [1.5, true]\ne: {}\n")
	if !Same(made, read) {
		t.Error("Same must take nodes made by FromValue for those read from their text")
	}
	untagged := &Node{Kind: ScalarNode, text: "1"}
	quoted := &Node{Kind: ScalarNode, text: "1", Style: DoubleQuotedStyle}
	if Same(untagged, quoted) {
		t.Error("Same must tell a number from a quoted one where neither has a tag")
	}
	if !Same(untagged, NewInt(1)) {
		t.Error("Same must resolve a number without a tag")
	}
	if Same(nil, untagged) || Same(untagged, nil) || !Same(nil, nil) {
		t.Error("Same must take nil for nil alone")
	}
}

func TestSameDoesNotAllocate(t *testing.T) {
	for name, text := range manifests(t) {
		a, b := mustParse(t, text), mustParse(t, text)
		if allocs := testing.AllocsPerRun(10, func() { Same(a, b) }); allocs != 0 {
			t.Errorf("%s: Same must not allocate, did %v times", name, allocs)
		}
	}
}

func mustParse(t testing.TB, text string) *Node {
	t.Helper()
	n, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%.200q): %v", text, err)
	}
	return n
}
