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

// contains is bytes.Contains for words, which looks for their rarest letter. That is faster by far,
// since manifests have none of the words that are looked for, but many of their first letter.
func contains(text []byte, words string) bool {
	rarest := 0
	for i := range len(words) {
		if commonness[words[i]] < commonness[words[rarest]] {
			rarest = i
		}
	}
	for at := rarest; ; at++ {
		i := bytes.IndexByte(text[min(at, len(text)):], words[rarest])
		if i < 0 {
			return false
		}
		at += i
		if bytes.HasPrefix(text[at-rarest:], []byte(words)) {
			return true
		}
	}
}

// commonness ranks the bytes that manifests have most of; 0 for all others.
var commonness = [256]byte{
	'f': 1, 'y': 2, 'g': 3, 'k': 4, 'b': 5, '/': 6, '-': 7, 'd': 8, 'h': 9, 'l': 10, 'u': 11, 'p': 12, '.': 13,
	'c': 14, 'm': 15, 'i': 16, ':': 17, 's': 18, 'r': 19, 'n': 20, 'o': 21, 'a': 22, 't': 23, 'e': 24, ' ': 25,
}
