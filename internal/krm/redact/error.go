package redact

import (
	"errors"
	"strings"
	"unicode"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// EvaluationError is an error of an expression. It may contain data that the expression derived
// from an object: a part of a value, or another form of it, that no Mask knows.
type EvaluationError interface {
	error
	// Evaluated returns the cause of the error, "" if it has no data; the texts that are no data:
	// the expression, words of the message; and the cause without data, "" if only single words of
	// it must be hidden.
	Evaluated() (cause string, written []string, safe string)
	// WithCause returns the error with another cause.
	WithCause(cause string) error
}

// Error returns the message of an error about the objects without anything of a Secret. What the
// user has written may be shown.
func (m Mask) Error(err error, written ...string) string {
	message := err.Error()
	if m.IsZero() {
		return message
	}
	failed, ok := errors.AsType[EvaluationError](err)
	if !ok {
		return m.Text(message)
	}
	cause, own, safe := failed.Evaluated()
	shown, known := m.Evaluated(cause, append(own, written...)...)
	if !known && safe != "" {
		shown = safe
	}
	if shown == cause {
		return m.Text(message)
	}
	inner, redacted := failed.Error(), failed.WithCause(shown).Error()
	if !strings.Contains(message, inner) {
		return m.Text(redacted)
	}
	return m.Text(strings.Replace(message, inner, redacted, 1))
}

// Evaluated returns a text that an expression derived from the objects without anything of a
// Secret: with *** for each value, and for each word that is neither written by the user or the
// program nor in the public part of an object: in a key, or outside of data and stringData. It
// returns false if there is such a word, since that may be a part of a value, or another form of
// it.
func (m Mask) Evaluated(text string, written ...string) (string, bool) {
	if m.IsZero() || text == "" {
		return text, true
	}
	known := map[string]bool{}
	for _, text := range written {
		addWords(known, text)
	}
	for _, root := range m.roots {
		m.addPublic(known, root, make(location.Location, 0, usualDepth), map[*tree.Node]bool{})
	}
	parts := strings.Split(m.Text(text), Masked)
	allKnown := true
	for i, part := range parts {
		marked := make([]bool, len(part))
		for from, to := range words(part) {
			if known[part[from:to]] {
				continue
			}
			allKnown = false
			for j := from; j < to; j++ {
				marked[j] = true
			}
		}
		parts[i] = replaceMarked(part, marked)
	}
	return strings.Join(parts, Masked), allKnown
}

// words yields the bounds of the runs of letters and digits in a text. All non-ASCII characters
// count as letters.
func words(text string) func(yield func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		from := -1
		for i := 0; i <= len(text); i++ {
			inWord := i < len(text) && (text[i] >= 0x80 || unicode.IsLetter(rune(text[i])) || unicode.IsDigit(rune(text[i])))
			switch {
			case inWord && from < 0:
				from = i
			case !inWord && from >= 0:
				if !yield(from, i) {
					return
				}
				from = -1
			}
		}
	}
}

func addWords(known map[string]bool, text string) {
	for from, to := range words(text) {
		known[text[from:to]] = true
	}
}

// addPublic adds the words of the public parts of n, found at l: all keys, and the scalars in
// places that are not hidden.
func (m Mask) addPublic(known map[string]bool, n *tree.Node, l location.Location, seen map[*tree.Node]bool) {
	if n = tree.Deref(n); n == nil || seen[n] {
		return
	}
	if n.Anchor() != "" {
		seen[n] = true
	}
	switch n.Kind {
	case tree.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := tree.Deref(n.Content[i]).Text()
			addWords(known, key)
			m.addPublic(known, n.Content[i+1], append(l, location.Key(key)), seen)
		}
	case tree.SequenceNode:
		for i, element := range n.Content {
			m.addPublic(known, element, append(l, location.Index(i)), seen)
		}
	case tree.ScalarNode:
		if !m.Hides(l, n) {
			addWords(known, n.Text())
		}
	}
}
