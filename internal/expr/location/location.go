// Package location names one place in one object for every dialect: the steps to it from the root.
// It is a leaf: editing an object needs locations, but no dialect.
package location

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Step goes from a map to the member Key, or, where Key is "" and IsIndex is true, from a list to
// the element Index, counted from 0.
type Step struct {
	Key     string
	Index   int
	IsIndex bool
}

// Key returns the step to the member of a map.
func Key(key string) Step { return Step{Key: key} }

// Index returns the step to the element of a list.
func Index(i int) Step { return Step{Index: i, IsIndex: true} }

// Location is one place in one object: the steps to it from the root. The empty location is the
// object itself.
type Location []Step

// Keys returns the location whose steps are all to members of maps.
func Keys(keys []string) Location {
	l := make(Location, len(keys))
	for i, key := range keys {
		l[i] = Key(key)
	}
	return l
}

// String returns the location as the results show it: dotted, list indices in brackets, a key that
// is empty or has a dot, a slash, a bracket, a quote, a space or a character that can't be printed
// in brackets and quotes: metadata.annotations["prometheus.io/port"].
func (l Location) String() string {
	return string(l.Append(make([]byte, 0, 128))) // which is long enough for most
}

// Append appends String to a text.
func (l Location) Append(text []byte) []byte {
	start := len(text)
	for _, step := range l {
		switch {
		case step.IsIndex:
			text = append(strconv.AppendInt(append(text, '['), int64(step.Index), 10), ']')
		case step.Key == "" || strings.ContainsFunc(step.Key, needsQuotes):
			text = append(strconv.AppendQuote(append(text, '['), step.Key), ']')
		case len(text) > start:
			text = append(append(text, '.'), step.Key...)
		default:
			text = append(text, step.Key...)
		}
	}
	return text
}

func needsQuotes(r rune) bool {
	switch r {
	case '.', '/', '[', ']', '"', '\'', utf8.RuneError:
		return true
	}
	return unicode.IsSpace(r) || !unicode.IsPrint(r)
}

// With returns l extended by one step, in memory of its own.
func (l Location) With(step Step) Location {
	extended := make(Location, len(l)+1)
	copy(extended, l)
	extended[len(l)] = step
	return extended
}

// Compare orders locations: by keys as text, by indices as numbers, an ancestor before what is in
// it.
func Compare(a, b Location) int {
	return slices.CompareFunc(a, b, compareSteps)
}

func compareSteps(a, b Step) int {
	if a.IsIndex && b.IsIndex {
		return cmp.Compare(a.Index, b.Index)
	}
	if a.IsIndex != b.IsIndex {
		if a.IsIndex {
			return -1
		}
		return 1
	}
	return strings.Compare(a.Key, b.Key)
}

// Contains tells whether inner is l or a place in it.
func (l Location) Contains(inner Location) bool {
	return len(l) <= len(inner) && Compare(l, inner[:len(l)]) == 0
}

// Outermost returns the locations sorted, without duplicates and those inside another one. It may
// return its argument.
func Outermost(locations []Location) []Location {
	if areOutermost(locations) {
		return locations
	}
	return SortOutermost(slices.Clone(locations))
}

// SortOutermost is Outermost within the memory of the locations.
func SortOutermost(locations []Location) []Location {
	if areOutermost(locations) {
		return locations
	}
	slices.SortStableFunc(locations, Compare)
	outer := locations[:1]
	for _, l := range locations[1:] {
		if !outer[len(outer)-1].Contains(l) {
			outer = append(outer, l)
		}
	}
	return outer
}

// areOutermost tells whether the locations are what Outermost returns for them.
func areOutermost(locations []Location) bool {
	for i := 1; i < len(locations); i++ {
		if before := locations[i-1]; Compare(before, locations[i]) >= 0 || before.Contains(locations[i]) {
			return false
		}
	}
	return true
}

// Distinct returns the locations sorted, each once.
func Distinct(locations []Location) []Location {
	sorted := slices.Clone(locations)
	slices.SortStableFunc(sorted, Compare)
	return slices.CompactFunc(sorted, func(a, b Location) bool { return Compare(a, b) == 0 })
}
