package tree

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"
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

// scanBytes tells whether text has only characters without a special meaning in yaml.v3 or YAML:
// printable ones, tabs and line breaks `\n`.
func scanBytes(text string) (ascii, ok bool) {
	var classes byte
	i := 0
	for ; i+32 <= len(text); i += 32 {
		block := text[i : i+32]
		others := notText(word(block[:8])) | notText(word(block[8:16])) | notText(word(block[16:24])) | notText(word(block[24:]))
		if others&high != 0 {
			for j := range len(block) {
				classes |= byteClasses[block[j]]
			}
		}
	}
	for ; i < len(text); i++ {
		classes |= byteClasses[text[i]]
	}
	if classes&control != 0 {
		return false, false
	}
	if classes&notASCII == 0 {
		return true, true
	}
	for i, c := range text {
		if c < utf8.RuneSelf {
			continue
		}
		if !isPrintable(c) || isWideBreak(c) || c == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return false, false
		}
	}
	return false, true
}

// arePlain tells whether eight bytes are all from the space to `}`, and thus printable ASCII. It
// tests all at once: subtracting a space sets the high bit of a byte below it, and adding 2 that of
// one above `}`; a byte beyond ASCII has it from the start.
func arePlain(b uint64) bool {
	return (b|(b-' '*each)|(b+2*each))&high == 0
}

// notText tells whether some of eight bytes are neither from the space to `}` nor line breaks: then
// one or more of the high bits are set. The other bits mean nothing.
func notText(b uint64) uint64 {
	other := b ^ '\n'*each
	other = other&^high + ^uint64(high) | other // the high bit of each byte that is no line break
	control := ^(b | high - ' '*each)
	return control&other | b | (b + 2*each)
}

// each has a one in each of eight bytes, high their highest bits.
const (
	each = 0x0101010101010101
	high = 0x80 * each
)

// word returns eight bytes as a number, the first as its lowest byte.
func word(eight string) uint64 {
	return uint64(eight[0]) | uint64(eight[1])<<8 | uint64(eight[2])<<16 | uint64(eight[3])<<24 |
		uint64(eight[4])<<32 | uint64(eight[5])<<40 | uint64(eight[6])<<48 | uint64(eight[7])<<56
}

// behindSpaces returns the offset behind the spaces at an offset of a text.
func behindSpaces(text string, at int) int {
	for at+8 <= len(text) {
		if others := word(text[at:at+8]) ^ ' '*each; others != 0 {
			return at + bits.TrailingZeros64(others)/8
		}
		at += 8
	}
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
	case c == byteOrderMark, c == 0xfffe, c == 0xffff:
		return false
	}
	return true
}

// isWideBreak tells whether c is one of the line breaks beyond ASCII that YAML 1.1 has: NEL, LS and
// PS.
func isWideBreak(c rune) bool {
	return c == 0x85 || c == 0x2028 || c == 0x2029
}

const byteOrderMark = '\uFEFF'

// checkCharacters returns a *SyntaxError for the first character that YAML text must not have. A
// byte order mark may be at the start.
func checkCharacters(text string) error {
	rest := strings.TrimPrefix(text, string(byteOrderMark))
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
	case byteOrderMark:
		return `a byte order mark must be at the start only; write it as "\uFEFF", in double quotes`
	}
	return fmt.Sprintf("the text must not have the character U+%04X; write it as \"\\u%04X\", in double quotes", c, c)
}
