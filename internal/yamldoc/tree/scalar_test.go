package tree

import (
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var compareBigInts = cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })

func bigInt(t testing.TB, text string) *big.Int {
	t.Helper()
	i, ok := new(big.Int).SetString(text, 10)
	if !ok {
		t.Fatalf("%q must be a whole number", text)
	}
	return i
}

func TestScalar(t *testing.T) {
	tests := []struct {
		text string
		want any
	}{
		{"", nil}, {"~", nil}, {"null", nil}, {"NULL", nil}, {"nULL", "nULL"},
		{"true", true}, {"True", true}, {"FALSE", false}, {"tRUE", "tRUE"}, {"yes", "yes"}, {"on", "on"}, {"n", "n"},
		{"0", 0}, {"-0", 0}, {"80", 80}, {"+80", 80}, {"-80", -80}, {"0644", 420}, {"0o644", 420}, {"08", 8.0},
		{"0x1F", 31}, {"-0x1F", -31},
		{"0b101", 5}, {"-0b101", -5}, {"0b102", "0b102"}, {"1_000", 1000}, {"1_", 1}, {"_1", "_1"},
		{"9007199254740993", 9007199254740993}, {"9223372036854775807", math.MaxInt64},
		{"-9223372036854775808", math.MinInt64},
		{"9223372036854775808", bigInt(t, "9223372036854775808")},
		{"18446744073709551616", bigInt(t, "18446744073709551616")},
		{"-9223372036854775809", bigInt(t, "-9223372036854775809")},
		{"+18446744073709551616", bigInt(t, "18446744073709551616")},
		{"0xFFFFFFFFFFFFFFFF", bigInt(t, "18446744073709551615")}, {"0x1FFFFFFFFFFFFFFFF", "0x1FFFFFFFFFFFFFFFF"},
		{"0" + strings.Repeat("9", 20), 99999999999999999999.0},
		{strings.Repeat("1", maxNumberLength+1), strings.Repeat("1", maxNumberLength+1)},
		{"1e3", 1000.0}, {"1E+3", 1000.0}, {"-1.5e-3", -0.0015}, {".5", 0.5}, {"+.5", 0.5}, {"5.", 5.0},
		{"1.10", 1.1}, {"1e400", "1e400"}, {"1e", "1e"},
		{".", "."}, {"-", "-"}, {"+", "+"}, {"-.", "-."}, {"1.2.3", "1.2.3"}, {"1e5.5", "1e5.5"}, {"0x", "0x"},
		{"0x-1", "0x-1"}, {"100m", "100m"}, {"1:30", "1:30"},
		{".inf", ".inf"}, {"-.INF", "-.INF"}, {"+.inf", "+.inf"}, {".nan", ".nan"}, {"inf", "inf"}, {"nan", "nan"},
		{"2024-02-29", "2024-02-29"}, {"2024-02-29T12:30:00Z", "2024-02-29T12:30:00Z"}, {"<<", "<<"}, {"=", "="},
		{"a", "a"},
	}
	for _, test := range tests {
		untagged := &Node{Kind: ScalarNode, text: test.text}
		tagged := &Node{Kind: ScalarNode, text: test.text, Tag: tagOf(ToLibrary(untagged).ShortTag())}
		alias := &Node{Kind: AliasNode}
		alias.setAlias(tagged)
		for _, n := range []*Node{untagged, tagged, alias} {
			if diff := cmp.Diff(test.want, Scalar(n), compareBigInts); diff != "" {
				t.Errorf("Scalar(%.40q), tag %q (-want +got):\n%s", test.text, n.TagName(), diff)
			}
		}
		for style := DoubleQuotedStyle; style <= FoldedStyle; style <<= 1 {
			n := &Node{Kind: ScalarNode, text: test.text, Style: style}
			if got := Scalar(n); got != test.text {
				t.Errorf("Scalar(%.40q) in quotes = %v, want the text", test.text, got)
			}
		}
	}
	if got := Scalar(nil); got != nil {
		t.Errorf("Scalar(nil) = %v, want nil", got)
	}
}

func TestScalarBeyondFloat64(t *testing.T) {
	text := "1" + strings.Repeat("0", 400)
	n := &Node{Kind: ScalarNode, Tag: IntTag, text: text}
	if diff := cmp.Diff(bigInt(t, text), Scalar(n), compareBigInts); diff != "" {
		t.Errorf("a number of 401 digits (-want +got):\n%s", diff)
	}
	if got := Scalar(mustParse(t, text)); got != text {
		t.Errorf("a number of 401 digits in YAML must be a string, as in yaml.v3, got %v", got)
	}
}

func TestScalarWithTag(t *testing.T) {
	tests := []struct {
		text string
		want any
	}{
		{"!!str 1", "1"}, {"!!str", ""}, {"!!int '12'", 12}, {"!!int 0x10", 16}, {"!!float 1", 1.0},
		{"!!float 1.5", 1.5}, {"!!float '2'", 2.0}, {"!!float 18446744073709551616", 18446744073709551616.0},
		{"!!bool 'true'", true}, {"!!null ''", nil}, {"!!timestamp 2024-01-02", "2024-01-02"},
		{"!!binary aGk=", "aGk="},
		{"!Ref 80", "80"}, {"!Ref true", "true"}, {"!Ref ''", ""}, {"! 80", 80}, {"! '80'", "80"},
		{"!<tag:example.com,2000:x> 80", "80"},
	}
	for _, test := range tests {
		n := mustParse(t, test.text)
		if diff := cmp.Diff(test.want, Scalar(n)); diff != "" {
			t.Errorf("Scalar of %q (-want +got):\n%s", test.text, diff)
		}
	}
}

// What Scalar says of a scalar without a tag is what yaml.v3 decodes it to, except the differences
// that Scalar's documentation names.
func FuzzScalar(f *testing.F) {
	seeds := []string{
		"", "~", "true", "a", "-0x1F", "0o7", "0b1", "0b-1", "0o+7", "1_000", "1e3", ".5", "-.inf", "2024-01-02",
		"2024-01-02 03:04:05,5", "18446744073709551616",
	}
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxNumberLength {
			return
		}
		n := &Node{Kind: ScalarNode, text: text}
		library := ToLibrary(n)
		if text != "" && tagNames[plainTag(text)] != library.ShortTag() {
			t.Errorf("plainTag(%q) = %s, yaml.v3 has %s", text, tagNames[plainTag(text)], library.ShortTag())
		}
		var want any
		if err := library.Decode(&want); err != nil {
			t.Fatal(err)
		}
		got := Scalar(n)
		if diff := cmp.Diff(expectedScalar(text, want), got, compareBigInts); diff != "" {
			t.Errorf("Scalar(%q) (-yaml.v3 +got):\n%s", text, diff)
		}
	})
}

// expectedScalar returns what Scalar must make of a text that yaml.v3 decodes to v.
func expectedScalar(text string, v any) any {
	whole := strings.ReplaceAll(text, "_", "")
	isNumber := text != "" && text[0] != '_' && wholeText.MatchString(whole)
	switch v := v.(type) {
	case uint64:
		return new(big.Int).SetUint64(v)
	case time.Time:
		return text
	case float64:
		if isNumber {
			i, _ := new(big.Int).SetString(whole, 10)
			return i
		}
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return text
		}
	case string:
		if isNumber { // beyond the range of float64
			i, _ := new(big.Int).SetString(whole, 10)
			return i
		}
	}
	return v
}
