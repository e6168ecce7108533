package tree

import "strings"

// maxSimpleString is the length, in bytes, of the longest string that AppendString takes.
const maxSimpleString = 1000

// MaxSimpleKey is the length, in bytes, of the longest key that the YAML library writes without a question mark.
const MaxSimpleKey = 128

// AppendString appends the string s as the YAML library writes the node of NewString in block style. It reports false
// where s is not simple: not one line of printable ASCII, for one. It is some thirty times as fast as the library.
func AppendString(b []byte, s string) ([]byte, bool) {
	if s == "" || len(s) > maxSimpleString || !isPrintableASCII(s) || strings.IndexByte("-?:", s[0]) >= 0 {
		return b, false
	}
	if mustQuote(s) {
		return append(append(append(b, '"'), s...), '"'), !strings.ContainsAny(s, `"\`)
	}
	if !canBePlain(s) {
		return AppendSingleQuoted(b, s), true
	}
	return append(b, s...), true
}

// AppendSingleQuoted appends s, a line of text, in single quotes.
func AppendSingleQuoted(b []byte, s string) []byte {
	b = append(b, '\'')
	for i := range len(s) {
		if s[i] == '\'' {
			b = append(b, '\'')
		}
		b = append(b, s[i])
	}
	return append(b, '\'')
}

func isPrintableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// canBePlain tells whether a line of printable ASCII can stand without quotes in
// block style.
func canBePlain(s string) bool {
	if strings.IndexByte("-?:,[]{}#&*!|>'\"%@` ", s[0]) >= 0 || s[len(s)-1] == ' ' || s[len(s)-1] == ':' {
		return false
	}
	return !strings.Contains(s, ": ") && !strings.Contains(s, " #") && !strings.HasPrefix(s, "...")
}
