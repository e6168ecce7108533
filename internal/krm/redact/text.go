package redact

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/words"
)

const (
	// maxShort is the length of texts that are too short to be looked for within words.
	maxShort = 2
	// maxQuoting is how many levels of quotes a value in a message has at most: a string within
	// JSON that an error of another library quotes.
	maxQuoting = 2
	// maxCutOff is the number of bytes that a message shows at most of a shortened value.
	maxCutOff = 256
)

// Text returns text with *** in place of every value, as it is and as Go and JSON quote it, and of
// the beginning of a value that is shortened with `...` or `…`. A value of one or two bytes is
// hidden only as a token of its own, in quotes or between blanks for example, but not in a word or
// a list index. The keys of paths stay.
func (m Mask) Text(text string) string {
	if len(m.values) == 0 {
		return text
	}
	marked, plain, at := make([]bool, len(text)), text, make([]int, len(text)+1)
	for i := range at {
		at[i] = i
	}
	m.mark(plain, at, marked)
	for level := 0; level < maxQuoting && strings.Contains(plain, `\`); level++ {
		plain, at = unquote(plain, at)
		m.mark(plain, at, marked)
	}
	var b strings.Builder
	for i := range len(text) {
		switch {
		case !marked[i]:
			b.WriteByte(text[i])
		case i == 0 || !marked[i-1]:
			b.WriteString(Masked)
		}
	}
	return b.String()
}

// unquote returns a text with characters for escape sequences, and where each byte of it stands in
// the text that at is for.
func unquote(text string, at []int) (string, []int) {
	var plain []byte
	var places []int
	for i := 0; i < len(text); {
		r, isRune, rest, err := strconv.UnquoteChar(text[i:], '"')
		size, next := len(plain), len(text)-len(rest)
		switch {
		case err != nil || text[i] != '\\':
			plain, next = append(plain, text[i]), i+1
		case isRune:
			plain = utf8.AppendRune(plain, r)
		default:
			plain = append(plain, byte(r))
		}
		places = append(places, slices.Repeat(at[i:i+1], len(plain)-size)...)
		i = next
	}
	return string(plain), append(places, at[len(text)])
}

// mark marks the values in a text, whose bytes stand at the places at of the marked one.
func (m Mask) mark(text string, at []int, marked []bool) {
	mark := func(from, to int) {
		for i := at[from]; i < at[to]; i++ {
			marked[i] = true
		}
	}
	done := 0
	for from := range len(text) {
		size := 0
		if m.starts[text[from]] {
			size = m.longestAt(text[from:])
		}
		to := from + size
		if size > 0 && to > done && (size > maxShort || standsAlone(text, from, to)) && !m.isInKey(text, from, to) {
			mark(max(from, done), to)
			done = to
		}
		isEllipsis := strings.HasPrefix(text[from:], "...") || strings.HasPrefix(text[from:], "…")
		if isEllipsis && !strings.HasSuffix(text[:from], ".") {
			end := len(strings.TrimRight(text[:from], " "))
			mark(end-m.cutOffAt(text[:end]), end)
		}
	}
}

// longestAt returns the length of the longest value that text begins with; 0 for none.
func (m Mask) longestAt(text string) int {
	for text != "" {
		i, isValue := slices.BinarySearch(m.values, text)
		switch {
		case isValue:
			return len(text)
		case i == 0:
			return 0
		}
		// A longer value that text begins with would be between this one and text.
		before, size := m.values[i-1], 0
		for size < min(len(before), len(text)) && before[size] == text[size] {
			size++
		}
		if text = text[:size]; size == len(before) {
			break
		}
	}
	return len(text)
}

// cutOffAt returns the length of the longest end of text that a value begins with.
func (m Mask) cutOffAt(text string) int {
	for size := min(len(text), maxCutOff); size > maxShort; size-- {
		end := text[len(text)-size:]
		if i, _ := slices.BinarySearch(m.values, end); i < len(m.values) && strings.HasPrefix(m.values[i], end) {
			return size
		}
	}
	return 0
}

// standsAlone tells whether text[from:to] is a token of its own.
func standsAlone(text string, from, to int) bool {
	const delimiters = "\"'` (){},:;=\t\n"
	return (from == 0 || strings.IndexByte(delimiters, text[from-1]) >= 0) &&
		(to == len(text) || strings.IndexByte(delimiters+".", text[to]) >= 0)
}

// inPath is what is in front of a key in a path.
var inPath = words.Pattern(`(?:\w\[\\*"|[./])$`)

// maxKey is the length of the longest key of a Secret, and keyEnds are characters around keys.
const maxKey, keyEnds = 253, "\"'\\[]{}(),: \t\n"

// isInKey tells whether text[from:to] is in a key where a path has it, as in data.a, data["a.b"]
// and /data/a.b, or where a line of YAML or JSON has it.
func (m Mask) isInKey(text string, from, to int) bool {
	start, end := max(0, from-maxKey), min(len(text), to+maxKey)
	for _, ends := range []string{keyEnds, keyEnds + "/", keyEnds + "/."} {
		begin := start + strings.LastIndexAny(text[start:from], ends) + 1
		size := strings.IndexAny(text[to:end]+" ", ends)
		if m.keys[strings.ReplaceAll(text[begin:to+size], "~1", "/")] {
			behind := strings.TrimLeft(text[to+size:], "\"'") + " "
			return inPath().MatchString(text[max(0, begin-6):begin]) || strings.HasPrefix(behind, ": ")
		}
	}
	return false
}
