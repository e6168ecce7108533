package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// jsonSeeds are some that json.Decoder takes, and some that it refuses.
var jsonSeeds = []string{
	`{"a": [1, -0, 1.0, 1e3, 12345678901234567890, 1E+400, true, false, null], "b": {"c": {}, "d": []}}`,
	"\r\n\t {\n\"a\" :\n\"x\\u0041\\/\\ud83d\\ude00\\ud83d\\n\\\\\\\"é\u2028\" ,\r\n\"\\u0061b\": \"]}\"\n} \n",
	`"a"`, `1`, ` null `, `[]`, `[[],[{}]]`, `{"<<": {"a": 1}, "": ""}`,
	``, ` `, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[,1]`, `[1 2]`, `{"a" 1}`, `{1: 2}`, `[1}`, `{"a":1]`, `01`, `1.`, `+1`, `nul`,
	`{"a":1} {}`, `{"a":1}}`, `"a`, `"\x"`, "\"\n\"", "\"\xff\"", "{\"\xc3\": 1}", "\ufeff{}", `'a'`,
	`{"a":1,"\u0061":2}`, `[{"a":1,"b":2,"a":3}]`,
	strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
	strings.Repeat("[", MaxDepth+1) + "1" + strings.Repeat("]", MaxDepth+1),
	strings.Repeat("[", 10*MaxDepth+1),
}

// FuzzJSON holds readJSON against the tokens of json.Decoder, also where the text stands in other
// text.
func FuzzJSON(f *testing.F) {
	for _, text := range jsonSeeds {
		f.Add(text, uint16(0))
		f.Add(text, uint16(2))
	}
	f.Fuzz(func(t *testing.T, text string, depth uint16) {
		memory := NewMemory()
		defer memory.Free()
		got, readErr := readJSON(text, int(depth), &memory.slab)
		want, err := readTokens([]byte(text), int(depth))
		if (readErr == nil) != (err == nil) || (got == nil) != (readErr != nil) {
			t.Fatalf("readJSON gives the error %v, json.Decoder the error %v\n%q", readErr, err, text)
		}
		if fault, ok := errors.AsType[*SyntaxError](readErr); readErr != nil && (!ok || fault.Line < 1 || fault.Line > countLines(text)+1) {
			t.Fatalf("the error must name a line of the text, found %v\n%q", readErr, text)
		}
		if got == nil {
			return
		}
		if !(comparison{}).identical(want, withoutStarts(got)) {
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

// withoutStarts removes the offsets of nodes, which the tokens of json.Decoder do not show.
func withoutStarts(n *Node) *Node {
	n.start = 0
	for _, child := range n.Content {
		withoutStarts(child)
	}
	return n
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

// TestJSONErrors names the line and the reason of what is refused.
func TestJSONErrors(t *testing.T) {
	deep := strings.Repeat("[\n", MaxDepth+2)
	for text, want := range map[string]string{
		"":                                     "line 1: unexpected end of the JSON text",
		"{\n\"a\": [1,\n":                      "line 2: unexpected end of the JSON text",
		"{\n\"a\": 1\n\n,}":                    "line 4: invalid character '}' looking for beginning of object key string",
		"{\n\"a\": 1,\n\"b\": x}":              "line 3: invalid character 'x' looking for beginning of value",
		"{}\n\n{}":                             "line 3: there must be one JSON value, found more text after it",
		"{\"a\": 1,\n\"a\": 2}":                `line 2: the key "a" is twice in one object`,
		deep:                                   "line 1002: values must be nested at most 1000 levels deep",
		deep + strings.Repeat("]", MaxDepth+2): "line 1002: values must be nested at most 1000 levels deep",
		"[\n\"é\xc3\"]":                        "line 2: the text must be UTF-8, found the byte 0xc3",
		`"[[[" x`:                              "line 1: there must be one JSON value, found more text after it",
	} {
		if _, err := ParseJSON([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.40q: error %v, want %s", text, err, want)
		}
	}
}

// readTokens is readJSON by the tokens of json.Decoder.
func readTokens(text []byte, depth int) (*Node, error) {
	p := tokenReader{text: text, line: 1, decoder: json.NewDecoder(bytes.NewReader(text))}
	p.decoder.UseNumber()
	if !utf8.Valid(text) {
		return nil, errors.New("not UTF-8")
	}
	n, err := p.value(depth)
	if err != nil {
		return nil, err
	}
	if _, err = p.decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more text")
	}
	return n, nil
}

// tokenReader makes nodes of the tokens of json.Decoder: the slow way that readJSON is held to.
type tokenReader struct {
	text    []byte
	decoder *json.Decoder
	// line is that of the byte at counted.
	line, counted int
	// nodes is how many were made.
	nodes int
}

// lineHere is the line of the end of the last token.
func (p *tokenReader) lineHere() int32 {
	offset := min(int(p.decoder.InputOffset()), len(p.text))
	p.line += bytes.Count(p.text[p.counted:offset], []byte{'\n'})
	p.counted = offset
	return int32(p.line)
}

func (p *tokenReader) value(depth int) (*Node, error) {
	token, err := p.decoder.Token()
	if err != nil {
		return nil, err
	}
	if p.nodes++; p.nodes > maxNodes(len(p.text)) {
		return nil, errors.New(tooManyNodes(len(p.text), maxNodes(len(p.text))))
	}
	if depth > MaxDepth {
		return nil, errors.New("values must be nested at most " + strconv.Itoa(MaxDepth) + " levels deep")
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return p.object(depth)
		}
		return p.array(depth)
	case string:
		return p.scalar(StringTag, token, DoubleQuotedStyle), nil
	case json.Number:
		return p.scalar(numberTag(token.String()), token.String(), 0), nil
	case bool:
		return p.scalar(BoolTag, strconv.FormatBool(token), 0), nil
	}
	return p.scalar(NullTag, "null", 0), nil
}

func (p *tokenReader) scalar(tag Tag, value string, style Style) *Node {
	return &Node{Kind: ScalarNode, Tag: tag, text: value, Style: style, line: p.lineHere()}
}

func (p *tokenReader) object(depth int) (*Node, error) {
	n := &Node{Kind: MappingNode, Tag: MapTag, Style: FlowStyle, line: p.lineHere()}
	seen := map[string]bool{}
	for p.decoder.More() {
		token, err := p.decoder.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		if seen[key] {
			return nil, errors.New("the key " + strconv.Quote(key) + " is twice in one object")
		}
		seen[key] = true
		p.nodes++
		name := p.scalar(StringTag, key, DoubleQuotedStyle)
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, name, value)
	}
	_, err := p.decoder.Token()
	return n, err
}

func (p *tokenReader) array(depth int) (*Node, error) {
	n := &Node{Kind: SequenceNode, Tag: ListTag, Style: FlowStyle, line: p.lineHere()}
	for p.decoder.More() {
		element, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, element)
	}
	_, err := p.decoder.Token()
	return n, err
}
