package redact

import (
	"unicode"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fragment is the length in bytes of the parts of values that Fragments hides.
const fragment = 4

// Fragments hides parts of values, of four bytes and more, in a text with new data of an object,
// where an edit may have put them. It replaces each with ***, unless it is part of a word in the
// public part of an object. Making one costs time linear in the length of all values, so it is not
// for messages.
type Fragments struct {
	parts  map[string]bool
	public map[string]bool
}

// Fragments returns the Fragments of the mask's values.
func (m Mask) Fragments() Fragments {
	f := Fragments{parts: map[string]bool{}, public: map[string]bool{}}
	for _, value := range m.values {
		for i := range len(value) - fragment + 1 {
			f.parts[value[i:i+fragment]] = true
		}
	}
	for _, root := range m.roots {
		m.addPublic(f.public, root, make(location.Location, 0, usualDepth), map[*tree.Node]bool{})
	}
	return f
}

// Text returns the text with parts of values hidden.
func (f Fragments) Text(text string) string {
	if len(f.parts) == 0 {
		return text
	}
	marked := make([]bool, len(text))
	for i := range len(text) - fragment + 1 {
		if part := text[i : i+fragment]; !f.parts[part] || isMostlyMarks(part) {
			continue
		}
		for j := i; j < i+fragment; j++ {
			marked[j] = true
		}
	}
	for from, to := range words(text) {
		if f.public[text[from:to]] {
			clear(marked[from:to])
		}
	}
	return replaceMarked(text, marked)
}

// isMostlyMarks tells whether a part has at most one letter or digit, so that it reveals nothing:
// `://a`.
func isMostlyMarks(part string) bool {
	count := 0
	for _, r := range part {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			count++
		}
	}
	return count < 2
}
