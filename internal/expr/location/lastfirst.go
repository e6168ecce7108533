package location

import (
	"slices"
	"strings"
)

// LastFirst puts the JSON Pointers that have an index in descending order, in the places that they
// have: who removes their elements one after the other finds each where it is. What has no pointer
// stays where it is.
func LastFirst[E any](all []E, pointer func(E) string) {
	var places []int
	var indexed []E
	for i, e := range all {
		if slices.ContainsFunc(strings.Split(pointer(e), "/"), IsDigits) {
			places, indexed = append(places, i), append(indexed, e)
		}
	}
	slices.SortStableFunc(indexed, func(a, b E) int { return comparePointers(pointer(b), pointer(a)) })
	for i, place := range places {
		all[place] = indexed[i]
	}
}

// comparePointers orders pointers by their segments, indices as numbers.
func comparePointers(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(a, b string) int {
		if IsDigits(a) && IsDigits(b) && len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
}
