// Package lists has what package slices lacks.
package lists

import "slices"

// Map returns what a function makes of each element, such as the names of a table's entries.
func Map[E, M any](all []E, of func(E) M) []M {
	var made []M
	for _, e := range all {
		made = append(made, of(e))
	}
	return made
}

// Find returns the first element that matches; false for none.
func Find[E any](all []E, matches func(E) bool) (found E, ok bool) {
	if i := slices.IndexFunc(all, matches); i >= 0 {
		return all[i], true
	}
	return found, false
}
