package report

import (
	"iter"
	"slices"
)

// WithoutFollowUps returns the faults of a later step without those at, or inside, a place at which
// an earlier step has found a fault: they would repeat that it is wrong. What is missing at a place
// is left out, too, if an earlier step has found a fault inside it.
func WithoutFollowUps(later, earlier []Fault) []Fault {
	faulty := make(map[string]bool, len(earlier))
	around := map[string]bool{}
	for _, fault := range earlier {
		faulty[fault.Path] = true
		for place := range placesAround(fault.Path) {
			around[place] = true
		}
	}
	return slices.DeleteFunc(later, func(f Fault) bool {
		for place := range placesAround(f.Path) {
			if faulty[place] {
				return true
			}
		}
		return faulty[f.Path] || f.IsMissing && around[f.Path]
	})
}

// placesAround yields the paths of the maps and lists that a path leads through.
func placesAround(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(path) {
			if (path[i] == '.' || path[i] == '[') && i > 0 && !yield(path[:i]) {
				return
			}
		}
	}
}
