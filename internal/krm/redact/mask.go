// Package redact hides the values of Secrets in output. A Mask is made of the objects that a text
// is about, and every message, result, diff and expression about them passes through it: Text for a
// message, Error for an error, Evaluated for the result of an expression, Value for a field.
// Manifests that a user asks for are not redacted.
package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Masked replaces a value of a Secret.
const Masked = "***"

// maxQuoting is how many levels of quotes a value in a message has at most: a string within JSON
// that an error of another library quotes has three.
const maxQuoting = 2

// usualValues is how many texts a usual Secret hides; more need another allocation.
const usualValues = 32

// usualDepth is the usual depth of objects; deeper ones need another allocation.
const usualDepth = 16

// Mask hides the values of Secrets in results. The zero Mask hides nothing. A Mask is safe for use
// by several goroutines.
type Mask struct {
	// values are the texts to hide, sorted.
	values []string
	hidden []location.Location
	// roots are the objects, whose keys are public.
	roots []*tree.Node
}

// New returns the mask for results about the objects at roots: the object as it came, and as it
// stands, say. The values of every v1 Secret in them are hidden, in a List, a ManifestWork or the
// documents of a string, too: all under data and stringData, the data values decoded, each line of
// a value, the strings within a value that is JSON, and what the annotation
// kubectl.kubernetes.io/last-applied-configuration holds of them. Parts of a value, such as a jq
// slice of it, and other encodings of it are not known to Text, see Error and Evaluated.
func New(roots ...*tree.Node) Mask {
	r := secretReader{values: make([]string, 0, usualValues), anchored: map[*tree.Node]bool{}}
	for _, root := range roots {
		r.object(root, make(location.Location, 0, usualDepth))
		clear(r.anchored)
	}
	slices.Sort(r.values)
	return Mask{values: slices.Compact(r.values), hidden: r.hidden, roots: roots}
}

// With returns the mask with one more text to hide: one that an expression derived from the
// objects.
func (m Mask) With(text string) Mask {
	if strings.TrimSpace(text) == "" {
		return m
	}
	at, found := slices.BinarySearch(m.values, text)
	if !found {
		m.values = slices.Insert(slices.Clone(m.values), at, text)
	}
	return m
}

// IsZero tells whether the mask hides nothing.
func (m Mask) IsZero() bool { return len(m.values) == 0 && len(m.hidden) == 0 }

// Text returns text with *** in place of every value, as it is and as Go, JSON and jq quote it, and
// of the beginning of a value that is shortened with `...` or `…`. A value of one or two characters
// is hidden only as a token of its own, in quotes or between blanks for example, but not in a word
// or a list index.
func (m Mask) Text(text string) string {
	if len(m.values) == 0 {
		return text
	}
	secret := make([]bool, len(text))
	level := asWritten(text)
	m.mark(level, secret)
	for i := 0; i < maxQuoting && strings.Contains(level.text, `\`); i++ {
		level = level.unquoted()
		m.mark(level, secret)
	}
	return replaceMarked(text, secret)
}

func (m Mask) mark(level reading, secret []bool) {
	level.markValues(m.values, secret)
	level.markCutOff(m.values, secret)
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

// Value returns v, the value at l of the object that the mask is for, with *** for each scalar
// under data and stringData of a Secret and for the annotation with its last applied state, and
// with values hidden in all other scalars. Keys stay. The type of v is one that tree.Value returns;
// v is not changed.
func (m Mask) Value(l location.Location, v any) any {
	if len(m.values) == 0 && len(m.hidden) == 0 {
		return v
	}
	switch v := v.(type) {
	case nil:
		return nil
	case map[string]any:
		masked := make(map[string]any, len(v))
		for key, member := range v {
			masked[key] = m.Value(l.With(location.Key(key)), member)
		}
		return masked
	case []any:
		masked := make([]any, len(v))
		for i, element := range v {
			masked[i] = m.Value(l.With(location.Index(i)), element)
		}
		return masked
	}
	if m.hides(l) {
		return Masked
	}
	return m.scalar(v)
}

// Hidden returns the places whose values are all hidden: data and stringData of each Secret, and
// its last-applied annotation.
func (m Mask) Hidden() []location.Location { return m.hidden }

// Hides tells whether n, found at l, must not be shown as it is.
func (m Mask) Hides(l location.Location, n *tree.Node) bool {
	if m.IsZero() || n == nil {
		return false
	}
	text := tree.Deref(n).Text()
	return m.hides(l) || m.Text(text) != text
}

func (m Mask) hides(l location.Location) bool {
	return slices.ContainsFunc(m.hidden, func(hidden location.Location) bool { return hidden.Contains(l) })
}

// scalar hides the values in a scalar of another place of the object.
func (m Mask) scalar(v any) any {
	if _, found := slices.BinarySearch(m.values, tree.FromValue(v).Text()); found {
		return Masked
	}
	if text, ok := v.(string); ok {
		return m.Text(text)
	}
	return v
}

// isShort tells whether a value is too short to be searched for within words.
func isShort(value string) bool {
	return utf8.RuneCountInString(value) < 3
}

// standsAlone tells whether text[from:to] is a token of its own.
func standsAlone(text string, from, to int) bool {
	return startsToken(text[:from]) && endsToken(text[to:])
}

// startsToken tells whether a token can start behind before. The bracket of a list index, as in
// `rules[1]`, starts none.
func startsToken(before string) bool {
	last, size := utf8.DecodeLastRuneInString(before)
	if last != '[' {
		return isDelimiter(last)
	}
	owner, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
	return owner != ']' && isDelimiter(owner)
}

func endsToken(after string) bool {
	first, _ := utf8.DecodeRuneInString(after)
	return first == '.' || isDelimiter(first)
}

// isDelimiter tells whether r separates tokens; the start and the end of a text do, for which r is
// utf8.RuneError.
func isDelimiter(r rune) bool {
	return r == utf8.RuneError || unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{},:;=…", r)
}
