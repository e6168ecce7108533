package applypatches

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn/report"
)

// withoutFollowUps returns the faults of compiling without those at a place
// that could not be decoded, where they would say once more that it is wrong.
func withoutFollowUps(compiling, decoding []report.Fault) []report.Fault {
	return slices.DeleteFunc(compiling, func(f report.Fault) bool {
		return slices.ContainsFunc(decoding, func(d report.Fault) bool {
			return leadsInto(f.Path, d.Path) || leadsInto(d.Path, f.Path)
		})
	})
}

// leadsInto tells whether a path is outer, or that of a place in it.
func leadsInto(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
