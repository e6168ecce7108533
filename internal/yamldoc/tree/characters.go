package tree

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
)

// What a byte is in YAML text, as bits.
const (
	// notASCII: a byte of a character beyond ASCII.
	notASCII = 1 << iota
	// control: a control character other than a tab or a line break `\n`.
	control
)

var byteClasses = makeByteClasses()

func makeByteClasses() (table [256]byte) {
	for c := range table {
		switch {
		case c >= utf8.RuneSelf:
			table[c] = notASCII
		case c == 0x7f, c < ' ' && c != '\t' && c != '\n':
			table[c] = control
		}
	}
	return table
}

// isUsual tells whether text, which may begin with a byte order mark, has only characters without a
// special meaning in yaml.v3 or YAML: printable ones, tabs and line breaks `\n`.
func isUsual(text string) bool {
	var classes byte
	for i := range len(text) {
		classes |= byteClasses[text[i]]
	}
	if classes == 0 {
		return true
	}
	if classes&control != 0 {
		return false
	}
	text = strings.TrimPrefix(text, lines.ByteOrderMark)
	for i, c := range text {
		if c < utf8.RuneSelf {
			continue
		}
		if !isPrintable(c) || isWideBreak(c) || c == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return false
		}
	}
	return true
}

// blanks are the characters between values on a line.
const blanks = " \t"

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// behindSpaces returns the offset behind the spaces at an offset of a text.
func behindSpaces(text string, at int) int {
	for at < len(text) && text[at] == ' ' {
		at++
	}
	return at
}

// isPrintable tells whether c may be in YAML text unescaped (YAML 1.2.2, section 5.1); a byte order
// mark may be only at the start.
func isPrintable(c rune) bool {
	switch {
	case c < ' ':
		return c == '\t' || c == '\n' || c == '\r'
	case c < 0xa0:
		return c < 0x7f || c == 0x85
	case c == '\uFEFF', c == 0xfffe, c == 0xffff:
		return false
	}
	return true
}

// isWideBreak tells whether c is one of the line breaks beyond ASCII that YAML 1.1 has: NEL, LS and
// PS.
func isWideBreak(c rune) bool {
	return c == 0x85 || c == 0x2028 || c == 0x2029
}

// checkCharacters returns a *SyntaxError for the first character that YAML text must not have. A
// byte order mark may be at the start.
func checkCharacters(text string) error {
	rest := strings.TrimPrefix(text, lines.ByteOrderMark)
	for i, c := range rest {
		if c != utf8.RuneError && isPrintable(c) {
			continue
		}
		if c == utf8.RuneError && strings.HasPrefix(rest[i:], "\uFFFD") {
			continue
		}
		line := 1 + strings.Count(rest[:i], "\n")
		return &SyntaxError{Line: line, Reason: characterReason(c, rest[i])}
	}
	return nil
}

func characterReason(c rune, first byte) string {
	switch c {
	case utf8.RuneError:
		return fmt.Sprintf("the text must be UTF-8, found the byte 0x%02x", first)
	case '\uFEFF':
		return `a byte order mark must be at the start only; write it as "\uFEFF", in double quotes`
	}
	return fmt.Sprintf("the text must not have the character U+%04X; write it as \"\\u%04X\", in double quotes", c, c)
}
