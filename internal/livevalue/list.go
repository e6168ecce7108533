package livevalue

import (
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// list compares two lists. live is nil if the cluster has none.
func (c *comparison) list(ours, live *tree.Node, inOurs, inLive *want, l location.Location) error {
	pairs, err := c.pair(ours, live, inOurs, inLive, l)
	if err != nil {
		return err
	}
	for i, element := range tree.Elements(live) {
		wanted, j := inLive.child(location.Index(i)), pairs.ours[i]
		switch {
		case wanted == nil && (j < 0 || inOurs.child(location.Index(j)) == nil):
		case j >= 0:
			step := location.Index(j)
			if err := c.at(ours.Content[j], element, inOurs.child(step), wanted, l.With(step)); err != nil {
				return err
			}
		case wanted.isEnd():
			c.insert(element, pairs.placeFor(i), wanted.by, l)
		}
	}
	for j, element := range tree.Elements(ours) {
		if wanted := inOurs.child(location.Index(j)); wanted.isEnd() && pairs.live[j] < 0 {
			c.copyLive(element, nil, l.With(location.Index(j)), wanted.by)
		}
	}
	return nil
}

// insert copies an element that only the live list has.
func (c *comparison) insert(element *tree.Node, before, by int, l location.Location) {
	at := l.With(location.Index(before))
	c.out.edits = append(c.out.edits, edit{at: at, value: plainCopy(element), insert: true})
	c.out.Changes = append(c.out.Changes, Change{At: at, New: element, By: by})
	c.out.Parents = append(c.out.Parents, l)
}

// pairs says which element of one list corresponds to which of the other, by index; -1 for none.
type pairs struct {
	ours []int // by the index in the live list
	live []int // by the index in our list
}

func newPairs(ours, live int) pairs {
	p := pairs{ours: make([]int, live), live: make([]int, ours)}
	for i := range p.ours {
		p.ours[i] = -1
	}
	for j := range p.live {
		p.live[j] = -1
	}
	return p
}

func (p pairs) join(i, j int) { p.ours[i], p.live[j] = j, i }

// placeFor returns the index in our list before which a live element is inserted that ours does not
// have: behind the nearest element before it that both have, else before the nearest one behind it,
// else at the end.
func (p pairs) placeFor(i int) int {
	for before := i - 1; before >= 0; before-- {
		if p.ours[before] >= 0 {
			return p.ours[before] + 1
		}
	}
	for behind := i + 1; behind < len(p.ours); behind++ {
		if p.ours[behind] >= 0 {
			return p.ours[behind]
		}
	}
	return len(p.live)
}
