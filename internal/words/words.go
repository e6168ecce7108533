// Package words helps to write messages: the word that a misspelt one may mean, lists in sentences,
// plurals, the beginning of a long value, and quantities.
package words

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/lists"
)

// maxWord is the length in bytes up to which Nearest compares words. No name in Kubernetes is
// longer.
const maxWord = 256

// Nearest returns the known word that a misspelt word may mean: the first one with the smallest
// edit distance (insertions, deletions, replacements and swaps of neighbours; case does not count).
// If none is within a third of the longer word's length, it is the only known word that is a prefix
// of word or has it as a prefix, with at least four letters; false if there is none.
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
	if best < 0 {
		return samePrefix(word, known)
	}
	return nearest, true
}

// DidYouMean returns the question whether the nearest known word is meant, for the end of a
// message; "" if none is near.
func DidYouMean(word string, known []string) string {
	near, ok := Nearest(word, known)
	if !ok {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// IsSlip tells whether word may be a misspelt known: the two are equal, or differ in case or in one
// letter that is wrong, missing, too many or swapped with its neighbour. A digit is not a letter,
// since web-1 and web-2 are two names, and words of one or two letters are never misspelt.
func IsSlip(word, known string) bool {
	if strings.EqualFold(word, known) {
		return true
	}
	if min(len(word), len(known)) < 3 || max(len(word), len(known)) > maxWord || digitsOf(word) != digitsOf(known) {
		return false
	}
	return editDistance([]rune(strings.ToLower(word)), []rune(strings.ToLower(known))) == 1
}

// digitsOf returns the digits of text, in order.
func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// minPrefix is the number of bytes that a common prefix must have to be significant.
const minPrefix = 4

// samePrefix returns the only known word that is a prefix of word or has it as a prefix; false if
// there is none, or several.
func samePrefix(word string, known []string) (string, bool) {
	found := ""
	for _, k := range known {
		short := min(len(word), len(k))
		if short < minPrefix || len(word) > maxWord || !strings.EqualFold(word[:short], k[:short]) {
			continue
		}
		if found != "" && found != k {
			return "", false
		}
		found = k
	}
	return found, found != ""
}

// editDistance is the optimal string alignment distance, the restricted form of
// Damerau-Levenshtein's.
func editDistance(a, b []rune) int {
	width := len(b) + 1
	rows := make([]int, 3*width)
	before, previous, current := rows[:width], rows[width:2*width], rows[2*width:3*width]
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

// List joins words as in a sentence: `a`, `a or b`, `a, b or c`.
func List(words []string) string { return join(words, " or ") }

// Given returns nil for a text that was left out, else the text.
func Given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Some joins the first texts by commas, and says how many more there are.
func Some(texts []string, most int) string {
	text := strings.Join(texts[:min(len(texts), most)], ", ")
	if more := len(texts) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// All joins words as in a sentence: `a`, `a and b`, `a, b and c`.
func All(words []string) string { return join(words, " and ") }

func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	end := len(words) - 1
	return strings.Join(words[:end], ", ") + last + words[end]
}

// Plural returns the name of a kind's resource: deployments of Deployment, policies of Policy,
// gateways of Gateway. It is a guess, since each CustomResourceDefinition has its own.
func Plural(kind string) string {
	name := strings.ToLower(kind)
	switch {
	case name == "", strings.HasSuffix(name, "endpoints"):
		return name
	case strings.HasSuffix(name, "s"):
		return name + "es"
	case strings.HasSuffix(name, "y") && !strings.ContainsAny(name[max(len(name)-2, 0):len(name)-1], "aeiou"):
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}

// Shorten returns at most length characters of text, with an ellipsis if some are left out.
func Shorten(text string, length int) string {
	count := 0
	for i := range text {
		if count == length {
			return text[:i] + "…"
		}
		count++
	}
	return text
}

// nameCharacters are those of names of objects and files.
const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./["

// Names tells whether a text has a name, and not only as a part of a longer one; the name "" is in
// every text.
func Names(text, name string) bool {
	for before := ""; ; {
		start, after, found := strings.Cut(text, name)
		if !found || name == "" {
			return found
		}
		before += start
		follows := strings.TrimLeft(after, ".") // a dot may end the sentence
		if strings.TrimRight(before, nameCharacters) == before && strings.TrimLeft(follows, nameCharacters) == follows {
			return true
		}
		before, text = name, after
	}
}

// Pattern returns a regular expression that is compiled at its first use: the patterns of hints are
// not needed in most runs, and compiling them would delay the start of each.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Count says how many there are: 1 object, 2 objects.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Shell returns arguments as they are written in a shell.
func Shell(args []string) string {
	return strings.Join(lists.Map(args, func(arg string) string {
		if isPlain := strings.Trim(arg, shellPlain) == ""; isPlain && arg != "" {
			return arg
		}
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}), " ")
}

// shellPlain are the characters that mean nothing to a shell.
const shellPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=,+@%"
