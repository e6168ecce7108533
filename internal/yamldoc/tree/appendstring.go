package tree

import (
	"strings"
	"unicode/utf8"
)

// MaxSimpleKey is the length, in bytes, of the longest key that the YAML library writes without a
// question mark.
const MaxSimpleKey = 128

// AppendString appends the string s as the YAML library writes the node of NewString in block
// style. It returns false if s is not simple, for example not one line. It is some thirty times as
// fast as the library.
func AppendString(b []byte, s string) ([]byte, bool) {
	if s == "" || s[0] == '-' || s[0] == '?' || s[0] == ':' {
		return b, false
	}
	isPrintable, isPlain := scanLine(s)
	if !isPrintable {
		return b, false
	}
	if mustQuote(s) {
		return append(append(append(b, '"'), s...), '"'), !strings.ContainsAny(s, `"\`)
	}
	if !isPlain {
		return AppendSingleQuoted(b, s), true
	}
	return append(b, s...), true
}

// AppendSingleQuoted appends s, a line of text, in single quotes.
func AppendSingleQuoted(b []byte, s string) []byte {
	b = append(b, '\'')
	for {
		before, behind, found := strings.Cut(s, "'")
		b = append(b, before...)
		if !found {
			return append(b, '\'')
		}
		b = append(b, "''"...)
		s = behind
	}
}

// scanLine tells whether s, which is not empty, is a line of characters that the library prints as
// they are, and whether it then needs no quotes in block style.
func scanLine(s string) (isPrintable, isPlain bool) {
	isPlain = s[0] != '-' && plainBytes[s[0]]&cannotStart == 0 && !strings.HasPrefix(s, "...")
	for _, r := range s {
		if r < ' ' || r > '~' && r < 0xA0 || r >= utf8.RuneError || r == '\u2028' || r == '\u2029' || r == '\ufeff' {
			return false, false
		}
	}
	last := s[len(s)-1]
	return true, isPlain && last != ' ' && last != ':' && !strings.Contains(s, ": ") && !strings.Contains(s, " #")
}
