package jsonpointer

import (
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Combination is a pointer with * for list elements, and how many locations it names.
type Combination struct {
	Pointer string
	Count   int
}

// Combine returns for each location the pointer that names it and others that differ from it only
// in list elements, and nothing else in root; the zero Combination where there is none.
func Combine(root *tree.Node, locations []location.Location) []Combination {
	like := map[string][]int{} // the indices of the locations, by that pointer
	for i, l := range locations {
		if pointer, ok := withWildcards(l); ok {
			like[pointer] = append(like[pointer], i)
		}
	}
	combined := make([]Combination, len(locations))
	for pointer, indices := range like {
		parsed, err := Parse(pointer)
		if err != nil {
			continue
		}
		found, err := parsed.Locate(&dialect.Input{Root: root, WithoutHint: true})
		if err != nil || len(found.Locations) != len(indices) {
			continue
		}
		for _, i := range indices {
			combined[i] = Combination{pointer, len(indices)}
		}
	}
	return combined
}

// withWildcards returns the pointer to a location with * for each list index; false if there is
// none.
func withWildcards(l location.Location) (string, bool) {
	var b strings.Builder
	any := false
	for i, step := range l {
		switch {
		case !step.IsIndex:
			b.WriteString(location.Location{step}.Pointer())
		case i == len(l)-1:
			return "", false // an element itself is named by what it is
		default:
			any = true
			b.WriteString("/*")
		}
	}
	return b.String(), any
}
