package selector

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestIndex holds that an index finds the few selections that may be about an object, in order, and
// that a long list of selectors selects what each of them alone selects.
func TestIndex(t *testing.T) {
	const many, seed = 1000, 7
	random := rand.New(rand.NewPCG(seed, seed))
	var texts []string
	for i := range many {
		switch text := fmt.Sprintf("{kind: K%d, name: o%d}", random.IntN(2), i/2); i % 250 {
		case 100:
			texts = append(texts, "{kind: K1, name: 'o1*'}")
		case 200:
			texts = append(texts, "{namespace: prod}")
		default:
			texts = append(texts, text)
		}
	}
	var each []*Selection
	for _, text := range texts {
		each = append(each, selection(t, "selectors: ["+text+"]"))
	}
	index := NewIndex(many, func(i int) *Selection { return each[i] })
	all := selection(t, "selectors: ["+strings.Join(texts, ", ")+"]")
	exclude := selection(t, "exclude: ["+strings.Join(texts, ", ")+"]")
	for i := range many {
		o := Of(parse(t, fmt.Sprintf("{kind: K%d, metadata: {name: o%d, namespace: %s}}", i%3, i, []string{"prod", "test"}[i%2])))
		about := index.About(o)
		if len(about) > 10 || !slices.IsSorted(about) {
			t.Fatalf("selections that may be about %s: got %d, want a few in order", o, len(about))
		}
		var fitting []int
		for n, s := range each {
			if s.Fits(o) {
				fitting = append(fitting, n)
			}
		}
		found := slices.DeleteFunc(slices.Clone(about), func(n int) bool { return !each[n].Fits(o) })
		if !slices.Equal(found, fitting) {
			t.Errorf("selections that fit %s: got %v, want %v", o, found, fitting)
		}
		if got, want := all.Selects(o), len(fitting) > 0; got != want || exclude.Selects(o) == want {
			t.Errorf("%s is selected: got %v, and %v by exclude, want %v", o, got, exclude.Selects(o), want)
		}
		all.Note(o)
	}
	unmet := 0
	for _, e := range all.selectors.all {
		if !e.matched.Load() {
			unmet++
		}
	}
	if got := len(all.Unmatched(func() []*Candidate { return nil })); got != unmet || unmet == 0 || unmet == many {
		t.Errorf("unmatched selectors: got %d, want the %d of %d that have matched nothing", got, unmet, many)
	}
}

func TestIndexOfExclude(t *testing.T) {
	s := selection(t, "selectors: [{name: a}]\nexclude: [{name: b}]")
	index := NewIndex(1, func(int) *Selection { return s })
	if about := index.About(Of(tree.NewMap("kind", "K", "metadata", tree.NewMap("name", "b")))); len(about) != 1 {
		t.Errorf("got %v, want the selection, whose exclude entry matches the object", about)
	}
}
