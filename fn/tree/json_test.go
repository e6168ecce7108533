package tree

import (
	"strings"
	"testing"
)

// jsonSeeds are some that json.Decoder takes, and some that it refuses.
var jsonSeeds = []string{
	`{"a": [1, -0, 1.0, 1e3, 12345678901234567890, 1E+400, true, false, null], "b": {"c": {}, "d": []}}`,
	"\r\n\t {\n\"a\" :\n\"x\\u0041\\/\\ud83d\\ude00\\ud83d\\n\\\\\\\"é\xff\u2028\" ,\r\n\"\\u0061b\": \"]}\"\n} \n",
	`"a"`, `1`, ` null `, `[]`, `[[],[{}]]`, `{"<<": {"a": 1}, "": ""}`,
	``, ` `, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[,1]`, `[1 2]`, `{"a" 1}`, `{1: 2}`, `[1}`, `{"a":1]`, `01`, `1.`, `+1`, `nul`,
	`{"a":1} {}`, `{"a":1}}`, `"a`, `"\x"`, "\"\n\"", "\ufeff{}", `'a'`,
	`{"a":1,"\u0061":2}`, `[{"a":1,"b":2,"a":3}]`,
	strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
	strings.Repeat("[", maxDepth+1) + "1" + strings.Repeat("]", maxDepth+1),
	strings.Repeat("[", 10*maxDepth+1),
}

// FuzzJSON holds readJSON against the tokens of json.Decoder, also where the text
// stands in other text.
func FuzzJSON(f *testing.F) {
	for _, text := range jsonSeeds {
		f.Add(text, uint16(0))
		f.Add(text, uint16(2))
	}
	f.Fuzz(func(t *testing.T, text string, depth uint16) {
		memory := NewMemory()
		defer memory.Free()
		got := readJSON(text, int(depth), &memory.slab)
		want, err := parseJSON([]byte(text), int(depth))
		if (got == nil) != (err != nil) {
			t.Fatalf("readJSON takes the text: %v, json.Decoder gives the error %v\n%q", got != nil, err, text)
		}
		if got == nil {
			return
		}
		if !identical(want, got) {
			t.Fatalf("readJSON and json.Decoder must give the same nodes of\n%q", text)
		}
		written, err := MarshalJSON(got)
		if err != nil {
			return // a number that Go can't hold
		}
		if again, err := ParseJSON(written); err != nil && depth == 0 || err == nil && !Same(got, again) {
			t.Fatalf("what is written must be the same data, found %v\n%q\nfrom\n%q", err, written, text)
		}
	})
}

// TestMarshalString holds the strings that are written to those of encoding/json.
func TestMarshalString(t *testing.T) {
	for text, want := range map[string]string{
		"":          `""`,
		"a b ~":     `"a b ~"`,
		`a"b\c`:     `"a\"b\\c"`,
		"<&>":       `"<&>"`,
		"é\u2028\n": `"é\u2028\n"`,
		"\x1f\x7f":  "\"\\u001f\x7f\"",
	} {
		if got, err := MarshalJSON(NewString(text)); err != nil || string(got) != want {
			t.Errorf("the string %q must be %s, found %s, %v", text, want, got, err)
		}
	}
}

// TestMarshalNumber holds numbers to their text, whatever Go makes of them.
func TestMarshalNumber(t *testing.T) {
	for _, text := range []string{`1E400`, `-0`, `1.50`, `1e3`, `12345678901234567890`, `-1E-400`} {
		n, err := ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := MarshalJSON(n); err != nil || string(got) != text {
			t.Errorf("%s must be written as it came, found %s and the error %v", text, got, err)
		}
	}
}
