package tree

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonReader makes the nodes of JSON text, at a fraction of the cost of json.Decoder's tokens.
// After an error, methods return nil.
type jsonReader struct {
	text      string
	pos, line int
	memory    *slab
	// limit bounds the nodes of the slab.
	limit int
	// open are the children so far of the objects and arrays that are not closed.
	open []*Node
	// cut are the members of the outermost object whose elements become places, for CutJSON.
	cut []string
	// isCut is true within one of them.
	isCut bool
	err   error
}

// readJSON reads text nested in depth objects and arrays. Strings of the nodes are parts of the
// text. The error is a *SyntaxError.
func readJSON(text string, depth int, memory *slab, cut ...string) (*Node, error) {
	r := jsonReader{text: text, line: 1, memory: memory, limit: memory.made + maxNodes(len(text)), cut: cut}
	r.skipBlanks()
	n := r.value(depth)
	if n != nil && r.pos < len(text) {
		n = r.invalid()
	}
	if r.err == nil && !utf8.ValidString(text) {
		at := strings.IndexByte(strings.ToValidUTF8(text, "\xff"), 0xff) // no byte of UTF-8
		r.line = 1 + strings.Count(text[:at], "\n")
		n = r.fail(characterReason(utf8.RuneError, text[at]))
	}
	return n, r.err
}

// CutJSON is ParseJSON, but the elements of some members of the outermost object, which are arrays,
// are verified and become null, with their places in the text alone: so the data of one is in
// memory at a time.
func CutJSON(text []byte, members ...string) (*Node, error) {
	return readJSON(unsafeString(text), 0, &slab{}, members...)
}

// invalid ends the reading of text that is no JSON, with the reason of the standard library.
func (r *jsonReader) invalid() *Node {
	decoder := json.NewDecoder(strings.NewReader(r.text))
	var value json.RawMessage
	err := decoder.Decode(&value)
	offset := int(decoder.InputOffset())
	offset += len(r.text[offset:]) - len(strings.TrimLeft(r.text[offset:], jsonBlanks))
	reason := "there must be one JSON value, found more text after it"
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		reason, offset = err.Error(), int(syntax.Offset)
	} else if err != nil {
		reason, offset = "unexpected end of the JSON text", len(strings.TrimRight(r.text, jsonBlanks))
	}
	r.line = 1 + strings.Count(r.text[:min(offset, len(r.text))], "\n")
	return r.fail(reason)
}

const jsonBlanks = " \t\r\n"

// value reads the value here and the blanks behind it.
func (r *jsonReader) value(depth int) *Node {
	if depth > MaxDepth {
		return r.fail("values must be nested at most " + strconv.Itoa(MaxDepth) + " levels deep")
	}
	var n *Node
	switch rest := r.text[r.pos:]; {
	case strings.HasPrefix(rest, "{"):
		n = r.collection(r.node(MappingNode, MapTag, FlowStyle), '}', depth)
	case strings.HasPrefix(rest, "["):
		n = r.collection(r.node(SequenceNode, ListTag, FlowStyle), ']', depth)
	case strings.HasPrefix(rest, `"`):
		n = r.quoted()
	default:
		n = r.word()
	}
	r.skipBlanks()
	return n
}

// fail ends the reading at this line, unless it has ended.
func (r *jsonReader) fail(reason string) *Node {
	if r.err == nil {
		r.err = &SyntaxError{Line: r.line, Reason: reason}
	}
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
	r.pos++
	r.skipBlanks()
	for more := !r.take(end); more; {
		if n.Kind == MappingNode {
			key := r.quoted()
			if key == nil {
				return nil
			}
			if keys.Index(r.open[first:], key.text) >= 0 {
				return r.fail("the key " + strconv.Quote(key.text) + " is twice in one object")
			}
			r.open = append(r.open, key)
			if r.skipBlanks(); !r.take(':') {
				return r.invalid()
			}
			r.skipBlanks()
			r.isCut = depth == 0 && slices.Contains(r.cut, key.text)
		}
		var value *Node
		if r.isCut && depth == 1 && n.Kind == SequenceNode {
			value = r.place(depth + 1)
		} else {
			value = r.value(depth + 1)
		}
		if value != nil && r.memory.made > r.limit {
			value = r.fail(tooManyNodes(len(r.text), maxNodes(len(r.text))))
		}
		if value == nil {
			return nil
		}
		r.open = append(r.open, value)
		if more = r.take(','); more {
			r.skipBlanks()
		} else if !r.take(end) {
			return r.invalid()
		}
	}
	n.Content = r.memory.list(r.open[first:])
	r.open = r.open[:first]
	n.end = int32(r.pos)
	return n
}

// place reads the value here, and returns a node without its data.
func (r *jsonReader) place(depth int) *Node {
	n, memory := r.node(ScalarNode, NullTag, 0), r.memory
	r.memory, r.isCut = &slab{}, false
	value := r.value(depth)
	if value != nil {
		n.end = value.end
		if length := int(n.end - n.start); r.memory.made > maxNodes(length) {
			n = r.fail(tooManyNodes(length, maxNodes(length)))
		}
	}
	r.memory.free()
	r.memory, r.isCut = memory, true
	if value == nil {
		return nil
	}
	return n
}

// take skips a byte, and tells whether it is here.
func (r *jsonReader) take(c byte) bool {
	if r.pos == len(r.text) || r.text[r.pos] != c {
		return false
	}
	r.pos++
	return true
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
	n, start, plain := r.node(ScalarNode, StringTag, DoubleQuotedStyle), r.pos, true
	if !r.take('"') {
		return r.invalid()
	}
	for ; r.pos < len(r.text) && r.text[r.pos] != '"' && r.text[r.pos] >= ' '; r.pos++ {
		if r.text[r.pos] == '\\' {
			plain = false
			r.pos++
		}
	}
	if r.pos >= len(r.text) || !r.take('"') {
		return r.invalid()
	}
	n.text, n.end = r.text[start+1:r.pos-1], int32(r.pos)
	if !plain {
		n.text = ""
		if json.Unmarshal([]byte(r.text[start:r.pos]), &n.text) != nil {
			return r.invalid()
		}
	}
	return n
}

// word reads the number, the bool or the null here.
func (r *jsonReader) word() *Node {
	n := r.node(ScalarNode, NoTag, 0)
	for r.pos < len(r.text) && strings.IndexByte(",]}"+jsonBlanks, r.text[r.pos]) < 0 {
		r.pos++
	}
	n.text, n.end = r.text[n.start:r.pos], int32(r.pos)
	switch n.text {
	case "true", "false":
		n.Tag = BoolTag
	case "null":
		n.Tag = NullTag
	default:
		if !IsSimpleInt(n.text) && !json.Valid([]byte(n.text)) {
			return r.invalid()
		}
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
