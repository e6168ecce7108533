package selector

import (
	"math/rand/v2"
	"testing"

	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestIndex holds the index to the selections themselves: it leaves out none of which an entry
// holds for the object.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) *string { s := of[r.IntN(len(of))]; return &s }
	random := func(count int) []Selector {
		var all []Selector
		for range count {
			var s Selector
			if r.IntN(4) > 0 {
				s.Kind = pick("A", "B", "C*", "*")
			}
			if r.IntN(2) > 0 {
				s.Name = pick("a", "b", "a*")
			}
			if s.Kind == nil && s.Name == nil {
				s.Group = pick("g", "h")
			}
			all = append(all, s)
		}
		return all
	}
	var selections []*Selection
	for range 500 {
		s, faults := NewSelection(random(r.IntN(3)), random(max(0, r.IntN(6)-4)), "selectors", "exclude")
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		selections = append(selections, s)
	}
	index := NewIndex(selections)
	for _, text := range []string{
		"{apiVersion: g/v1, kind: A, metadata: {name: a}}", "{apiVersion: g/v1, kind: B, metadata: {name: ab}}",
		"{apiVersion: v1, kind: Cc, metadata: {name: b}}", "{apiVersion: h/v1, kind: A}", "{kind: Z, metadata: {name: a}}",
		"{metadata: {name: a}}",
	} {
		root, err := tree.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		o := Of(root)
		found := map[int]bool{}
		last := -1
		for _, i := range index.Of(o) {
			if i <= last {
				t.Fatalf("%s: %d comes after %d", text, i, last)
			}
			found[i], last = true, i
		}
		for i, s := range selections {
			if found[i] {
				continue
			}
			if s.Fits(o) {
				t.Errorf("%s: selection %d fits and is not found", text, i)
			}
			for _, e := range append(s.selectors, s.exclude...) {
				if e.holds(o) {
					t.Errorf("%s: the entry %s of selection %d holds, and it is not found", text, e, i)
				}
			}
		}
		if len(found) == len(selections) {
			t.Errorf("%s: the index leaves out nothing", text)
		}
	}
}
