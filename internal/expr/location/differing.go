package location

import "github.com/krm-fields/krm-fields/internal/yamldoc/tree"

// Differing returns where two values differ: at members of maps and elements of lists, which are
// compared by their indices, and at the values themselves, as an empty location, if they are
// neither two maps nor two lists. At a location, one of the values may be missing.
func Differing(a, b *tree.Node) []Location {
	return differing(nil, a, b, nil)
}

func differing(found []Location, a, b *tree.Node, at Location) []Location {
	switch {
	case a != nil && b != nil && tree.Equal(a, b):
	case tree.IsMap(a) && tree.IsMap(b):
		here, there := tree.MembersOf(tree.Deref(a)), tree.MembersOf(tree.Deref(b))
		for key, value := range tree.Entries(a) {
			found = differing(found, value, there.Get(key), at.With(Key(key)))
		}
		for key := range tree.Entries(b) {
			if here.Get(key) == nil {
				found = append(found, at.With(Key(key)))
			}
		}
	case tree.IsList(a) && tree.IsList(b):
		here, there := tree.Elements(a), tree.Elements(b)
		for i := range max(len(here), len(there)) {
			found = differing(found, elementAt(here, i), elementAt(there, i), at.With(Index(i)))
		}
	default:
		found = append(found, at)
	}
	return found
}

func elementAt(elements []*tree.Node, i int) *tree.Node {
	if i < len(elements) {
		return elements[i]
	}
	return nil
}
