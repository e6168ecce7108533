package tree

import (
	"bytes"
	"encoding/json"
	"strings"
)

// ParseJSON parses one JSON value to nodes, and keeps the order of members and the text of numbers.
// A duplicate key in an object is an error. The error is a
// *SyntaxError.
func ParseJSON(text []byte) (*Node, error) {
	return readJSON(string(text), 0, &slab{})
}

// MarshalJSON writes n as JSON on one line, without a line break at the end. Members keep their
// order; a number keeps its text if that is JSON.
func MarshalJSON(n *Node) ([]byte, error) {
	var out bytes.Buffer
	err := writeJSON(&out, n)
	return out.Bytes(), err
}

func writeJSON(out *bytes.Buffer, n *Node) error {
	n = Deref(n)
	switch {
	case n == nil:
		out.WriteString("null")
		return nil
	case n.Kind == MappingNode:
		return writeJSONObject(out, n)
	case n.Kind == SequenceNode:
		return writeJSONArray(out, n)
	}
	return writeJSONScalar(out, n)
}

func writeJSONObject(out *bytes.Buffer, n *Node) error {
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

func writeJSONArray(out *bytes.Buffer, n *Node) error {
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

func writeJSONScalar(out *bytes.Buffer, n *Node) error {
	if n.Style == 0 && (n.Tag == IntTag || n.Tag == FloatTag) && json.Valid([]byte(n.text)) {
		out.WriteString(n.text) // also where it is beyond what Go can hold
		return nil
	}
	v := Scalar(n)
	if s, ok := v.(string); ok {
		return writeJSONString(out, s)
	}
	if n.Style == 0 && json.Valid([]byte(n.text)) {
		out.WriteString(n.text)
		return nil
	}
	text, err := json.Marshal(v)
	out.Write(text)
	return err
}

// JSONText returns a value of encoding/json as compact JSON, in which < and > stay as they are.
func JSONText(v any) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func writeJSONString(out *bytes.Buffer, s string) error {
	if isPlainJSON(s) {
		out.WriteByte('"')
		out.WriteString(s)
		out.WriteByte('"')
		return nil
	}
	text, err := JSONText(s)
	out.WriteString(text)
	return err
}

// isPlainJSON tells whether a string needs no escapes, as nearly all.
func isPlainJSON(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
