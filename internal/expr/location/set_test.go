package location_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr/location"
)

func TestSet(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	steps := []location.Step{location.Key("a"), location.Key("0"), location.Index(0), location.Key("a/b"), location.Key("")}
	some := func() location.Location {
		l := make(location.Location, random.IntN(4))
		for i := range l {
			l[i] = steps[random.IntN(len(steps))]
		}
		return l
	}
	for range 1000 {
		all := []location.Location{some(), some()}
		set, l := location.NewSet(all...), some()
		around := slices.ContainsFunc(all, func(one location.Location) bool { return one.Contains(l) })
		in := slices.ContainsFunc(all, func(one location.Location) bool { return l.Contains(one) && len(one) > len(l) })
		if set.HasAround(l) != around || set.HasIn(l) != in {
			t.Errorf("%v in %v: got %v around and %v in it, want %v and %v", l, all, set.HasAround(l), set.HasIn(l), around, in)
		}
	}
}
