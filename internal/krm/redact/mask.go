// Package redact hides the values of Secrets in output. A Mask is made of the objects that a text
// is about. What is printed of an object is made from a masked copy of it: Value for a field,
// Copies for a diff. Error shows an error of an expression by its kind, and Text hides the values
// that a user has written, into an expression for example. Manifests that a user asks for are not
// redacted.
package redact

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Masked replaces a value of a Secret.
const Masked = "***"

// maxShort is the length of texts that are too short to be looked for within words.
const maxShort = 2

// Mask hides the values of Secrets in results. The zero Mask hides nothing. A Mask is safe for use
// by several goroutines.
type Mask struct {
	// values are the texts to hide, sorted; starts has their first bytes and those of an ellipsis.
	values []string
	starts byteSet
	// holds is true if there is a Secret in the objects.
	holds bool
	roots []*tree.Node
}

// New returns the mask for results about the objects at roots: the object as it came, and as it
// stands, say. The values of every v1 Secret in them are hidden, in a List, a ManifestWork or the
// documents of a string, too: all under data and stringData, the data values decoded, each line of
// a value, the strings within a value that is JSON, and what the annotation
// kubectl.kubernetes.io/last-applied-configuration holds of them.
func New(roots ...*tree.Node) Mask {
	var c collector
	for _, root := range roots {
		c.collect(root, anObject)
	}
	m := Mask{holds: c.holds, roots: roots}
	m.setValues(c.values)
	return m
}

// byteSet has a bit for each byte.
type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c/64] |= 1 << (c % 64) }
func (s *byteSet) has(c byte) bool { return s[c/64]&(1<<(c%64)) != 0 }

func (m *Mask) setValues(values []string) {
	slices.Sort(values)
	m.values, m.starts = slices.Compact(values), byteSet{}
	m.starts.add("..."[0])
	m.starts.add("…"[0])
	for _, value := range m.values {
		m.starts.add(value[0])
	}
}

// With returns the mask with more texts to hide: those that an expression derived from the objects.
func (m Mask) With(texts ...string) Mask {
	c := collector{values: slices.Clone(m.values)}
	for _, text := range texts {
		c.add(text)
	}
	m.setValues(c.values)
	return m
}

// IsZero tells whether the mask hides nothing.
func (m Mask) IsZero() bool { return len(m.values) == 0 && !m.holds }

// EvaluationError is an error of an expression. It may contain data that the expression derived
// from an object: a part of a value, or another form of it, that no Mask knows.
type EvaluationError interface {
	error
	// WithoutData returns the error by its kind, without data.
	WithoutData() error
}

// Error returns the message of an error about the objects without anything of a Secret.
func (m Mask) Error(err error) string {
	message := err.Error()
	if m.IsZero() {
		return message
	}
	if failed, ok := errors.AsType[EvaluationError](err); ok {
		inner, shown := failed.Error(), failed.WithoutData().Error()
		if !strings.Contains(message, inner) {
			return m.Text(shown)
		}
		message = strings.Replace(message, inner, shown, 1)
	}
	return m.Text(message)
}

// Show returns a value at a location for a message, as Value does: JSON of at most so many
// characters, or `nothing` for nil.
func (m Mask) Show(l location.Location, n *tree.Node, characters int) string {
	if n == nil {
		return "nothing"
	}
	text, err := tree.MarshalJSON(tree.FromValue(m.Value(l, tree.Value(n))))
	if err != nil {
		return "a " + tree.Type(n)
	}
	return words.Shorten(string(text), characters)
}

// Value returns v, the value at l of the object that the mask is for, with *** for each scalar
// under data and stringData of a Secret and for the annotation with its last applied state, and
// with values hidden in all other scalars. Keys stay. The type of v is one that tree.Value returns;
// v is not changed.
func (m Mask) Value(l location.Location, v any) any {
	if m.IsZero() {
		return v
	}
	c := copier{mask: m}
	return tree.Value(c.copy(tree.FromValue(v), nil, m.roleAt(l)))
}

// Hides tells whether the scalar n, found at l, must not be shown as it is.
func (m Mask) Hides(l location.Location, n *tree.Node) bool {
	if m.IsZero() || n == nil {
		return false
	}
	is := m.roleAt(l)
	if n = tree.Deref(n); n.Kind != tree.ScalarNode {
		return is.isHidden()
	}
	c := copier{mask: m}
	return c.scalar(n, nil, is).Text() != n.Text()
}

// Public returns the keys and scalars of the objects that are not hidden.
func (m Mask) Public() map[string]bool {
	public := map[string]bool{}
	c := copier{mask: m}
	for _, root := range m.roots {
		addTexts(public, c.copy(root, nil, anObject))
	}
	return public
}

// addTexts adds the keys and scalars of a masked copy.
func addTexts(texts map[string]bool, n *tree.Node) {
	if n == nil {
		return
	}
	if n.Kind == tree.ScalarNode {
		texts[n.Text()] = true
	}
	for _, child := range n.Content {
		addTexts(texts, child)
	}
}

// maxQuoting is how many levels of quotes a value in a message has at most: a string within JSON
// that an error of another library quotes.
const maxQuoting = 2

// Text returns text with *** in place of every value, as it is and as Go and JSON quote it, and of
// the beginning of a value that is shortened with `...` or `…`. A value of one or two bytes is
// hidden only as a token of its own, in quotes or between blanks for example, but not in a word or
// a list index.
func (m Mask) Text(text string) string {
	if len(m.values) == 0 {
		return text
	}
	marked := make([]bool, len(text))
	plain, at := text, positions(len(text)+1)
	m.mark(plain, at, marked)
	for level := 0; level < maxQuoting && strings.Contains(plain, `\`); level++ {
		plain, at = unquote(plain, at)
		m.mark(plain, at, marked)
	}
	return replaceMarked(text, marked)
}

func positions(count int) []int {
	at := make([]int, count)
	for i := range at {
		at[i] = i
	}
	return at
}

// unquote returns a text with characters for escape sequences, and where each byte of it stands in
// the text that at is for.
func unquote(text string, at []int) (plain string, plainAt []int) {
	var b []byte
	var bAt []int
	for i := 0; i < len(text); {
		size := len(b)
		r, isRune, rest, err := strconv.UnquoteChar(text[i:], '"')
		next := len(text) - len(rest)
		switch {
		case err != nil || text[i] != '\\':
			b, next = append(b, text[i]), i+1
		case isRune:
			b = utf8.AppendRune(b, r)
		default:
			b = append(b, byte(r))
		}
		for range len(b) - size {
			bAt = append(bAt, at[i])
		}
		i = next
	}
	return string(b), append(bAt, at[len(text)])
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
		if !m.starts.has(text[from]) {
			continue
		}
		to := from + m.longestAt(text[from:])
		if to > done && (to-from > maxShort || standsAlone(text, from, to)) {
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
		// a longer value that text begins with would be between this one and text
		before, size := m.values[i-1], 0
		for size < min(len(before), len(text)) && before[size] == text[size] {
			size++
		}
		if size == len(before) {
			return size
		}
		text = text[:size]
	}
	return 0
}

// maxCutOff is the number of bytes that a message shows at most of a shortened value.
const maxCutOff = 256

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

// replaceMarked puts one *** for each run of marked bytes.
func replaceMarked(text string, marked []bool) string {
	if !slices.Contains(marked, true) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
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

// standsAlone tells whether text[from:to] is a token of its own.
func standsAlone(text string, from, to int) bool {
	const delimiters = "\"'` (){},:;=\t\n"
	return (from == 0 || strings.IndexByte(delimiters, text[from-1]) >= 0) &&
		(to == len(text) || strings.IndexByte(delimiters+".", text[to]) >= 0)
}
