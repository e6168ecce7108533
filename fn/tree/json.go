package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"

	"go.yaml.in/yaml/v3"
)

// ParseJSON reads one JSON value into nodes; the order of members and the text
// of numbers are kept. The nodes know their lines, and no columns. A key that
// stands twice in an object is an error. The error is a *SyntaxError.
func ParseJSON(text []byte) (*yaml.Node, error) {
	if len(text) >= minJSONReader {
		if n := readJSON(string(text), 0, &slab{}); n != nil {
			return n, nil
		}
	}
	return parseJSON(text, 0)
}

// minJSONReader is the length, in bytes, of the shortest text that is worth the
// memory for several nodes at once.
const minJSONReader = 128

// parseJSON is ParseJSON, by the tokens of json.Decoder, for a value that stands
// in depth objects and arrays.
func parseJSON(text []byte, depth int) (*yaml.Node, error) {
	p := jsonParser{text: text, line: 1, decoder: json.NewDecoder(bytes.NewReader(text))}
	p.decoder.UseNumber()
	n, err := p.value(depth)
	if err != nil {
		return nil, p.syntaxError(err)
	}
	if _, err = p.decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, p.syntaxError(errors.New("one JSON value must stand here, found more text behind it"))
	}
	return n, nil
}

type jsonParser struct {
	text    []byte
	decoder *json.Decoder
	// line is that of the byte at counted.
	line, counted int
	// nodes is how many were made.
	nodes int
}

// lineHere is the line of the end of the last token.
func (p *jsonParser) lineHere() int {
	offset := min(int(p.decoder.InputOffset()), len(p.text))
	p.line += bytes.Count(p.text[p.counted:offset], []byte{'\n'})
	p.counted = offset
	return p.line
}

func (p *jsonParser) syntaxError(err error) error {
	offset := p.decoder.InputOffset()
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("unexpected end of the JSON text")
	}
	offset = min(offset, int64(len(p.text)))
	return &SyntaxError{Line: 1 + bytes.Count(p.text[:offset], []byte{'\n'}), Reason: err.Error()}
}

func (p *jsonParser) value(depth int) (*yaml.Node, error) {
	token, err := p.decoder.Token()
	if err != nil {
		return nil, err
	}
	if p.nodes++; p.nodes > maxNodes(len(p.text)) {
		return nil, errors.New(tooManyNodes(len(p.text)))
	}
	if depth > maxDepth {
		return nil, errors.New("values must be nested at most " + strconv.Itoa(maxDepth) + " levels deep")
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return p.object(depth)
		}
		return p.array(depth)
	case string:
		return p.scalar("!!str", token, yaml.DoubleQuotedStyle), nil
	case json.Number:
		return p.scalar(numberTag(token.String()), token.String(), 0), nil
	case bool:
		return p.scalar("!!bool", strconv.FormatBool(token), 0), nil
	}
	return p.scalar("!!null", "null", 0), nil
}

func (p *jsonParser) scalar(tag, value string, style yaml.Style) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value, Style: style, Line: p.lineHere()}
}

func numberTag(text string) string {
	if _, isFloat := resolvePlain(text).(float64); isFloat {
		return "!!float"
	}
	return "!!int"
}

func (p *jsonParser) object(depth int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle, Line: p.lineHere()}
	seen := map[string]bool{}
	for p.decoder.More() {
		token, err := p.decoder.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		if seen[key] {
			return nil, errors.New("the key " + strconv.Quote(key) + " stands twice in one object")
		}
		seen[key] = true
		p.nodes++
		name := p.scalar("!!str", key, yaml.DoubleQuotedStyle)
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, name, value)
	}
	_, err := p.decoder.Token()
	return n, err
}

func (p *jsonParser) array(depth int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle, Line: p.lineHere()}
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

// MarshalJSON writes n as JSON on one line, without a line break at the end.
// Members keep their order; a number keeps its text where that is JSON.
func MarshalJSON(n *yaml.Node) ([]byte, error) {
	out := jsonTexts.Get().(*bytes.Buffer)
	defer jsonTexts.Put(out)
	out.Reset()
	err := writeJSON(out, n)
	return bytes.Clone(out.Bytes()), err
}

// jsonTexts hold the texts that are written, until their size is known.
var jsonTexts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func writeJSON(out *bytes.Buffer, n *yaml.Node) error {
	n = Deref(n)
	switch {
	case n == nil:
		out.WriteString("null")
		return nil
	case n.Kind == yaml.MappingNode:
		return writeJSONObject(out, n)
	case n.Kind == yaml.SequenceNode:
		return writeJSONArray(out, n)
	}
	return writeJSONScalar(out, n)
}

func writeJSONObject(out *bytes.Buffer, n *yaml.Node) error {
	separator := byte('{')
	for key, value := range Entries(n) {
		out.WriteByte(separator)
		separator = ','
		if err := writeJSONString(out, key); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := writeJSON(out, value); err != nil {
			return err
		}
	}
	if separator == '{' {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	return nil
}

func writeJSONArray(out *bytes.Buffer, n *yaml.Node) error {
	out.WriteByte('[')
	for i, element := range n.Content {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := writeJSON(out, element); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return nil
}

func writeJSONScalar(out *bytes.Buffer, n *yaml.Node) error {
	if n.Style == 0 && (n.Tag == "!!int" || n.Tag == "!!float") && json.Valid([]byte(n.Value)) {
		out.WriteString(n.Value) // also where it is beyond what Go can hold
		return nil
	}
	v := Scalar(n)
	if s, ok := v.(string); ok {
		return writeJSONString(out, s)
	}
	if n.Style == 0 && json.Valid([]byte(n.Value)) {
		out.WriteString(n.Value)
		return nil
	}
	text, err := json.Marshal(v)
	out.Write(text)
	return err
}

func writeJSONString(out *bytes.Buffer, s string) error {
	if isPlainJSON(s) {
		out.WriteByte('"')
		out.WriteString(s)
		out.WriteByte('"')
		return nil
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		return err
	}
	out.Truncate(out.Len() - 1) // Encode ends with a line break
	return nil
}

// isPlainJSON tells whether a string stands for itself between quotes, as nearly
// all do.
func isPlainJSON(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
