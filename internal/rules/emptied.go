package rules

import (
	"slices"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Emptied is a list of containers of which an expression found every element.
type Emptied struct {
	List  location.Location
	Count int
	By    *Source
}

// emptiedContainers returns the lists of containers of which all elements are among the locations,
// which are sorted. Init containers are left out, since an object needs none.
func emptiedContainers(root *tree.Node, sorted []location.Location) []Emptied {
	var all []Emptied
	for _, l := range sorted {
		last := len(l) - 1
		if last < 1 || !l[last].IsIndex || l[last-1].Key != "containers" {
			continue
		}
		if n := len(all) - 1; n >= 0 && location.Compare(all[n].List, l[:last]) == 0 {
			all[n].Count++
			continue
		}
		all = append(all, Emptied{List: l[:last], Count: 1})
	}
	return slices.DeleteFunc(all, func(e Emptied) bool { return e.Count < len(location.At(root, e.List).Content) })
}
