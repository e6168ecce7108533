package object

import (
	"bytes"
	"strconv"
	"strings"
)

// hexDigits is how many digits follow the letter of an escape.
var hexDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// HasEscapes tells whether YAML or JSON text may have an escape of a letter, digit, dot, hyphen or
// slash in a double-quoted string, or an escaped line break behind one.
func HasEscapes(text []byte) bool {
	return hides(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-/")
}

// hides tells whether YAML or JSON text may have, in a double-quoted string, an escape of a
// character of the words, or an escaped line break behind one. The words are letters, digits, dots,
// hyphens and slashes. Where strings begin does not matter: of two backslashes in a row the second
// begins no escape, in double quotes, and neither does outside.
func hides(text []byte, words string) bool {
	for at := 0; ; at += 2 {
		i := bytes.IndexByte(text[min(at, len(text)):], '\\')
		if at += i; i < 0 || at+1 == len(text) {
			return false
		}
		char, digits := text[at+1], hexDigits[text[at+1]]
		switch isBreak := char == '\n' || char == '\r' || char >= 0x80; {
		case isBreak && at > 0:
			char = text[at-1]
		case digits > 0:
			code, err := strconv.ParseUint(string(text[at+2:min(at+2+digits, len(text))]), 16, 32)
			if err != nil || code >= 0x80 {
				continue
			}
			char = byte(code)
		case char != '/':
			continue
		}
		if strings.IndexByte(words, char) >= 0 {
			return true
		}
	}
}
