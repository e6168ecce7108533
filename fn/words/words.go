// Package words helps messages: the word that a writer may have meant, and lists of
// words as sentences have them.
package words

import (
	"strings"
	"unicode/utf8"
)

// maxWord is the length in bytes up to which Nearest compares words. No name
// in Kubernetes is longer.
const maxWord = 256

// Nearest returns the known word that a writer of word may have meant: the one
// at the smallest edit distance (insertions, deletions, replacements and swaps
// of neighbours; case does not count), of several the first. It is false where
// none is within a third of the longer word's length.
func Nearest(word string, known []string) (string, bool) {
	nearest, best := "", -1
	for _, k := range known {
		if len(word) > maxWord || len(k) > maxWord {
			continue
		}
		limit := max(utf8.RuneCountInString(word), utf8.RuneCountInString(k)) / 3
		distance := editDistance([]rune(strings.ToLower(word)), []rune(strings.ToLower(k)))
		if distance <= limit && (best < 0 || distance < best) {
			nearest, best = k, distance
		}
	}
	return nearest, best >= 0
}

// editDistance is the optimal string alignment distance, the restricted form
// of Damerau-Levenshtein's.
func editDistance(a, b []rune) int {
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}

// List joins words as a sentence does: `a`, `a or b`, `a, b or c`.
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
