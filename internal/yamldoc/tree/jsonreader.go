package tree

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// jsonReader makes the nodes of valid JSON text, at a fraction of the cost of json.Decoder's
// tokens. After an error, methods return nil or false.
type jsonReader struct {
	text      string
	pos, line int
	memory    *slab
	// limit bounds the nodes of the slab.
	limit int
	// open are the children so far of the objects and arrays that are not closed.
	open []*Node
	err  error
}

// readJSON reads text nested in depth objects and arrays. Strings of the nodes are parts of the
// text. The error is a *SyntaxError.
func readJSON(text string, depth int, memory *slab) (*Node, error) {
	if !json.Valid(unsafe.Slice(unsafe.StringData(text), len(text))) {
		return nil, newJSONError(text, depth)
	}
	if err := checkUTF8(text); err != nil {
		return nil, err
	}
	r := jsonReader{text: text, line: 1, memory: memory, limit: memory.made + maxNodes(len(text))}
	r.skipBlanks()
	n := r.value(depth)
	return n, r.err
}

// checkUTF8 returns a *SyntaxError for the first byte that is not UTF-8.
func checkUTF8(text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	valid := strings.ToValidUTF8(text, "\xff")
	at := strings.IndexByte(valid, 0xff) // no byte of UTF-8
	return &SyntaxError{Line: 1 + strings.Count(text[:at], "\n"), Reason: characterReason(utf8.RuneError, text[at])}
}

// newJSONError returns the error of invalid JSON text.
func newJSONError(text string, depth int) *SyntaxError {
	decoder := json.NewDecoder(strings.NewReader(text))
	var value json.RawMessage
	err := decoder.Decode(&value)
	offset := int(decoder.InputOffset())
	offset += len(text[offset:]) - len(strings.TrimLeft(text[offset:], " \t\r\n"))
	reason := "there must be one JSON value, found more text after it"
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		reason, offset = err.Error(), int(syntax.Offset)
	} else if err != nil {
		reason, offset = "unexpected end of the JSON text", len(strings.TrimRight(text, " \t\r\n"))
	}
	before := text[:min(offset, len(text))]
	if at := tooDeepAt(before, depth); at >= 0 {
		reason, before = tooDeepJSON, before[:at]
	}
	return &SyntaxError{Line: 1 + strings.Count(before, "\n"), Reason: reason}
}

var tooDeepJSON = "values must be nested at most " + strconv.Itoa(maxDepth) + " levels deep"

// tooDeepAt returns the offset at which text, the beginning of JSON in depth objects and arrays,
// exceeds the maximum nesting; -1 if it does not.
func tooDeepAt(text string, depth int) int {
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{', c == '[':
			if depth++; depth > maxDepth+1 {
				return i
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return -1
}

// value reads the value here and the blanks behind it.
func (r *jsonReader) value(depth int) *Node {
	if depth > maxDepth {
		return r.fail(tooDeepJSON)
	}
	var n *Node
	switch r.text[r.pos] {
	case '{':
		n = r.collection(r.node(MappingNode, MapTag, FlowStyle), '}', depth)
	case '[':
		n = r.collection(r.node(SequenceNode, ListTag, FlowStyle), ']', depth)
	case '"':
		n = r.quoted()
	default:
		n = r.word()
	}
	r.skipBlanks()
	return n
}

// fail ends the reading at this line.
func (r *jsonReader) fail(reason string) *Node {
	r.err = &SyntaxError{Line: r.line, Reason: reason}
	return nil
}

func (r *jsonReader) node(kind Kind, tag Tag, style Style) *Node {
	n := r.memory.node(r.pos, len(r.text))
	n.Kind, n.Tag, n.Style = kind, tag, style
	n.start, n.line = int32(r.pos), int32(r.line)
	return n
}

// collection reads the object or the array here, which end closes.
func (r *jsonReader) collection(n *Node, end byte, depth int) *Node {
	first := len(r.open)
	var keys KeyTable
	for r.step(); r.text[r.pos] != end; {
		if n.Kind == MappingNode {
			key := r.quoted()
			if keys.Index(r.open[first:], key.text) >= 0 {
				return r.fail("the key " + strconv.Quote(key.text) + " is twice in one object")
			}
			r.open = append(r.open, key)
			r.skipBlanks()
			r.step() // the colon
		}
		value := r.value(depth + 1)
		if value != nil && r.memory.made > r.limit {
			value = r.fail(tooManyNodes(len(r.text)))
		}
		if value == nil {
			return nil
		}
		r.open = append(r.open, value)
		if r.text[r.pos] == ',' {
			r.step()
		}
	}
	n.Content = r.memory.list(r.open[first:])
	r.open = r.open[:first]
	r.pos++
	n.end = int32(r.pos)
	return n
}

// step skips one byte and the blanks behind it.
func (r *jsonReader) step() {
	r.pos++
	r.skipBlanks()
}

func (r *jsonReader) skipBlanks() {
	for ; r.pos < len(r.text); r.pos++ {
		switch r.text[r.pos] {
		case '\n':
			r.line++
		case ' ', '\t', '\r':
		default:
			return
		}
	}
}

// quoted reads the string here.
func (r *jsonReader) quoted() *Node {
	n := r.node(ScalarNode, StringTag, DoubleQuotedStyle)
	start, plain := r.pos, true
	for r.pos++; r.text[r.pos] != '"'; r.pos++ {
		if r.text[r.pos] == '\\' {
			plain = false
			r.pos++
		}
	}
	r.pos++
	n.text, n.end = r.text[start+1:r.pos-1], int32(r.pos)
	if !plain {
		n.text = ""
		_ = json.Unmarshal([]byte(r.text[start:r.pos]), &n.text) // the text is known to be valid
	}
	return n
}

// word reads the number, the bool or the null here.
func (r *jsonReader) word() *Node {
	n := r.node(ScalarNode, NoTag, 0)
	start := r.pos
	for r.pos < len(r.text) && strings.IndexByte(",]} \t\r\n", r.text[r.pos]) < 0 {
		r.pos++
	}
	n.text, n.end = r.text[start:r.pos], int32(r.pos)
	switch n.text[0] {
	case 't', 'f':
		n.Tag = BoolTag
	case 'n':
		n.Tag = NullTag
	default:
		n.Tag = numberTag(n.text)
	}
	return n
}

func numberTag(text string) Tag {
	if _, isFloat := resolvePlain(text).(float64); isFloat {
		return FloatTag
	}
	return IntTag
}
