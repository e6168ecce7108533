package livevalue

import (
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// list compares two lists. live is nil if the cluster has none.
func (c *comparison) list(ours, live *tree.Node, inOurs, inLive *want, s spot) error {
	pairs, err := c.pair(ours, live, inOurs, inLive, s.ours)
	if err != nil {
		return err
	}
	inserted := false
	for i, element := range tree.Elements(live) {
		wanted, j := inLive.child(location.Index(i)), pairs.ours[i]
		switch {
		case wanted == nil && (j < 0 || inOurs.child(location.Index(j)) == nil):
		case j >= 0:
			step := location.Index(j)
			if err := c.at(ours.Content[j], element, inOurs.child(step), wanted, s.with(step, location.Index(i))); err != nil {
				return err
			}
		case wanted.isEnd():
			inserted = c.insert(element, s.with(location.Index(pairs.placeFor(i)), location.Index(i)), wanted.by) || inserted
		}
	}
	// Elements without keys are those of the live list with other content, if that has any.
	isReplaced := c.Choose == nil || inserted && !pairs.byKeys
	for j, element := range tree.Elements(ours) {
		if wanted := inOurs.child(location.Index(j)); wanted.isEnd() && pairs.live[j] < 0 && isReplaced {
			c.set(element, nil, s.ours.With(location.Index(j)), wanted.by)
		}
	}
	return nil
}

// insert copies an element that only the live list has, if it is chosen.
func (c *comparison) insert(element *tree.Node, s spot, by int) bool {
	value := c.chosen(nil, element, s, by)
	if value == nil {
		return false
	}
	c.out.edits = append(c.out.edits, edit{at: s.ours, value: plainCopy(value), insert: true})
	c.out.Changes = append(c.out.Changes, Change{At: s.ours, New: value, By: by})
	c.out.Parents = append(c.out.Parents, s.ours[:len(s.ours)-1])
	return true
}

// pairs says which element of one list corresponds to which of the other, by index; -1 for none.
type pairs struct {
	ours []int // by the index in the live list
	live []int // by the index in our list
	// byKeys is true if the keys or names of the elements decide.
	byKeys bool
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
