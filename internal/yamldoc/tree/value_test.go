package tree

import (
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func TestValueOfMergeKeys(t *testing.T) {
	n := mustParse(t, `
base: &base {a: 1, b: 1}
more: &more {<<: *base, b: 2, c: 2}
own:
  c: 3
  <<: [*more, {a: 4, d: 4}]
`)
	got := Value(Lookup(n, "own"))
	if diff := cmp.Diff(map[string]any{"a": 1, "b": 2, "c": 3, "d": 4}, got); diff != "" {
		t.Errorf("own keys come first, then those of earlier maps (-want +got):\n%s", diff)
	}
	if got := Scalar(Get(n, "own", "b")); got != 2 {
		t.Errorf("Get through a merge key = %v, want 2", got)
	}
	if got := Get(n, "own", "x"); got != nil {
		t.Errorf("Get of a key that is not there = %v, want nil", got)
	}
}

func TestValueSharesAnchoredNodes(t *testing.T) {
	got := Value(mustParse(t, "a: &a {b: c}\nd: *a\n")).(map[string]any)
	got["a"].(map[string]any)["b"] = "changed"
	if diff := cmp.Diff(got["a"], got["d"]); diff != "" {
		t.Errorf("an alias must share the value of its anchor:\n%s", diff)
	}
}

func TestFromValue(t *testing.T) {
	tests := []struct {
		value any
		want  string
	}{
		{nil, "null\n"}, {true, "true\n"}, {"a", "a\n"}, {"", "\"\"\n"}, {"a\nb\n", "|\n    a\n    b\n"},
		{7, "7\n"}, {math.MinInt64, "-9223372036854775808\n"},
		{bigInt(t, "9223372036854775808"), "9223372036854775808\n"},
		{bigInt(t, "123456789012345678901234567890"), "123456789012345678901234567890\n"},
		{3.0, "3\n"}, {1.5, "1.5\n"}, {0.0, "0\n"}, {1e20, "100000000000000000000\n"}, {1e21, "1e+21\n"},
		{1e-7, "1e-07\n"}, {-2.5e-10, "-2.5e-10\n"},
		{math.NaN(), "null\n"}, {math.Inf(1), "1.7976931348623157e+308\n"},
		{math.Inf(-1), "-1.7976931348623157e+308\n"},
		{[]any{1, "1"}, "- 1\n- \"1\"\n"}, {map[string]any{"b": []any{}, "a": map[string]any{}}, "a: {}\nb: []\n"},
		{map[string]any{"1": 1, "true": 2, "<<": 3}, "\"1\": 1\n\"<<\": 3\n\"true\": 2\n"},
		{struct{}{}, "null\n"},
	}
	for _, test := range tests {
		text, err := yaml.Marshal(ToLibrary(FromValue(test.value)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, string(text)); diff != "" {
			t.Errorf("FromValue(%v) (-want +got):\n%s", test.value, diff)
		}
	}
}

func TestNewStringQuotes(t *testing.T) {
	quotedTexts := []string{
		"", "~", "null", "true", "False", "yes", "NO", "on", "off", "y", "N", "<<", "=", "1", "-1", "0x1F", "0o7",
		"1e3", ".5", ".inf", "-.INF", ".NaN",
		"1_000", "2024-02-29", "2024-02-29T12:30:00Z", "1:30", "18446744073709551616", "08",
	}
	for _, text := range quotedTexts {
		if n := NewString(text); n.Style != DoubleQuotedStyle || n.Text() != text || n.Tag != StringTag {
			t.Errorf("NewString(%q) must be in double quotes, got %+v", text, n)
		}
	}
	plainTexts := []string{"a", "1.2.3", "100m", "10.0.0.1", "web:1.27", "-", "yes please", "v1", "a: b", "nginx:1"}
	for _, text := range plainTexts {
		if n := NewString(text); n.Style != 0 || n.Text() != text || n.Tag != StringTag {
			t.Errorf("NewString(%q) must have no style, got %+v", text, n)
		}
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"{a: 1, b: [2]}", "b: [2]\na: 1\n", true},
		{"[1, 2]", "[2, 1]", false}, {"[1]", "[1, 1]", false}, {"{a: 1}", "{a: 1, b: 1}", false},
		{"{a: 1, b: 1}", "{a: 1}", false},
		{"1", "1.0", true}, {"1000", "1e3", true}, {"0x10", "16", true}, {"0.1", "1e-1", true}, {"1", "'1'", false},
		{"1", "true", false},
		{"9007199254740993", "9007199254740992", false}, {"9007199254740993", "9007199254740992.0", false},
		{"18446744073709551616", "18446744073709551616.0", true},
		{"123456789012345678901", "123456789012345678900", false},
		{"~", "null", true}, {"~", "''", false}, {"a", "\"a\"", true}, {"{}", "[]", false}, {"{}", "~", false},
		{"2024-01-02", "'2024-01-02'", true},
		{"{a: &x [1], b: *x}", "{a: [1], b: [1]}", true},
		{"{a: &x {c: 1}, b: {<<: *x}}", "{a: {c: 1}, b: {c: 1}}", true},
	}
	for _, test := range tests {
		a, b := mustParse(t, test.a), mustParse(t, test.b)
		if got := Equal(a, b); got != test.want {
			t.Errorf("Equal(%s, %s) = %v", test.a, test.b, got)
		}
		if got := Equal(b, a); got != test.want {
			t.Errorf("Equal(%s, %s) = %v", test.b, test.a, got)
		}
	}
	if Equal(nil, mustParse(t, "~")) || !Equal(nil, nil) {
		t.Error("Equal must tell a node that is not there from null")
	}
}

func TestCopy(t *testing.T) {
	n := mustParse(t, "a: &x {b: 'c'}\nd: *x\ne: {<<: *x, f: [1]}\n")
	c := Copy(n)
	if !Equal(n, c) {
		t.Error("a copy must be equal")
	}
	Lookup(c, "a").Content[1].text = "changed"
	if got := GetString(n, "a", "b"); got != "c" {
		t.Errorf("a change of the copy must not reach the original, got %q", got)
	}
	if got := GetString(c, "d", "b"); got != "c" {
		t.Errorf("a change of what was anchored must not reach what was an alias, got %q", got)
	}
	text, err := yaml.Marshal(ToLibrary(c))
	if err != nil {
		t.Fatal(err)
	}
	const want = "a: {b: 'changed'}\nd: {b: 'c'}\ne: {f: [1], b: 'c'}\n"
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("a copy has no anchors, aliases and merge keys (-want +got):\n%s", diff)
	}
	if Copy(nil) != nil {
		t.Error("Copy(nil) must be nil")
	}
}

// Whatever FromValue writes is read again as what it was.
func FuzzFromValue(f *testing.F) {
	f.Add("a", "1", 1.5, int64(7))
	f.Add("<<", "2024-01-02", 1e21, int64(math.MinInt64))
	f.Add("a\n b", " \t\n", math.Copysign(0, -1), int64(0))
	f.Fuzz(func(t *testing.T, key, text string, number float64, whole int64) {
		if checkCharacters(key+text) != nil {
			return
		}
		shifted := new(big.Int).Lsh(big.NewInt(whole), 80)
		want := map[string]any{key: []any{text, number, int(whole), shifted, nil, true}, "k" + text: text}
		out, err := yaml.Marshal(ToLibrary(FromValue(want)))
		if err != nil {
			t.Fatal(err)
		}
		n, err := Parse(out)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if !Equal(n, FromValue(want)) {
			t.Errorf("FromValue(%v) must come back, got:\n%s", want, out)
		}
	})
}
