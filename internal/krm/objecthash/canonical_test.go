package objecthash

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gowebpki/jcs"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// canonical returns the canonical JSON of n, which is no object.
func canonical(n *tree.Node) string {
	var text bytes.Buffer
	w := canonicalWriter{sum: &text}
	w.value(n, other)
	return text.String() + string(w.text)
}

func parse(t *testing.T, text string) *tree.Node {
	t.Helper()
	root, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return root
}

// TestCanonicalNumbersOfRFC8785 is the table of RFC 8785, Appendix B, without NaN and Infinity.
func TestCanonicalNumbersOfRFC8785(t *testing.T) {
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0",
		0x8000000000000000: "0",
		0x0000000000000001: "5e-324",
		0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308",
		0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992",
		0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22",
		0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000",
		0x444b1ae4d6e2ef4f: "999999999999999900000",
		0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7",
		0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332",
		0x41b3de4355555554: "333333333.33333325",
		0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334",
		0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333",
		0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		text := strconv.FormatFloat(math.Float64frombits(bits), 'e', -1, 64)
		if got := canonical(parse(t, text)); got != want {
			t.Errorf("%s (%016x) = %s, want %s", text, bits, got, want)
		}
	}
}

// TestCanonicalSamplesOfRFC8785 has the samples of RFC 8785, sections 3.2.2 and 3.2.3.
func TestCanonicalSamplesOfRFC8785(t *testing.T) {
	for _, test := range []struct{ name, json, want string }{
		{
			"serialization",
			`{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
				`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		},
		{
			"sorting",
			`{
  "\u20ac": "Euro Sign",
  "\r": "Carriage Return",
  "\ufb33": "Hebrew Letter Dalet With Dagesh",
  "1": "One",
  "\ud83d\ude00": "Emoji: Grinning Face",
  "\u0080": "Control",
  "\u00f6": "Latin Small Letter O With Diaeresis"
}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\"," +
				"\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			n, err := tree.ParseJSON([]byte(test.json))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, canonical(n)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCanonicalScalars(t *testing.T) {
	for text, want := range map[string]string{
		"9007199254740993":         "9007199254740993",
		"-9223372036854775808":     "-9223372036854775808",
		"18446744073709551616":     "18446744073709551616",
		"1000000000000000000000":   "1000000000000000000000",
		"1e21":                     "1e+21",
		"1e3":                      "1000",
		"1.0":                      "1",
		"-0.0":                     "0",
		"0644":                     "420",
		"0x10":                     "16",
		"!!int \"12\"":             "12",
		"!!int 007":                "7",
		"000":                      "0",
		"1_000":                    "1000",
		"yes":                      `"yes"`,
		"'1'":                      `"1"`,
		"~":                        "null",
		".inf":                     `".inf"`,
		"2001-01-01":               `"2001-01-01"`,
		"!!str 1":                  `"1"`,
		"!!float 1":                "1",
		`"\x7f\b\t\n\f\r\x00\x1f"`: "\"\x7f\\b\\t\\n\\f\\r\\u0000\\u001f\"",
	} {
		if got := canonical(parse(t, text)); got != want {
			t.Errorf("%s = %s, want %s", text, got, want)
		}
	}
}

// TestCanonicalInfinity has a number that only a tag makes a float, which is then beyond what one
// holds.
func TestCanonicalInfinity(t *testing.T) {
	digits := strings.Repeat("9", 400)
	n := tree.NewScalar(tree.FloatTag, digits)
	n.Style = tree.TaggedStyle
	if got, want := canonical(n), digits; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCanonicalNumberBeyondFloats has a number of JSON, which YAML reads as a string.
func TestCanonicalNumberBeyondFloats(t *testing.T) {
	for text, want := range map[string]string{"[1e400]": "[1e400]", `["1e400"]`: `["1e400"]`, "[-1.5E400, 1]": "[-1.5E400,1]"} {
		n, err := tree.ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := canonical(n); got != want {
			t.Errorf("%s = %s, want %s", text, got, want)
		}
	}
}

// TestCanonicalLongStrings has strings that are hashed in pieces.
func TestCanonicalLongStrings(t *testing.T) {
	for _, unit := range []string{"a", "é", "a\n", "\x01"} {
		text := strings.Repeat(unit, 5*flushSize)
		want, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := canonical(tree.NewString(text)); got != string(want) {
			t.Errorf("%q many times: %d bytes that differ from the %d wanted", unit, len(got), len(want))
		}
	}
}

func TestCompareUTF16(t *testing.T) {
	sorted := []string{
		"", "A", "a", "aa", "b", "\u007f", "\u0080", "\u20ac", "\ud7ff",
		"😀", "\U0010ffff", "\ue000", "\ufb33", "\uffff",
	}
	for i, a := range sorted {
		for j, b := range sorted {
			if got, want := compareUTF16(a, b), sign(i-j); got != want {
				t.Errorf("compareUTF16(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func sign(i int) int {
	return min(max(i, -1), 1)
}

// FuzzSHA256 compares what is hashed with the canonical JSON of package jcs, where no whole number
// is beyond the 53 bits up to which the two agree.
func FuzzSHA256(f *testing.F) {
	for _, seed := range []string{
		"a: 1", "a: [1.5, -0.0, 1e21, 5e-324]", "{b: 'x', a: \"\\u00e9\\n\", \"\\ufb33\": 1, \"\\U0001F600\": 2}",
		"a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}", "- !!str 1\n- !!float 3\n- 0644", "creationTimestamp: null\nb: ~",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := tree.Parse(text)
		if err != nil {
			return
		}
		value, isExact := oracle(tree.Value(root))
		if !isExact {
			return
		}
		plain, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		want, err := jcs.Transform(plain)
		if err != nil {
			t.Fatalf("%v for %s", err, plain)
		}
		if diff := cmp.Diff(string(want), canonical(root)); diff != "" {
			t.Error(diff)
		}
		if sum := Compute(root, SHA256, ""); len(sum) != 64 {
			t.Errorf("got the hash %q", sum)
		}
	})
}

// oracle returns v without the members that are never hashed, and whether jcs keeps all of its
// numbers.
func oracle(v any) (any, bool) {
	isExact := true
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, value := range v {
			if key == "creationTimestamp" && value == nil {
				continue
			}
			member, ok := oracle(value)
			kept[key], isExact = member, isExact && ok
		}
		return kept, isExact
	case []any:
		kept := make([]any, len(v))
		for i, element := range v {
			e, ok := oracle(element)
			kept[i], isExact = e, isExact && ok
		}
		return kept, isExact
	case int:
		return v, v >= -1<<53 && v <= 1<<53
	case *big.Int:
		return v, false
	case float64:
		return v, !math.IsInf(v, 0)
	}
	return v, true
}
