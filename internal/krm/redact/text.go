package redact

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/words"
)

// sizes are how many bytes a value must have to be hidden at all, and within a word.
type sizes struct{ least, inWord int }

var (
	inTexts   = sizes{1, maxShort + 1}
	inConfigs = sizes{1, 5}
	// inOwn is for texts of our own. A value of fewer than 13 bytes may be one of our words by
	// chance, so it stays.
	inOwn = sizes{13, 13}
)

const (
	// maxShort is the length of texts that are too short to be looked for within words.
	maxShort = 2
	// maxQuoting is how many levels of quotes a value in a message has at most: a string within
	// JSON that an error quotes, in a line of a log that quotes the error.
	maxQuoting = 4
	// maxCutOff is the number of bytes that a message shows at most of a shortened value.
	maxCutOff = 256
)

// index is what to search a text for: values, sorted, with their first bytes, and the keys of the
// objects that have them, which stay in a text.
type index struct {
	values []string
	starts [256]bool
	keys   map[string]bool
}

func newIndex(c *collector) *index {
	i := &index{values: slices.Compact(slices.Sorted(slices.Values(c.values))), keys: maps.Clone(c.keys)}
	for _, value := range i.values {
		i.starts[value[0]] = true
	}
	return i
}

// Text returns text with *** in place of every value, as it is and as Go and JSON quote it, and of
// the beginning of a value that is shortened with `...` or `…`. A value of one or two bytes is
// hidden only as a token of its own, in quotes or between blanks for example, but not in a word or
// a list index. The keys of paths stay.
func (m *Mask) Text(text string) string { return m.text(text, inTexts) }

// Config is Text for a text of a functionConfig, which names fields: a value of up to four bytes is
// hidden only as a token of its own.
func (m *Mask) Config(text string) string { return m.text(text, inConfigs) }

// Expression is Config for an expression. A string in it that has such a value is hidden as a
// whole, since the rest would tell the value, unless it names a field: ["a.b"], ."a.b". The names
// of a path stay, unless they were made or have a long value.
func (m *Mask) Expression(text string) string {
	if m != nil && m.isMade {
		return m.within.Expression(m.indexed().text(text))
	}
	var b strings.Builder
	done := 0
	for _, at := range literalOrName().FindAllStringIndex(text, -1) {
		before, found := strings.TrimRight(text[:at[0]], " "), text[at[0]:at[1]]
		if first := found[:1]; first == `"` || first == "'" {
			inside := found[1 : len(found)-1]
			if strings.HasSuffix(before, "[") || strings.HasSuffix(before, ".") || m.Text(inside) == inside {
				continue
			}
			found = first + Masked + first
		}
		b.WriteString(m.Config(text[done:at[0]]) + found)
		done = at[1]
	}
	return m.Own(b.String() + m.Config(text[done:]))
}

// Quoted is Expression for what a message of ours quotes, from its first quote to its last.
func (m *Mask) Quoted(text string) string {
	const quotes = "'\"`"
	from, to := strings.IndexAny(text, quotes), strings.LastIndexAny(text, quotes)
	if from == to {
		return text
	}
	if text[from] == '\'' { // an expression, which may have strings
		from, to = from+1, to-1
	}
	return text[:from] + m.Expression(text[from:to+1]) + text[to+1:]
}

// literalOrName is a string in an expression, or a name in a path.
var literalOrName = words.Pattern(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[./][A-Za-z_][\w-]*`)

// Own returns a text of our own words and names of fields without those that were made, and
// without long values.
func (m *Mask) Own(text string) string {
	switch {
	case m == nil:
		return text
	case m.isMade:
		return m.indexed().text(m.within.Own(text))
	}
	return m.indexed().mask(m.within.Own(text), inOwn)
}

func (m *Mask) text(text string, hidden sizes) string {
	if m == nil {
		return text
	}
	return m.indexed().mask(m.within.text(text, hidden), hidden)
}

func (x *index) text(text string) string { return x.mask(text, inTexts) }

// mask masks the values of some sizes in a text.
func (x *index) mask(text string, hidden sizes) string {
	if len(x.values) == 0 {
		return text
	}
	marked := marks{size: len(text)}
	x.mark(text, &marked, hidden)
	for plain, level := text, 0; level < maxQuoting && strings.Contains(plain, `\`); level++ {
		plain, marked.at = unquote(plain, marked.places())
		x.mark(plain, &marked, hidden)
	}
	if marked.all == nil {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		switch {
		case !marked.all[i]:
			b.WriteByte(text[i])
		case i == 0 || !marked.all[i-1]:
			b.WriteString(Masked)
		}
	}
	return b.String()
}

// marks are the bytes of a text that are hidden; all is nil for none, which most texts have.
type marks struct {
	size int
	all  []bool
	// at is where each byte of what is searched stands in the text; nil for the text itself.
	at []int
}

func (m *marks) places() []int {
	if m.at != nil {
		return m.at
	}
	at := make([]int, m.size+1)
	for i := range at {
		at[i] = i
	}
	return at
}

func (m *marks) mark(from, to int) {
	if m.at != nil {
		from, to = m.at[from], m.at[to]
	}
	if m.all == nil && from < to {
		m.all = make([]bool, m.size)
	}
	for i := from; i < to; i++ {
		m.all[i] = true
	}
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

// mark marks the values in what is searched of a text.
func (x *index) mark(text string, marked *marks, hidden sizes) {
	done := 0
	for from := range len(text) {
		size := 0
		if x.starts[text[from]] {
			size = x.longestAt(text[from:])
		}
		to := from + size
		if size >= hidden.least && to > done && (size >= hidden.inWord || standsAlone(text, from, to)) && !x.isInKey(text, from, to) {
			marked.mark(max(from, done), to)
			done = to
		}
		isEllipsis := strings.HasPrefix(text[from:], "...") || strings.HasPrefix(text[from:], "…")
		if isEllipsis && !strings.HasSuffix(text[:from], ".") {
			end := len(strings.TrimRight(text[:from], " "))
			if size := x.cutOffAt(text[:end]); size >= hidden.least {
				marked.mark(end-size, end)
			}
		}
	}
}

// longestAt returns the length of the longest value that text begins with; 0 for none.
func (x *index) longestAt(text string) int {
	for text != "" {
		i, isValue := slices.BinarySearch(x.values, text)
		switch {
		case isValue:
			return len(text)
		case i == 0:
			return 0
		}
		// A longer value that text begins with would be between this one and text.
		before, size := x.values[i-1], 0
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
func (x *index) cutOffAt(text string) int {
	for size := min(len(text), maxCutOff); size > maxShort; size-- {
		end := text[len(text)-size:]
		if i, _ := slices.BinarySearch(x.values, end); i < len(x.values) && strings.HasPrefix(x.values[i], end) {
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
func (x *index) isInKey(text string, from, to int) bool {
	start, end := max(0, from-maxKey), min(len(text), to+maxKey)
	for _, ends := range []string{keyEnds, keyEnds + "/", keyEnds + "/."} {
		begin := start + strings.LastIndexAny(text[start:from], ends) + 1
		size := strings.IndexAny(text[to:end]+" ", ends)
		if x.keys[strings.ReplaceAll(text[begin:to+size], "~1", "/")] {
			behind := strings.TrimLeft(text[to+size:], "\"'") + " "
			return inPath().MatchString(text[max(0, begin-6):begin]) || strings.HasPrefix(behind, ": ")
		}
	}
	return false
}
