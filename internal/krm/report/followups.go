package report

import "slices"

// WithoutFollowUps returns the faults of a later step without those at, or inside, a place at which
// an earlier step has found a fault: they would repeat that it is wrong.
func WithoutFollowUps(later, earlier []Fault) []Fault {
	faulty := make(map[string]bool, len(earlier))
	for _, fault := range earlier {
		faulty[fault.Path] = true
	}
	return slices.DeleteFunc(later, func(f Fault) bool {
		for i := range len(f.Path) {
			if (f.Path[i] == '.' || f.Path[i] == '[') && i > 0 && faulty[f.Path[:i]] {
				return true
			}
		}
		return faulty[f.Path]
	})
}
