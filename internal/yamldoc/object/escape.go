package object

import (
	"bytes"
	"strconv"
	"strings"
)

// escapes are those of JSON with one letter.
var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escapesOneOf tells whether text, which is JSON, has an escape of one of the characters, which are
// ASCII.
func escapesOneOf(text []byte, characters string) bool {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return false
		}
		if strings.IndexByte(characters, escaped(text[i+1:])) >= 0 {
			return true
		}
		text = text[i+2:]
	}
}

// escaped returns the ASCII character of the escape whose text follows a backslash; 0xFF for
// another one.
func escaped(text []byte) byte {
	if text[0] != 'u' {
		return escapes[text[0]]
	}
	code, err := strconv.ParseUint(string(text[1:min(5, len(text))]), 16, 16)
	if err != nil || code > 0x7F {
		return 0xFF
	}
	return byte(code)
}
