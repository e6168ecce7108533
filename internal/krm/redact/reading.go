package redact

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// reading is a text after some levels of quoting are undone, with the offset in the original text
// of each of its bytes.
type reading struct {
	text string
	// place[i] is the offset in the original of the byte text[i]; it has one element more, the
	// length of the original. It is nil for the original itself.
	place []int
}

func asWritten(text string) reading { return reading{text: text} }

// placeOf returns the offset in the original of the byte at i, or of the end.
func (r reading) placeOf(i int) int {
	if r.place == nil {
		return i
	}
	return r.place[i]
}

// unquoted undoes one level of quoting: the escapes of Go, JSON and jq, which agree where they
// meet. A backslash that escapes nothing stands for itself.
func (r reading) unquoted() reading {
	var text strings.Builder
	var place []int
	for i := 0; i < len(r.text); {
		piece, size := r.text[i:i+1], 1
		if r.text[i] == '\\' {
			piece, size = unescape(r.text[i:])
		}
		for range len(piece) {
			place = append(place, r.placeOf(i))
		}
		text.WriteString(piece)
		i += size
	}
	return reading{text: text.String(), place: append(place, r.placeOf(len(r.text)))}
}

// unescape returns the character of the escape at the start of s, and the length of the escape.
func unescape(s string) (string, int) {
	if len(s) > 1 {
		switch s[1] {
		case '"', '\'', '/', '\\':
			return s[1:2], 2
		case 'u':
			return unescapeUTF16(s)
		}
	}
	r, multibyte, tail, err := strconv.UnquoteChar(s, 0)
	if err != nil {
		return `\`, 1
	}
	size := len(s) - len(tail)
	if r < utf8.RuneSelf || multibyte {
		return string(r), size
	}
	return string([]byte{byte(r)}), size
}

// unescapeUTF16 reads \uXXXX, and two of them where they are a surrogate pair.
func unescapeUTF16(s string) (string, int) {
	first, ok := hex4(s)
	if !ok {
		return `\`, 1
	}
	if second, ok := hex4(s[6:]); ok && utf16.IsSurrogate(first) {
		if pair := utf16.DecodeRune(first, second); pair != utf8.RuneError {
			return string(pair), 12
		}
	}
	return string(first), 6
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || !strings.HasPrefix(s, `\u`) {
		return 0, false
	}
	r, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(r), err == nil
}

// markValue marks all occurrences of value in the original, also overlapping ones.
func (r reading) markValue(value string, marked []bool) {
	done := 0
	for from := 0; ; from++ {
		at := strings.Index(r.text[from:], value)
		if at < 0 {
			return
		}
		from += at
		to := from + len(value)
		if !isShort(value) || standsAlone(r.text, from, to) {
			r.mark(max(from, done), to, marked)
			done = to
		}
	}
}

// manyValues is the number of values from which on all are searched for at once.
const manyValues = 16

// markValues is markValue for all of the values, which are sorted.
func (r reading) markValues(values []string, marked []bool) {
	if len(values) < manyValues {
		for _, value := range values {
			r.markValue(value, marked)
		}
		return
	}
	var begins [256]bool // whether a value begins with the byte
	for _, value := range values {
		begins[value[0]] = true
	}
	done := 0
	for from := range len(r.text) {
		if !begins[r.text[from]] {
			continue
		}
		if to := from + r.longestAt(from, values); to > max(from, done) {
			r.mark(max(from, done), to, marked)
			done = to
		}
	}
}

// longestAt returns the length of the longest of the sorted values that the text has at from; 0 for
// none.
func (r reading) longestAt(from int, values []string) int {
	rest, longest := r.text[from:], 0
	for size := 0; len(values) > 0; size++ {
		if value := values[0]; len(value) == size { // the others are longer
			if !isShort(value) || standsAlone(r.text, from, from+size) {
				longest = size
			}
			values = values[1:]
		}
		if size == len(rest) {
			break
		}
		if len(values) == 1 && !strings.HasPrefix(rest, values[0]) {
			break
		}
		values = withByte(values, size, rest[size])
	}
	return longest
}

// withByte returns those of the sorted values, which agree up to the byte at an index, that have c
// there.
func withByte(values []string, index int, c byte) []string {
	start := sort.Search(len(values), func(i int) bool { return values[i][index] >= c })
	values = values[start:]
	end := sort.Search(len(values), func(i int) bool { return values[i][index] > c })
	return values[:end]
}

// markCutOff marks the beginnings of values, which are sorted, before the marks with which messages
// shorten values.
func (r reading) markCutOff(values []string, marked []bool) {
	for _, ellipsis := range []string{"...", "…"} {
		for from := 0; ; from += len(ellipsis) {
			at := strings.Index(r.text[from:], ellipsis)
			if at < 0 {
				break
			}
			from += at
			end := cutOffEnd(r.text[:from])
			start := end - longestStart(r.text[:end], values)
			r.mark(start, end, marked)
		}
	}
}

// cutOffEnd returns the length of text without blanks at its end and without a truncated escape.
func cutOffEnd(text string) int {
	text = strings.TrimRight(text, " ")
	if at := strings.LastIndexByte(text, '\\'); at >= 0 && len(text)-at < 6 {
		rest := text[at+1:]
		if rest == "" || (rest[0] == 'u' || rest[0] == 'x') && strings.Trim(rest[1:], "0123456789abcdefABCDEF") == "" {
			return at
		}
	}
	return len(text)
}

// maxCutOff is the number of bytes that a message shows at most of a shortened value.
const maxCutOff = 256

// longestStart returns the length of the longest end of text that one of the sorted values starts
// with. One or two bytes count only where a token starts.
func longestStart(text string, values []string) int {
	for size := min(len(text), maxCutOff); size > 0; size-- {
		end := text[len(text)-size:]
		i := sort.SearchStrings(values, end)
		if i < len(values) && strings.HasPrefix(values[i], end) && (size > 2 || startsToken(text[:len(text)-size])) {
			return size
		}
	}
	return 0
}

func (r reading) mark(from, to int, marked []bool) {
	for i := r.placeOf(from); i < r.placeOf(to); i++ {
		marked[i] = true
	}
}
