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
	return hexEscaped(text, 4)
}

// hexEscaped returns the ASCII character whose number of so many digits follows the letter of an
// escape; 0xFF for another one.
func hexEscaped(text []byte, digits int) byte {
	code, err := strconv.ParseUint(string(text[1:min(1+digits, len(text))]), 16, 32)
	if err != nil || code > 0x7F {
		return 0xFF
	}
	return byte(code)
}

// hides tells whether YAML text may have, in a double-quoted string, an escape of a character of
// the words, or an escaped line break within them. They are letters, digits, dots, hyphens and
// slashes. Where strings begin does not matter: of two backslashes in a row the second begins no
// escape, in double quotes, and neither does outside.
func hides(text []byte, words string) bool {
	for at := 0; ; at += 2 {
		i := bytes.IndexByte(text[min(at, len(text)):], '\\')
		if at += i; i < 0 || at+1 == len(text) {
			return false
		}
		char := byte(0xFF)
		switch c := text[at+1]; {
		case c == '\n' || c == '\r' || c >= 0x80:
			if splits(text[:at], text[at+1:], words) {
				return true
			}
			continue
		case c == 'x':
			char = hexEscaped(text[at+1:], 2)
		case c == 'u':
			char = hexEscaped(text[at+1:], 4)
		case c == 'U':
			char = hexEscaped(text[at+1:], 8)
		case c == '/':
			char = c
		}
		if strings.IndexByte(words, char) >= 0 {
			return true
		}
	}
}

// splits tells whether the line break between two texts may be within the words.
func splits(before, after []byte, words string) bool {
	after = bytes.TrimLeft(after, " \t\r\n")
	if len(before) == 0 || len(after) == 0 {
		return false
	}
	if after[0] == '\\' || after[0] >= 0x80 {
		return true
	}
	for i := 1; i < len(words); i++ {
		if words[i-1] == before[len(before)-1] && words[i] == after[0] {
			return true
		}
	}
	return false
}
